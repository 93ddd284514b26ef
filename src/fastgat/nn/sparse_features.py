"""Sparse node features: multiplied by a weight without ever being dense."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from fastgat import _core
from fastgat.check import InputError, check_memory
from fastgat.nn.operator import (
    CORE_DTYPES,
    Shown,
    array,
    cached,
    operator,
    seed_number,
)

_SHOWN = Shown(
    "fastgat.sparse_project",
    under_vmap="put the weights below each other as more rows of one, or give dense features",
    twice="give dense features, x.to_dense(), where second derivatives are needed",
)


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """A copy of a `torch.sparse_csr` matrix on the CPU: its rows, and its columns for gradients.

    No tensor: it is multiplied, and that is all. `SparseFeatures.of(x)` makes it once per tensor.
    """

    # Row r has the entries [row_offset[r], row_offset[r + 1]). `value` is empty if all are 1.
    row_offset: Tensor
    column: Tensor
    value: Tensor
    # The same by column, one band of rows after another: what a band looks up stays in the cache.
    band_offset: Tensor
    band_row: Tensor
    band_value: Tensor
    num_columns: int
    dropout: float = 0.0  # of the entries, applied by whoever multiplies
    seed: Tensor | None = None

    @staticmethod
    def from_csr(x: Tensor) -> SparseFeatures:
        """Copy a `torch.sparse_csr` matrix of single or double precision."""
        _check(x)
        rows, columns = x.shape
        entry_bytes = 2 * (4 + x.values().element_size())
        check_memory(
            "the copy of the sparse features",
            entry_bytes * x.values().numel() + 8 * (rows + columns),
            hint="remove columns that no node uses",
        )
        arrays = _core.sort_features(
            rows,
            columns,
            array(x.crow_indices().to(torch.int64)),
            array(x.col_indices()),
            array(x.values()),
        )
        with torch.inference_mode(False):  # autograd saves them
            tensors = [torch.from_numpy(part) for part in arrays]
            return SparseFeatures(*tensors[:6], num_columns=columns)  # type: ignore[misc,arg-type]

    @staticmethod
    def of(x: Tensor) -> SparseFeatures:
        """The converted `x`, made anew only if `x` was changed in place since the last time.

        Like autograd it does not see changes made through `x.data`, NumPy, or the tensor of values
        that `x` was put together from.
        """
        if x.requires_grad and torch.is_grad_enabled():
            raise InputError(
                "x requires a gradient, but gradients for sparse features are not computed; "
                "use x.detach() or x.to_dense()"
            )
        return cached(x, SparseFeatures, lambda: SparseFeatures.from_csr(x))

    @property
    def shape(self) -> torch.Size:
        """Nodes and channels."""
        return torch.Size((self.row_offset.shape[0] - 1, self.num_columns))

    @property
    def dtype(self) -> torch.dtype:
        """Single or double precision."""
        return self.value.dtype

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return self.value.device

    def drop(self, p: float, seed: Tensor) -> SparseFeatures:
        """The same features with dropout, in no time: masks are drawn in the product."""
        if self.dropout > 0:
            raise InputError(
                f"x has dropout p={self.dropout} already; drop the features without it instead"
            )
        return replace(self, dropout=p, seed=seed)

    def project(self, weight: Tensor, heads: int) -> Tensor:
        """`dropout(x) @ weight.T`: num_nodes x (channels, heads), heads innermost in memory."""
        if self.dtype != weight.dtype:
            raise InputError(f"x is {self.dtype}, weight {weight.dtype}: cast one of them")
        rows = (self.row_offset, self.column, self.value)
        bands = (self.band_offset, self.band_row, self.band_value)
        projected: Tensor = _project(weight, *rows, *bands, heads, self.dropout, self.seed)
        return projected

    def __deepcopy__(self, memo: object) -> SparseFeatures:
        """Itself: nothing can change it."""
        return self


def csr_tensor(start: Tensor, column: Tensor, value: Tensor, size: tuple[int, int]) -> Tensor:
    """A `torch.sparse_csr` matrix of parts that fit together: they are not checked.

    Without being told each time that torch has them in beta.

    Args:
        start: where every row begins, one more than there are rows.
        column: of every entry.
        value: of every entry.
        size: rows and columns.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(start, column, value, size, check_invariants=False)


@operator("sparse_project", _SHOWN)
def _project(
    weight: Tensor,
    row_offset: Tensor,
    column: Tensor,
    value: Tensor,
    band_offset: Tensor,
    band_row: Tensor,
    band_value: Tensor,
    heads: int,
    p: float,
    seed: Tensor | None,
) -> Tensor:
    rows = (array(row_offset), array(column), array(value))
    out = _core.sparse_project(*rows, array(weight), heads, p, seed_number(seed))
    return torch.from_numpy(out)


@_project.register_fake
def _project_fake(weight: Tensor, row_offset: Tensor, *_: Any) -> Tensor:
    return weight.new_empty(row_offset.shape[0] - 1, weight.shape[0])


@operator("sparse_project_weight_grad", _SHOWN)
def _weight_gradient(
    gradient: Tensor,
    band_offset: Tensor,
    band_row: Tensor,
    band_value: Tensor,
    seed: Tensor | None,
    num_columns: int,
    heads: int,
    p: float,
) -> Tensor:
    """The gradient of the weight, with the masks of the forward pass: width x num_columns."""
    bands = (array(band_offset), array(band_row), array(band_value))
    out = _core.sparse_project_weight_grad(
        *bands, num_columns, array(gradient), heads, p, seed_number(seed)
    )
    return torch.from_numpy(out)


@_weight_gradient.register_fake
def _weight_gradient_fake(
    gradient: Tensor, offset: Any, row: Any, value: Any, seed: Any, num_columns: int, *_: Any
) -> Tensor:
    return gradient.new_empty(gradient.shape[1], num_columns)


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    weight, _, _, _, *bands, heads, p, seed = inputs
    ctx.options = (weight.shape[1], heads, p)
    ctx.save_for_backward(*bands, seed)


def _differentiate(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
    if not ctx.needs_input_grad[0]:
        return ()
    return (_weight_gradient(gradient, *ctx.saved_tensors, *ctx.options),)


_project.differentiate_with(_differentiate, _save)


def _check(x: Tensor) -> None:
    if not isinstance(x, Tensor) or x.layout != torch.sparse_csr:
        what = x.layout if isinstance(x, Tensor) else type(x).__name__
        raise InputError(f"x is {what}, but sparse features are torch.sparse_csr tensors")
    if x.dim() != 2 or x.values().dim() != 1:
        raise InputError(f"x has shape {tuple(x.shape)}, but features are one plain matrix")
    if x.device.type != "cpu":
        raise InputError(f"x lies on {x.device}, but SparseFeatures are for the CPU; use x.cpu()")
    if x.dtype not in CORE_DTYPES:
        raise InputError(f"x has dtype {x.dtype}, but needs float32 or float64; use x.float()")
