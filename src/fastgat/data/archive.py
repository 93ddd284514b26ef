"""NumPy and zip archives from strangers: nothing unpickled, nothing larger than it should be."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError

# Unpacked. Ten times the largest dataset in the catalogue, and little enough for any machine.
MAX_BYTES = 2**30


def read_arrays(path: Path, *names: str, max_bytes: int | None = None) -> list[NDArray[Any]]:
    """The named arrays of an `.npz` file, in this order."""
    with open_zip(path, max_bytes) as archive:
        absent = [name for name in names if f"{name}.npy" not in archive.namelist()]
        if absent:
            raise InputError(f"array {absent[0]!r} is missing: this is not the file it should be")
        try:
            return [_read_array(archive, name) for name in names]
        except ValueError as error:  # an object array, or a header NumPy does not accept
            raise InputError(f"an array cannot be read: {error}") from None


@contextmanager
def open_zip(path: Path, max_bytes: int | None = None) -> Iterator[zipfile.ZipFile]:
    """Open a zip file whose members together are at most `max_bytes` long, else `MAX_BYTES`.

    `zipfile` stops reading a member at its stated length, so stated lengths are all there is to
    check.
    """
    limit = MAX_BYTES if max_bytes is None else max_bytes
    try:
        with zipfile.ZipFile(path) as archive:
            length = sum(member.file_size for member in archive.infolist())
            if length > limit:
                raise InputError(f"unpacks to {length} bytes, but at most {limit} are allowed")
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise InputError("is cut short or not a zip file: fetch it again") from None


def read_array(path: Path) -> NDArray[Any]:
    """The array of an `.npy` file."""
    try:
        with path.open("rb") as file:
            array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    return array


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as member:
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array
