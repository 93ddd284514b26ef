"""Dropout that is parallel on the CPU and stores no mask."""

from __future__ import annotations

from typing import Any, overload

import torch
from torch import Tensor, nn

from fastgat import _core
from fastgat.check import InputError, check_between
from fastgat.nn.operator import operator
from fastgat.nn.refusals import refuse_vmap
from fastgat.nn.sparse_features import SparseFeatures

_FAST = (torch.float32, torch.float64)


def draw_seed() -> Tensor:
    """A fresh seed for masks, from torch's own generator."""
    return torch.randint(2**63 - 1, (1,))


def check_mask_seed(seed: Tensor | None) -> None:
    """Refuse what is not one whole number in a tensor, or None."""
    if seed is None:
        return
    if not isinstance(seed, Tensor):
        raise InputError(f"seed={seed!r} must be an int64 tensor of one entry")
    if seed.dtype != torch.int64 or seed.numel() != 1:
        raise InputError(
            f"seed has dtype {seed.dtype} and {seed.numel()} entries, but needs one of int64; "
            "draw_seed() makes one"
        )


def seed_number(seed: Tensor) -> int:
    """The 64 bits of a seed as the core takes them."""
    return int(seed.item()) % 2**64


@overload
def dropout(
    x: SparseFeatures, p: float = 0.5, training: bool = True, seed: Tensor | None = None
) -> SparseFeatures: ...
@overload
def dropout(
    x: Tensor, p: float = 0.5, training: bool = True, seed: Tensor | None = None
) -> Tensor: ...
def dropout(
    x: Tensor | SparseFeatures, p: float = 0.5, training: bool = True, seed: Tensor | None = None
) -> Tensor | SparseFeatures:
    """Set values of `x` to zero with probability `p` and scale the others to keep the mean.

    The mask depends on `seed`, an int64 tensor of one entry, and on a value's place in memory
    alone. Of a `torch.sparse_csr` tensor the stored values are dropped; of SparseFeatures too, but
    only in the product they go into, without a copy. What does not lie on the CPU in single or
    double precision goes to torch's own dropout, which has its own seed.
    """
    check_between("p", p, 0, 1, closed=True)
    if not isinstance(x, Tensor | SparseFeatures):
        raise InputError(f"x is {type(x).__name__}, but dropout needs a tensor")
    check_mask_seed(seed)
    if not training or p == 0:
        return x
    if isinstance(x, SparseFeatures):
        return x.drop(p, draw_seed() if seed is None else seed)
    if x.layout == torch.sparse_csr:
        values = dropout(x.values(), p, seed=seed)
        return torch.sparse_csr_tensor(
            x.crow_indices(), x.col_indices(), values, x.shape, check_invariants=False
        )
    if x.device.type != "cpu" or x.dtype not in _FAST or x.layout != torch.strided:
        return nn.functional.dropout(x, p)
    seed = draw_seed() if seed is None else seed
    # A permuted tensor keeps its order in memory: its dimensions are taken by falling stride.
    order = sorted(range(x.dim()), key=x.stride, reverse=True)
    if not x.is_contiguous() and x.permute(order).is_contiguous():
        back = [order.index(i) for i in range(x.dim())]
        permuted: Tensor = dropout_op(x.permute(order), p, seed)
        return permuted.permute(back)
    dropped: Tensor = dropout_op(x, p, seed)
    return dropped


class Dropout(nn.Module):
    """`torch.nn.Dropout`, parallel on the CPU and without a stored mask."""

    def __init__(self, p: float = 0.5) -> None:
        """Drop with probability `p` while training."""
        super().__init__()
        self.p = check_between("p", p, 0, 1, closed=True)

    def forward(self, x: Any) -> Any:
        """Return `x` with some values set to zero and the others scaled, while training."""
        return dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        """Show the probability."""
        return f"p={self.p}"


@operator(
    "fastgat::dropout",
    device_types="cpu",
    schema="(Tensor x, float p, Tensor seed) -> Tensor",
)
def dropout_op(x: Tensor, p: float, seed: Tensor) -> Tensor:
    """Dropout of all values in their logical order; the result is contiguous."""
    values = x.detach().contiguous().view(-1).numpy()
    return torch.from_numpy(_core.dropout(values, p, seed_number(seed))).view(x.shape)


@dropout_op.register_fake
def _(x: Tensor, p: float, seed: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx: Any, inputs: tuple[Tensor, float, Tensor], output: Tensor) -> None:
    _, ctx.p, seed = inputs
    ctx.save_for_backward(seed)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    (seed,) = ctx.saved_tensors
    return dropout_op(grad, ctx.p, seed), None, None


dropout_op.register_gradient(_backward, _remember)
refuse_vmap(dropout_op, "fastgat.dropout")
