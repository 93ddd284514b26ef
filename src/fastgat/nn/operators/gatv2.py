"""GATv2 scores as an operator."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from fastgat import _core
from fastgat.nn.edges import Edges
from fastgat.nn.operator import operator
from fastgat.nn.operators.registration import (
    array,
    edges_of,
    flags_of,
    optional_array,
    register_backward,
    register_forward,
    seed_of,
    tensors,
)
from fastgat.nn.packing import Packing


def gatv2_operator(
    source: Tensor,
    target: Tensor,
    att: Tensor,
    weight: Tensor | None,
    edge_attr: Tensor | None,
    edge_projection: Tensor | None,
    edges: Edges,
    *,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> Tensor:
    """See `fastgat.nn.attention.gatv2_attention`; at most 16 heads."""
    out: Tensor = _forward(
        source, target, att, weight, edge_attr, edge_projection, edges.key, flags_of(edges),
        head_offset, slope, dropout, seed,
    )[0]  # fmt: skip
    return out


def _packing(source: Tensor) -> Packing:
    return Packing(source.shape[1], source.shape[2], allows_half=False)


def _projection_rows(projection: Tensor | None, packing: Packing) -> Any:
    """(heads * channels, edge_dim) -> (edge_dim, row_size) for the core."""
    if projection is None:
        return None
    return array(packing.pack(projection.T.reshape(-1, packing.heads, packing.channels)))


@operator("fastgat::gatv2_forward")
def _forward(
    source: Tensor,
    target: Tensor,
    att: Tensor,
    weight: Tensor | None,
    edge_attr: Tensor | None,
    edge_projection: Tensor | None,
    key: Tensor,
    flags: int,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    packing = _packing(source)
    arcs = edges_of(key, len(source), len(target), flags).arcs(
        with_ids=weight is not None or edge_attr is not None
    )
    out, top, inverse_sum = tensors(
        _core.gatv2_forward(
            arcs, packing.heads, packing.channels, head_offset, array(packing.pack(source)),
            array(packing.pack(target)), array(packing.pack(att[None])[0]),
            optional_array(weight), optional_array(edge_attr),
            _projection_rows(edge_projection, packing), slope, dropout, seed_of(seed),
        )
    )  # fmt: skip
    return out.view(len(target), packing.heads, packing.channels), top, inverse_sum


@_forward.register_fake
def _forward_fake(
    source: Tensor, target: Tensor, att: Any, weight: Any, edge_attr: Any, edge_projection: Any,
    key: Any, flags: int, head_offset: int, slope: float, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    padded = _packing(source).padded_heads
    top, inverse_sum = (source.new_empty(target.shape[0], padded) for _ in range(2))
    return target.new_empty(target.shape), top, inverse_sum


@operator("fastgat::gatv2_backward")
def _backward(
    gradient: Tensor,
    source: Tensor,
    target: Tensor,
    att: Tensor,
    weight: Tensor | None,
    edge_attr: Tensor | None,
    edge_projection: Tensor | None,
    key: Tensor,
    out: Tensor,
    top: Tensor,
    inverse_sum: Tensor,
    flags: int,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    packing = _packing(source)
    flat = (len(target), packing.heads * packing.channels)
    arcs = edges_of(key, len(source), len(target), flags).arcs(
        with_ids=weight is not None or edge_attr is not None
    )
    of_source, of_target, of_att, of_weight, of_attr, of_projection = tensors(
        _core.gatv2_backward(
            arcs, packing.heads, packing.channels, head_offset, array(gradient.reshape(flat)),
            array(out.reshape(flat)), array(packing.pack(source)), array(packing.pack(target)),
            array(packing.pack(att[None])[0]), array(top), array(inverse_sum),
            optional_array(weight), optional_array(edge_attr),
            _projection_rows(edge_projection, packing), slope, dropout, seed_of(seed),
        )
    )  # fmt: skip
    projection = packing.unpack(of_projection).reshape(-1, packing.heads * packing.channels)
    return (
        packing.unpack(of_source), packing.unpack(of_target), packing.unpack(of_att[None])[0],
        of_weight, of_attr, projection.T.contiguous(),
    )  # fmt: skip


@_backward.register_fake
def _backward_fake(
    gradient: Any, source: Tensor, target: Tensor, att: Tensor, weight: Tensor | None,
    edge_attr: Tensor | None, edge_projection: Tensor | None, key: Any, out: Any, top: Any,
    inverse_sum: Any, flags: int, head_offset: int, slope: float, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    packing = _packing(source)
    rows = [packing.unpack(x.new_empty(x.shape[0], packing.row_size)) for x in (source, target)]
    return (
        *rows, packing.unpack(att.new_empty(1, packing.row_size))[0],
        source.new_empty(0 if weight is None else weight.shape[0]),
        source.new_empty((0, 0) if edge_attr is None else edge_attr.shape),
        source.new_empty((packing.heads * packing.channels, 0) if edge_projection is None
                         else edge_projection.shape),
    )  # fmt: skip


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *differentiable, key, flags, head_offset, slope, dropout, seed = inputs
    ctx.save_for_backward(*differentiable, key, seed, *output)
    ctx.key = key  # itself, which holds the arcs: hooks on saved tensors may hand back a copy
    ctx.options = (flags, head_offset, slope, dropout)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
    *inputs, _, seed, out, top, inverse_sum = ctx.saved_tensors
    if gradients[0] is None:
        return (None,) * 12
    found = _backward(gradients[0], *inputs, ctx.key, out, top, inverse_sum, *ctx.options, seed)
    return (
        *(None if x is None else gradient for x, gradient in zip(inputs, found, strict=True)),
        *(None,) * 6,
    )


_forward.register_gradient(_differentiate, _save)
register_forward(_forward, "fastgat's GATv2 attention")
register_backward(_backward, "fastgat's GATv2 attention")
