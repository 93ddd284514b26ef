"""Heads of unit length as an operator."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from fastgat import _core
from fastgat.nn.operator import operator
from fastgat.nn.operators.registration import array, register_backward, register_forward, tensors
from fastgat.nn.packing import Packing


def unit_operator(value: Tensor) -> Tensor:
    """(nodes, heads, channels) divided by the length of every head; at most 16 heads."""
    unit: Tensor = _forward(value)[0]
    return unit


def _packing(value: Tensor) -> Packing:
    return Packing(value.shape[1], value.shape[2], allows_half=False)


@operator("fastgat::unit_forward")
def _forward(value: Tensor) -> tuple[Tensor, Tensor]:
    packing = _packing(value)
    unit, inverse = tensors(
        _core.unit_heads(array(packing.pack(value)), packing.heads, packing.channels)
    )
    return packing.unpack(unit), inverse


@_forward.register_fake
def _forward_fake(value: Tensor) -> tuple[Tensor, Tensor]:
    packing = _packing(value)
    rows = value.new_empty(value.shape[0], packing.row_size)
    return packing.unpack(rows), value.new_empty(value.shape[0], packing.padded_heads)


@operator("fastgat::unit_backward")
def _backward(gradient: Tensor, unit: Tensor, inverse: Tensor) -> Tensor:
    packing = _packing(unit)
    rows = _core.unit_heads_gradient(
        array(packing.pack(gradient)), array(packing.pack(unit)), array(inverse),
        packing.heads, packing.channels,
    )  # fmt: skip
    return packing.unpack(torch.from_numpy(rows))


@_backward.register_fake
def _backward_fake(gradient: Tensor, unit: Tensor, inverse: Tensor) -> Tensor:
    packing = _packing(unit)
    return packing.unpack(unit.new_empty(unit.shape[0], packing.row_size))


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*output)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None, _: Any) -> Tensor | None:
    unit, inverse = ctx.saved_tensors
    found: Tensor | None = None if gradient is None else _backward(gradient, unit, inverse)
    return found


_forward.register_gradient(_differentiate, _save)
register_forward(_forward, "fastgat's unit heads")
register_backward(_backward, "fastgat's unit heads")
