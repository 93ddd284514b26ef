"""Where dataset files lie: the folder `FASTGAT_DATA` names, else the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from fastgat.check import InputError


def data_folder() -> Path:
    """The folder datasets are looked for in; it need not exist."""
    if named := os.environ.get("FASTGAT_DATA"):
        return Path(named).expanduser()
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is to be ignored.
    return (cache if cache.is_absolute() else Path.home() / ".cache") / "fastgat"


def find_file(relative: str) -> Path:
    """Return the dataset file at `relative` below the data folder."""
    folder = data_folder()
    path = folder / relative
    if not path.is_file():
        raise InputError(
            f"{path.name} is not in {path.parent}; "
            f"set FASTGAT_DATA to the folder that holds {relative}"
        )
    return path
