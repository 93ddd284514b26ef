"""Arrays and matrices from strangers: nothing unpickled, nothing larger than it should be."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError

if TYPE_CHECKING:
    import scipy.sparse

# Unpacked. Thirty times the largest dataset but Reddit, which has a limit of its own; little enough
# for any machine.
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


def csr_features(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: Any
) -> scipy.sparse.csr_array:
    """The matrix of its compressed rows, if they make one."""
    import scipy.sparse

    try:
        rows, columns = (int(size) for size in np.asarray(shape).ravel())
        if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
            raise TypeError(f"places have dtype {indices.dtype}")
        parts = data.astype(np.float32), indices.astype(np.int64), indptr.astype(np.int64)
        matrix = scipy.sparse.csr_array(parts, shape=(rows, columns))
        matrix.check_format(full_check=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"the features do not make a matrix: {error}") from None
    matrix.sum_duplicates()
    return matrix


def binary_features(rows: list[Any], num_columns: int) -> scipy.sparse.csr_array:
    """One row per list of columns, 1 in each of them."""
    count = np.fromiter(map(len, rows), np.int64, len(rows))
    indices = np.fromiter((column for row in rows for column in row), np.int32, int(count.sum()))
    indptr = np.concatenate([[0], np.cumsum(count)])
    matrix = csr_features(np.ones(indices.size), indices, indptr, (len(rows), num_columns))
    matrix.data[:] = 1.0  # also where a list names a column twice
    return matrix
