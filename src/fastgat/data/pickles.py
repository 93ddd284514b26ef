"""Pickles from strangers: plain values, arrays and sparse matrices, and no code of anybody's.

Arrays and matrices are rebuilt from stand-ins that only hold what the file says of them, so that
not even NumPy's own unpickling sees the file.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.archive import csr_features

if TYPE_CHECKING:
    import scipy.sparse

MAX_BYTES = 2**26  # PubMed's features, the largest file, have 2**23


class _Dtype:
    """Stands for `numpy.dtype(name, align, copy)`."""

    def __init__(self, name: object = None, align: object = 0, copy: object = 1) -> None:
        self.name, self.order = name, "<"

    def __setstate__(self, state: Any) -> None:
        self.order = state[1]

    def build(self) -> np.dtype[Any]:
        name = self.name
        known = isinstance(name, str) and name[:1] in "biuf" and name[1:] in {"1", "2", "4", "8"}
        if not known or self.order not in ("<", ">", "|", "="):
            raise InputError(f"has an array of dtype {name!r}, but a dataset has numbers")
        return np.dtype(f"{self.order}{name}")


class _Array:
    """Stands for an array; also for the function that pickles call to make an empty one."""

    def __init__(self, kind: object = None, shape: object = None, dtype: object = None) -> None:
        self.parts: Any = None

    def __setstate__(self, state: Any) -> None:
        self.parts = state

    def build(self) -> NDArray[Any]:
        try:
            _, shape, dtype, is_fortran, raw = self.parts
            content = raw.encode("latin1") if isinstance(raw, str) else raw
            flat = np.frombuffer(content, dtype.build())
            return flat.reshape(shape, order="F" if is_fortran else "C")
        except InputError:
            raise
        except (AttributeError, TypeError, ValueError, UnicodeEncodeError):
            raise InputError("has an array that is damaged") from None


class _Matrix:
    """Stands for `scipy.sparse.csr_matrix`."""

    def __init__(self) -> None:
        self.parts: Any = None

    def __setstate__(self, state: Any) -> None:
        self.parts = state

    def build(self) -> scipy.sparse.csr_array:
        try:
            data, indices, indptr = (
                self.parts[name].build() for name in ("data", "indices", "indptr")
            )
            return csr_features(data, indices, indptr, self.parts["_shape"])
        except (AttributeError, KeyError, TypeError):
            raise InputError("has a matrix that is damaged") from None


# Names that Python 2 and 3, and older and newer NumPy and SciPy, write. These are exact pairs: a
# dotted name such as ("builtins", "list.__class__") is not among them.
_ALLOWED: dict[tuple[str, str], type] = {
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
    ("numpy", "dtype"): _Dtype,
    ("numpy", "ndarray"): _Array,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("scipy.sparse.csr", "csr_matrix"): _Matrix,
    ("scipy.sparse._csr", "csr_matrix"): _Matrix,
}


class RestrictedUnpickler(pickle.Unpickler):
    """Builds plain values and stand-ins; any other name in the file is refused."""

    def find_class(self, module: str, name: str) -> type:
        """Return what an allowed pair stands for, without importing anything."""
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise InputError(f"asks for {module}.{name}, which no dataset needs") from None


def load(path: Path) -> Any:
    """The value in a pickle; an array or sparse matrix only if it is the value itself."""
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"has {path.stat().st_size} bytes, but at most {MAX_BYTES} are allowed")
    with path.open("rb") as file:
        try:
            content: Any = RestrictedUnpickler(file, encoding="latin1").load()
        except InputError:
            raise
        except Exception as error:  # a damaged pickle raises almost anything
            raise InputError(f"is not a whole pickle: {error or type(error).__name__}") from None
    return content.build() if isinstance(content, _Array | _Matrix) else content
