"""Dropout that is parallel on the CPU and stores no mask, alone or after ELU."""

from __future__ import annotations

from typing import Any, overload

import torch
from torch import Tensor, nn

from fastgat import _core
from fastgat.check import InputError, check_between
from fastgat.nn.operator import CORE_DTYPES, Shown, array, operator, seed_number
from fastgat.nn.sparse_features import SparseFeatures, csr_tensor

_DROPOUT = Shown("fastgat.dropout", under_vmap="use torch.nn.functional.dropout there")
_ELU_DROPOUT = Shown(
    "fastgat.elu_dropout",
    under_vmap="use torch.nn.functional.elu and dropout there",
    twice="use fastgat.nn.dropout of torch.nn.functional.elu where second derivatives are needed",
)


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

    The mask depends on `seed` and on a value's place in memory alone. What does not lie on the CPU
    in single or double precision goes to torch's own dropout, which has its own seed.

    Args:
        x: of a `torch.sparse_csr` tensor the stored values are dropped; of SparseFeatures too, but
            only in the product they go into, without a copy.
        p: in [0, 1].
        training: nothing is dropped unless it is true.
        seed: an int64 tensor of one entry; drawn from torch's generator unless given.
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
        return csr_tensor(x.crow_indices(), x.col_indices(), values, (x.shape[0], x.shape[1]))
    if not x.is_cpu or x.dtype not in CORE_DTYPES or x.layout != torch.strided:
        return nn.functional.dropout(x, p)
    seed = draw_seed() if seed is None else seed
    # A permuted tensor keeps its order in memory: its dimensions are taken by falling stride.
    order = sorted(range(x.dim()), key=x.stride, reverse=True)
    if not x.is_contiguous() and x.permute(order).is_contiguous():
        back = [order.index(i) for i in range(x.dim())]
        permuted: Tensor = _dropout(x.permute(order), p, seed)
        return permuted.permute(back)
    dropped: Tensor = _dropout(x, p, seed)
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


def elu_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, seed: Tensor | None = None
) -> Tensor:
    """Return `dropout(elu(x), p)`, what lies between two layers; only `x` is kept for backward.

    Args:
        x: any tensor; contiguous ones on the CPU take one pass.
        p: in [0, 1].
        training: nothing is dropped unless it is true.
        seed: an int64 tensor of one entry; drawn from torch's generator unless given.

    >>> elu_dropout(torch.tensor([-1.0, 2.0]), training=False)
    tensor([-0.6321,  2.0000])
    """
    check_between("p", p, 0, 1, closed=True)
    check_mask_seed(seed)
    if (
        not x.is_cpu
        or x.dtype not in CORE_DTYPES
        or not x.is_contiguous()
        or not training
        or p == 0
    ):
        return dropout(nn.functional.elu(x), p, training, seed)
    result: Tensor = _elu_dropout(x, p, draw_seed() if seed is None else seed)
    return result


@operator("dropout", _DROPOUT)
def _dropout(x: Tensor, p: float, seed: Tensor) -> Tensor:
    """All values in their logical order; the result is contiguous."""
    dropped = _core.dropout(array(x).reshape(-1), p, seed_number(seed))
    return torch.from_numpy(dropped.reshape(x.shape))


@operator("elu_dropout", _ELU_DROPOUT)
def _elu_dropout(x: Tensor, p: float, seed: Tensor) -> Tensor:
    dropped = _core.elu_dropout(array(x).reshape(-1), None, p, seed_number(seed))
    return torch.from_numpy(dropped.reshape(x.shape))


@operator("elu_dropout_backward", _ELU_DROPOUT)
def _elu_dropout_backward(x: Tensor, gradient: Tensor, p: float, seed: Tensor) -> Tensor:
    """The gradient of `x`, with the masks of the forward pass."""
    values, slopes = array(x).reshape(-1), array(gradient).reshape(-1)
    found = _core.elu_dropout(values, slopes, p, seed_number(seed))
    return torch.from_numpy(found.reshape(x.shape))


@_dropout.register_fake
@_elu_dropout.register_fake
@_elu_dropout_backward.register_fake
def _fake(x: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _save_seed(ctx: Any, inputs: tuple[Tensor, float, Tensor], output: Tensor) -> None:
    _, ctx.p, seed = inputs
    ctx.save_for_backward(seed)


def _drop_gradient(ctx: Any, gradient: Tensor) -> tuple[Tensor]:
    (seed,) = ctx.saved_tensors
    return (_dropout(gradient, ctx.p, seed),)


def _save_input(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.p, seed = inputs
    ctx.save_for_backward(x, seed)


def _elu_dropout_gradient(ctx: Any, gradient: Tensor) -> tuple[Tensor]:
    x, seed = ctx.saved_tensors
    return (_elu_dropout_backward(x, gradient, ctx.p, seed),)


_dropout.differentiate_with(_drop_gradient, _save_seed)
_elu_dropout.differentiate_with(_elu_dropout_gradient, _save_input)
