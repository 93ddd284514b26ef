"""Where dataset files lie: the folder `FASTGAT_DATA` names, then the user's cache."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fastgat.check import InputError
from fastgat.files import cache_folder


def data_folder() -> Path:
    """The folder datasets are looked for in first; it need not exist."""
    if named := os.environ.get("FASTGAT_DATA"):
        return Path(named).expanduser()
    return cache_folder()


def look_up(relative: str) -> Path | None:
    """The dataset file at `relative` below the data folder or the cache, if it is there."""
    for folder in (data_folder(), cache_folder()):
        path = folder / relative
        if path.is_file():
            return path
    return None


def first_missing(relatives: Sequence[str]) -> tuple[Path | None, str]:
    """The folder that holds all these files, or None and the first that keeps it from that."""
    folders = (data_folder(), cache_folder())
    for folder in folders:
        if all((folder / relative).is_file() for relative in relatives):
            return folder, ""
    nowhere = [relative for relative in relatives if look_up(relative) is None]
    apart = [relative for relative in relatives if not (folders[0] / relative).is_file()]
    return None, (nowhere or apart)[0]


def missing(relative: str, why: str = "") -> InputError:
    """The refusal where a file is not there; `why` it could not be fetched either."""
    path = data_folder() / relative
    return InputError(
        f"{path.name} is not in {path.parent}{why}; "
        f"set FASTGAT_DATA to the folder that holds {relative}"
    )
