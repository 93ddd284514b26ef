"""Files: written whole or not at all, folders held by one process at a time.

A file that cannot be used is refused in one sentence.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from fastgat.check import InputError

GZIP_MAGIC = b"\x1f\x8b"
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}(\.|$)")


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there becomes `path` on success.

    Whatever goes wrong, Ctrl-C included, an older file at `path` stays as it was and nothing else
    is left behind. The temporary name ends in the same suffixes, since some writers look at them.
    """
    shown = os.fspath(path)
    final = _writable_target(Path(path))
    suffix = "".join(final.suffixes[-2:])
    temporary = final.with_name(f".{secrets.token_hex(8)}{suffix}")  # see _TEMPORARY
    try:
        # Not tempfile: its files are private, while an output obeys the user's umask.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield temporary
            if final.exists():
                shutil.copymode(final, temporary)
            _flush_to_disk(temporary)
            os.replace(temporary, final)  # noqa: PTH105
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"cannot write {shown}: {reason(error)}") from error


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {reason(error)}") from None


def remove_unfinished(folder: Path) -> None:
    """Remove what `write_atomically` leaves in a folder if its process is killed on the way."""
    for path in folder.glob(".*"):
        if _TEMPORARY.match(path.name):
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def hold_folder(folder: Path, refusal: str) -> Iterator[None]:
    """Keep others out of a folder, in this process or another; the system lets go if this one dies.

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


def cache_folder() -> Path:
    """The user's cache of datasets and resistances; it need not exist."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is to be ignored.
    return (cache if cache.is_absolute() else Path.home() / ".cache") / "fastgat"


def existing_file(path: str | os.PathLike[str]) -> Path:
    """Return `path` if it is a file with something in it."""
    shown = os.fspath(path)
    try:
        status = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{shown} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {shown}: {reason(error)}") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{shown} is a folder, but a file is needed")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{shown} is not a regular file; save it to disk first")
    if status.st_size == 0:
        raise InputError(f"{shown} is empty")
    return Path(path)


@contextlib.contextmanager
def open_plain(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file that may be gzipped, told by its content; give its plain and its stored bytes."""
    with path.open("rb") as stored:
        is_gzip = stored.read(2) == GZIP_MAGIC
        stored.seek(0)
        if not is_gzip:
            yield stored, stored
            return
        with gzip.open(stored, "rb") as plain:
            yield cast(BinaryIO, plain), stored


@contextlib.contextmanager
def create_plain(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write, gzipped if its name ends in `.gz`; equal content gives equal bytes."""
    with path.open("wb") as stored:
        if path.suffix.lower() != ".gz":
            yield stored
            return
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=stored, mtime=0) as plain:
            yield cast(BinaryIO, plain)


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name before what is refused about its content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def reason(error: OSError) -> str:
    """Why the system refused, in lower case and on one line."""
    text = error.strerror or str(error) or type(error).__name__
    text = " ".join(text.split())
    return text[:1].lower() + text[1:]


def _writable_target(path: Path) -> Path:
    """Return the file that `path` stands for, links followed, so that a link stays a link."""
    final = path.resolve()
    if final.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    if final.exists() and not final.is_file():
        # Replacing /dev/null or a pipe by a file would break it for everybody.
        raise InputError(f"cannot write {path}: it is not a regular file")
    if not final.parent.exists():
        raise InputError(f"cannot write {path}: folder {path.parent} does not exist")
    return final


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
