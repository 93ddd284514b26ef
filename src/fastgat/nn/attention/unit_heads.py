"""Heads of unit length, as cosine scores compare them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from fastgat import _core
from fastgat.nn.operator import CORE_DTYPES, Layout, Shown, array, head_groups, operator

_SHOWN = Shown(
    "fastgat's unit heads",
    under_vmap="give it more heads, or use torch.nn.functional.normalize there",
    twice="use torch.nn.functional.normalize, or torch_geometric's layer, where second derivatives "
    "are needed",
)


def unit_heads(value: Tensor) -> Tensor:
    """(nodes, heads, channels), every head divided by its length; zeros stay zeros.

    >>> unit_heads(torch.tensor([[[3.0, 4.0]], [[0.0, 0.0]]])).tolist()
    [[[0.6..., 0.8...]], [[0.0, 0.0]]]
    """
    if not value.is_cpu or value.dtype not in CORE_DTYPES or 0 in value.shape[1:]:
        return torch.nn.functional.normalize(value, dim=-1)
    parts = [_forward(value[:, heads])[0] for heads in head_groups(value.size(1))]
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)


@operator("unit_forward", _SHOWN)
def _forward(value: Tensor) -> tuple[Tensor, Tensor]:
    layout = Layout.whole(value)
    unit, inverse = _core.unit_heads(layout.pack(value), layout.heads, layout.channels)
    return layout.unpack(unit), torch.from_numpy(inverse)


@_forward.register_fake
def _forward_fake(value: Tensor) -> tuple[Tensor, Tensor]:
    layout, nodes = Layout.whole(value), value.shape[0]
    return layout.empty(value, nodes), value.new_empty(nodes, layout.padded_heads)


@operator("unit_backward", _SHOWN)
def _backward(gradient: Tensor, unit: Tensor, inverse: Tensor) -> Tensor:
    layout = Layout.whole(unit)
    packed = (layout.pack(gradient), layout.pack(unit), array(inverse))
    return layout.unpack(_core.unit_heads_gradient(*packed, layout.heads, layout.channels))


@_backward.register_fake
def _backward_fake(gradient: Tensor, unit: Tensor, inverse: Tensor) -> Tensor:
    return Layout.whole(unit).empty(unit, unit.shape[0])


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*output)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None, _: Any) -> tuple[Tensor, ...]:
    return () if gradient is None else (_backward(gradient, *ctx.saved_tensors),)


_forward.differentiate_with(_differentiate, _save)
