"""Sparse node features in the form the core works on, converted once per tensor."""

from __future__ import annotations

import itertools
from copy import copy
from weakref import WeakValueDictionary

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from fastgat import _core
from fastgat.check import InputError, check_memory


class SparseFeatures:
    """A copy of a `torch.sparse_csr` matrix on the CPU: its rows, and its columns for gradients.

    Operators are told the matrix by `key`, a small tensor, since they take no sparse tensors.
    Whoever holds the key holds the matrix: autograd does until its backward pass.
    """

    def __init__(self, x: Tensor) -> None:
        """Copy `x`, single or double precision."""
        _check(x)
        rows, columns = x.shape
        entry_bytes = 2 * (4 + x.values().element_size())
        check_memory(
            "the copy of the sparse features",
            entry_bytes * x.values().numel() + 8 * (rows + columns),
            hint="remove columns that no node uses",
        )
        self.matrix = _core.FeatureMatrix(
            rows,
            columns,
            x.crow_indices().to(torch.int64).contiguous().numpy(),
            x.col_indices().contiguous().numpy(),
            x.values().detach().contiguous().numpy(),
        )
        self.shape = x.shape
        self.dtype = x.dtype
        self.dropout, self.seed = 0.0, None  # of the entries, applied by whoever multiplies
        number = next(_NUMBERS)
        self.key = torch.tensor([number])
        self.key.matrix = self.matrix  # type: ignore[attr-defined]
        _MATRICES[number] = self.matrix

    layout = torch.sparse_csr
    device = torch.device("cpu")
    requires_grad = False
    dropout: float
    seed: Tensor | None

    def dim(self) -> int:
        """Two: nodes and channels."""
        return len(self.shape)

    def size(self, dim: int) -> int:
        """Nodes or channels, as of a tensor."""
        return self.shape[dim]

    def drop(self, p: float, seed: Tensor) -> SparseFeatures:
        """The same features with dropout, in no time: masks are drawn in the product."""
        if self.dropout > 0:
            raise InputError(
                f"x was dropped with p={self.dropout} before; drop the original instead"
            )
        other = copy(self)
        other.dropout, other.seed = p, seed
        return other

    def __deepcopy__(self, memo: object) -> SparseFeatures:
        """Itself: nothing can change it."""
        return self


def sparse_features(x: Tensor) -> SparseFeatures:
    """The converted `x`, made anew only if `x` was changed in place since the last time.

    Like autograd it does not see changes made through `x.data`, NumPy, or the tensor of values
    that `x` was put together from.
    """
    if x.requires_grad and torch.is_grad_enabled():
        raise InputError(
            "x requires a gradient, but gradients for sparse features are not computed; "
            "use x.detach() or x.to_dense()"
        )
    if x.is_inference():  # such tensors do not count their changes
        return SparseFeatures(x)
    version = x._version
    if x not in _CONVERTED or _CONVERTED[x][0] != version:
        _CONVERTED[x] = (version, SparseFeatures(x))
    features: SparseFeatures = _CONVERTED[x][1]
    return features


def find_matrix(key: Tensor) -> _core.FeatureMatrix:
    """The matrix a key stands for. The key's number counts: compilers copy tensors."""
    try:
        return _MATRICES[int(key.item())]
    except KeyError:
        raise InputError(f"key {key} belongs to sparse features that are gone") from None


def _check(x: Tensor) -> None:
    if not isinstance(x, Tensor) or x.layout != torch.sparse_csr:
        what = x.layout if isinstance(x, Tensor) else type(x).__name__
        raise InputError(f"x is {what}, but sparse features are torch.sparse_csr tensors")
    if x.dim() != 2 or x.values().dim() != 1:
        raise InputError(f"x has shape {tuple(x.shape)}, but features are one plain matrix")
    if x.device.type != "cpu":
        raise InputError(f"x lies on {x.device}, but SparseFeatures are for the CPU; use x.cpu()")
    if x.dtype not in (torch.float32, torch.float64):
        raise InputError(f"x has dtype {x.dtype}, but needs float32 or float64; use x.float()")


# Weak on both sides, and outside of all modules: neither pickles nor copies take it along.
_CONVERTED = WeakIdKeyDictionary()
_MATRICES: WeakValueDictionary[int, _core.FeatureMatrix] = WeakValueDictionary()
_NUMBERS = itertools.count()
