"""ELU and dropout in one pass: what lies between two attention layers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from fastgat import _core
from fastgat.check import check_between
from fastgat.nn.dropout import check_mask_seed, draw_seed, dropout, seed_number
from fastgat.nn.operator import operator
from fastgat.nn.refusals import refuse_second_derivative, refuse_vmap


def elu_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, seed: Tensor | None = None
) -> Tensor:
    """Return `dropout(elu(x), p)`; only `x` is kept for the backward pass.

    >>> elu_dropout(torch.tensor([-1.0, 2.0]), training=False)
    tensor([-0.6321,  2.0000])
    """
    check_between("p", p, 0, 1, closed=True)
    check_mask_seed(seed)
    fast = x.device.type == "cpu" and x.dtype in (torch.float32, torch.float64)
    if not fast or not x.is_contiguous() or not training or p == 0:
        return dropout(functional.elu(x), p, training, seed)
    result: Tensor = elu_dropout_op(x, p, draw_seed() if seed is None else seed)
    return result


@operator("fastgat::elu_dropout")
def elu_dropout_op(x: Tensor, p: float, seed: Tensor) -> Tensor:
    """ELU, then dropout, of a contiguous tensor."""
    values = x.detach().contiguous().view(-1).numpy()
    return torch.from_numpy(_core.elu_dropout(values, None, p, seed_number(seed))).view(x.shape)


@operator("fastgat::elu_dropout_backward")
def elu_dropout_backward(x: Tensor, gradient: Tensor, p: float, seed: Tensor) -> Tensor:
    """The gradient of `x`, with the masks of the forward pass."""
    values, slopes = (t.detach().contiguous().view(-1).numpy() for t in (x, gradient))
    return torch.from_numpy(_core.elu_dropout(values, slopes, p, seed_number(seed))).view(x.shape)


@elu_dropout_op.register_fake
def _(x: Tensor, p: float, seed: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@elu_dropout_backward.register_fake
def _(x: Tensor, gradient: Tensor, p: float, seed: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.p, seed = inputs
    ctx.save_for_backward(x, seed)


def _differentiate(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
    x, seed = ctx.saved_tensors
    return elu_dropout_backward(x, gradient, ctx.p, seed), None, None


elu_dropout_op.register_gradient(_differentiate, _save)
refuse_second_derivative(elu_dropout_backward, "fastgat.elu_dropout")
for _op in (elu_dropout_op, elu_dropout_backward):
    refuse_vmap(_op, "fastgat.elu_dropout")
