"""Dot-product scores (cosine, GaAN) as an operator."""

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


def dot_operator(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
    edges: Edges,
    *,
    head_offset: int,
    dropout: float,
    seed: Tensor | None,
) -> Tensor:
    """See `fastgat.nn.attention.dot_attention`; at most 16 heads."""
    out: Tensor = _forward(
        query, key, value, weight, edges.key, flags_of(edges), head_offset, dropout, seed
    )[0]
    return out


def _packings(query: Tensor, value: Tensor) -> tuple[Packing, Packing]:
    heads = query.shape[1]
    return (
        Packing(heads, query.shape[2], allows_half=False),
        Packing(heads, value.shape[2], allows_half=False),
    )


@operator("fastgat::dot_forward")
def _forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
    edge_key: Tensor,
    flags: int,
    head_offset: int,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    scores, values = _packings(query, value)
    arcs = edges_of(edge_key, len(key), len(query), flags).arcs(with_ids=weight is not None)
    out, top, inverse_sum = tensors(
        _core.dot_forward(
            arcs, scores.heads, scores.channels, values.channels, head_offset,
            array(scores.pack(query)), array(scores.pack(key)), array(values.pack(value)),
            optional_array(weight), dropout, seed_of(seed),
        )
    )  # fmt: skip
    return out.view(len(query), values.heads, values.channels), top, inverse_sum


@_forward.register_fake
def _forward_fake(
    query: Tensor, key: Any, value: Tensor, weight: Any, edge_key: Any, flags: int,
    head_offset: int, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    num_targets, heads, _ = query.shape
    padded = _packings(query, value)[0].padded_heads
    top, inverse_sum = (value.new_empty(num_targets, padded) for _ in range(2))
    return value.new_empty(num_targets, heads, value.shape[2]), top, inverse_sum


@operator("fastgat::dot_backward")
def _backward(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
    edge_key: Tensor,
    out: Tensor,
    top: Tensor,
    inverse_sum: Tensor,
    flags: int,
    head_offset: int,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, values = _packings(query, value)
    flat = (len(query), values.heads * values.channels)
    arcs = edges_of(edge_key, len(key), len(query), flags).arcs(with_ids=weight is not None)
    of_query, of_key, of_value, of_weight = tensors(
        _core.dot_backward(
            arcs, scores.heads, scores.channels, values.channels, head_offset,
            array(gradient.reshape(flat)), array(out.reshape(flat)), array(scores.pack(query)),
            array(scores.pack(key)), array(values.pack(value)), array(top), array(inverse_sum),
            optional_array(weight), dropout, seed_of(seed),
        )
    )  # fmt: skip
    return scores.unpack(of_query), scores.unpack(of_key), values.unpack(of_value), of_weight


@_backward.register_fake
def _backward_fake(
    gradient: Any, query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, edge_key: Any,
    out: Any, top: Any, inverse_sum: Any, flags: int, head_offset: int, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    scores, values = _packings(query, value)
    return (
        scores.unpack(query.new_empty(query.shape[0], scores.row_size)),
        scores.unpack(key.new_empty(key.shape[0], scores.row_size)),
        values.unpack(value.new_empty(value.shape[0], values.row_size)),
        value.new_empty(0 if weight is None else weight.shape[0]),
    )


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    query, key, value, weight, edge_key, *options, seed = inputs
    ctx.save_for_backward(query, key, value, weight, edge_key, seed, *output)
    ctx.edge_key = edge_key  # itself, which holds the arcs: hooks may hand back a copy
    ctx.options = options
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
    query, key, value, weight, _, seed, *state = ctx.saved_tensors
    if gradients[0] is None:
        return (None,) * 9
    *of_rows, of_weight = _backward(
        gradients[0], query, key, value, weight, ctx.edge_key, *state, *ctx.options, seed
    )
    return (*of_rows, None if weight is None else of_weight, *(None,) * 5)


_forward.register_gradient(_differentiate, _save)
register_forward(_forward, "fastgat's dot-product attention")
register_backward(_backward, "fastgat's dot-product attention")
