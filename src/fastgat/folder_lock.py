"""A folder that one process at a time writes to."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from fastgat.check import InputError


@contextlib.contextmanager
def hold_folder(folder: Path, refusal: str) -> Iterator[None]:
    """Keep others out, in this process or another; the system lets go if this one dies.

    The folder is made if need be. `refusal` is what they are told.
    """
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise InputError(refusal) from None
    except OSError:  # a file system without locks
        pass
    try:
        yield
    finally:
        # Said, not left to closing: a child that was forked meanwhile may hold it open.
        with contextlib.suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_UN)
        os.close(opened)
