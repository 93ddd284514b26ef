"""GATv2 scores: logit_ij = <att, leaky(value_j + target_i + edge_projection edge_attr_ij)>.

The projected attributes are computed where they are needed and not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from fastgat import _core
from fastgat.nn.arcs import SortedArcs
from fastgat.nn.attention.reference import Scores
from fastgat.nn.operator import (
    KernelScores,
    Layout,
    Shown,
    array,
    operator,
    optional_array,
    seed_number,
)

_SHOWN = Shown.attention("fastgat's GATv2 attention")


@dataclass(frozen=True)
class GATv2Scores(KernelScores, Scores):
    """The tensors of one call.

    Args:
        value: what is summed, (num_sources, heads, channels).
        target: (num_targets, heads, channels).
        att: (heads, channels).
        negative_slope: of leaky.
        edge_attr: (arcs, edge channels), with
        edge_projection: (heads * channels, edge channels); or neither.
    """

    value: Tensor
    target: Tensor
    att: Tensor
    negative_slope: float = 0.2
    edge_attr: Tensor | None = None
    edge_projection: Tensor | None = None

    head_axis: ClassVar = {"value": 1, "target": 1, "att": 0, "edge_projection": 0}

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        """The scores of the arcs in plain torch."""
        hidden = self.value[source] + self.target[target]
        if self.edge_attr is not None and self.edge_projection is not None:
            projected = functional.linear(self.edge_attr, self.edge_projection)
            hidden = hidden + projected.reshape(hidden.shape)
        return (functional.leaky_relu(hidden, self.negative_slope) * self.att).sum(-1)

    @property
    def fits_kernel(self) -> bool:
        """Whether leaky is max(x, slope x), as the kernel computes it."""
        return 0 <= self.negative_slope <= 1

    def attend_heads(
        self,
        arcs: SortedArcs,
        head_offset: int,
        weight: Tensor | None,
        dropout: float,
        seed: Tensor | None,
    ) -> Tensor:
        """Run the kernel; see `KernelScores`."""
        inputs = (
            self.value, self.target, self.att, weight, self.edge_attr, self.edge_projection,
        )  # fmt: skip
        rows = arcs.rows(with_ids=weight is not None or self.edge_attr is not None)
        options = (arcs.has_loops, head_offset, self.negative_slope, dropout, seed)
        sums: Tensor = _forward(*inputs, *rows, *options)[0]
        return sums


def _projection_rows(projection: Tensor | None, layout: Layout) -> Any:
    """(heads * channels, edge channels) -> (edge channels, row_size) for the core."""
    if projection is None:
        return None
    return layout.pack(projection.T.reshape(-1, layout.heads, layout.channels))


@operator("gatv2_forward", _SHOWN)
def _forward(
    value: Tensor,
    target: Tensor,
    att: Tensor,
    weight: Tensor | None,
    edge_attr: Tensor | None,
    edge_projection: Tensor | None,
    target_offset: Tensor,
    target_other: Tensor,
    target_id: Tensor | None,
    source_offset: Tensor,
    source_other: Tensor,
    source_id: Tensor | None,
    has_loops: bool,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The sums, and per target and head the highest score and the inverse sum of exponentials."""
    layout = Layout.whole(value)
    out, top, inverse_sum = _core.gatv2_forward(
        array(target_offset), array(target_other), optional_array(target_id), has_loops,
        layout.heads, layout.channels, head_offset, layout.pack(value), layout.pack(target),
        layout.pack_row(att), optional_array(weight), optional_array(edge_attr),
        _projection_rows(edge_projection, layout), slope, dropout, seed_number(seed),
    )  # fmt: skip
    out = out.reshape(-1, layout.heads, layout.channels)
    return torch.from_numpy(out), torch.from_numpy(top), torch.from_numpy(inverse_sum)


@_forward.register_fake
def _forward_fake(value: Tensor, target: Tensor, *_: Any) -> tuple[Tensor, ...]:
    padded = Layout.whole(value).padded_heads
    top, inverse_sum = (value.new_empty(target.shape[0], padded) for _ in range(2))
    return target.new_empty(target.shape), top, inverse_sum


@operator("gatv2_backward", _SHOWN)
def _backward(
    gradient: Tensor,
    value: Tensor,
    target: Tensor,
    att: Tensor,
    weight: Tensor | None,
    edge_attr: Tensor | None,
    edge_projection: Tensor | None,
    target_offset: Tensor,
    target_other: Tensor,
    target_id: Tensor | None,
    source_offset: Tensor,
    source_other: Tensor,
    source_id: Tensor | None,
    seed: Tensor | None,
    out: Tensor,
    top: Tensor,
    inverse_sum: Tensor,
    has_loops: bool,
    head_offset: int,
    slope: float,
    dropout: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of value, target, att, weight, edge_attr and edge_projection."""
    layout = Layout.whole(value)
    flat = (-1, layout.heads * layout.channels)
    of_value, of_target, of_att, of_weight, of_attr, of_projection = _core.gatv2_backward(
        array(target_offset), array(target_other), optional_array(target_id),
        array(source_offset), array(source_other), optional_array(source_id), has_loops,
        layout.heads, layout.channels, head_offset, array(gradient.reshape(flat)),
        array(out.reshape(flat)), layout.pack(value), layout.pack(target), layout.pack_row(att),
        array(top), array(inverse_sum), optional_array(weight), optional_array(edge_attr),
        _projection_rows(edge_projection, layout), slope, dropout, seed_number(seed),
    )  # fmt: skip
    projection = layout.unpack(of_projection).reshape(-1, layout.heads * layout.channels)
    return (
        layout.unpack(of_value), layout.unpack(of_target), layout.unpack_row(of_att),
        torch.from_numpy(of_weight), torch.from_numpy(of_attr),
        projection.T.clone(memory_format=torch.contiguous_format),
    )  # fmt: skip


@_backward.register_fake
def _backward_fake(
    gradient: Any, value: Tensor, target: Tensor, att: Tensor, weight: Tensor | None,
    edge_attr: Tensor | None, edge_projection: Tensor | None, *_: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    layout = Layout.whole(value)
    shape = (layout.heads * layout.channels, 0)
    return (
        layout.empty(value, value.shape[0]), layout.empty(target, target.shape[0]),
        att.new_empty(att.shape), value.new_empty(0 if weight is None else weight.shape[0]),
        value.new_empty((0, 0) if edge_attr is None else edge_attr.shape),
        value.new_empty(shape if edge_projection is None else edge_projection.shape),
    )  # fmt: skip


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *ctx.options, seed = inputs[12:]
    ctx.save_for_backward(*inputs[:12], seed, *output)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if gradient is None:
        return ()
    saved = ctx.saved_tensors
    found = _backward(gradient, *saved, *ctx.options)
    return tuple(None if x is None else g for x, g in zip(saved[:6], found, strict=True))


_forward.differentiate_with(_differentiate, _save)
