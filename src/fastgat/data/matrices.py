"""Sparse features from arrays that may be damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError

if TYPE_CHECKING:
    import scipy.sparse


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
