"""Additive scores (GAT) as an operator."""

from __future__ import annotations

from typing import Any

import torch
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


def additive_operator(
    value: Tensor,
    att_source: Tensor,
    att_target: Tensor | None,
    target_score: Tensor | None,
    weight: Tensor | None,
    term: Tensor | None,
    bias: Tensor | None,
    edges: Edges,
    *,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> Tensor:
    """See `fastgat.nn.attention.additive_attention`; at most 16 heads."""
    inputs = (value, att_source, att_target, target_score, weight, term, bias)
    training = torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in inputs)
    out: Tensor = _forward(
        *inputs, edges.key, edges.num_sources, edges.num_targets, flags_of(edges),
        head_offset, slope, dropout, seed, training,
    )[0]  # fmt: skip
    return out


def _row(packing: Packing, values: Tensor | None) -> Any:
    """(heads, channels) as one packed row for the core."""
    return None if values is None else array(packing.pack(values[None])[0])


@operator("fastgat::additive_forward")
def _forward(
    value: Tensor,
    att_source: Tensor,
    att_target: Tensor | None,
    target_score: Tensor | None,
    weight: Tensor | None,
    term: Tensor | None,
    bias: Tensor | None,
    key: Tensor,
    num_sources: int,
    num_targets: int,
    flags: int,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
    training: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    heads, channels = value.shape[1:]
    packing = Packing(heads, channels)
    rows = array(packing.pack(value))
    att = _row(packing, att_source)
    source_score = _core.head_scores(rows, att, heads, channels)
    if att_target is not None:
        att = _row(packing, att_target)
        target = _core.head_scores(rows, att, heads, channels)
    elif target_score is not None:
        target = array(packing.pad_heads(target_score)).copy()  # is returned: no alias of the input
    else:
        target = array(value.new_zeros(num_targets, packing.padded_heads))
    arcs = edges_of(key, num_sources, num_targets, flags).arcs(
        with_ids=weight is not None or term is not None
    )
    arrays = _core.additive_forward(
        arcs, heads, channels, head_offset, rows, source_score, target, optional_array(weight),
        None if term is None else array(packing.pad_heads(term)), _row(packing, bias), slope,
        dropout, seed_of(seed), training,
    )  # fmt: skip
    kept = (source_score, target) if training else (source_score[:0], target[:0])
    out, top, inverse_sum, sums, positive, share, *scores = tensors((*arrays, *kept))
    out = out.view(num_targets, heads, channels)
    return out, top, inverse_sum, sums, positive, share, scores[0], scores[1]


@_forward.register_fake
def _forward_fake(
    value: Tensor, att_source: Any, att_target: Any, target_score: Any, weight: Any, term: Any,
    bias: Any, key: Any, num_sources: int, num_targets: int, flags: int, head_offset: int,
    slope: float, dropout: float, seed: Any, training: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    heads, channels = value.shape[1:]
    packing = Packing(heads, channels)
    targets = num_targets if training else 0
    top, inverse_sum, share = (value.new_empty(targets, packing.padded_heads) for _ in range(3))
    sums, positive = (value.new_empty(targets, packing.row_size) for _ in range(2))
    target = value.new_empty(targets, packing.padded_heads)
    source = value.new_empty(num_sources if training else 0, packing.padded_heads)
    out = value.new_empty(num_targets, heads, channels)
    return out, top, inverse_sum, sums, positive, share, source, target


@operator("fastgat::additive_backward")
def _backward(
    gradient: Tensor,
    value: Tensor,
    att_source: Tensor,
    att_target: Tensor | None,
    weight: Tensor | None,
    term: Tensor | None,
    key: Tensor,
    top: Tensor,
    inverse_sum: Tensor,
    sums: Tensor,
    positive: Tensor,
    share: Tensor,
    source_score: Tensor,
    target_score: Tensor,
    num_sources: int,
    num_targets: int,
    flags: int,
    head_offset: int,
    slope: float,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    heads, channels = value.shape[1:]
    packing = Packing(heads, channels)
    flat = (num_targets, heads * channels)
    arcs = edges_of(key, num_sources, num_targets, flags).arcs(
        with_ids=weight is not None or term is not None
    )
    value_gradient, att_gradient, target_gradient, weight_gradient, term_gradient, row = tensors(
        _core.additive_backward(
            arcs, heads, channels, head_offset, array(gradient.reshape(flat)),
            array(packing.pack(value)), array(source_score), array(target_score), array(top),
            array(inverse_sum), array(sums), array(positive), array(share),
            _row(packing, att_source), _row(packing, att_target), optional_array(weight),
            None if term is None else array(packing.pad_heads(term)), slope, dropout, seed_of(seed),
        )
    )  # fmt: skip
    source_att, target_att = packing.unpack(att_gradient).contiguous()
    return (
        packing.unpack(value_gradient), source_att, target_att.clone(),
        target_gradient[:, :heads], weight_gradient, term_gradient[:, :heads],
        packing.unpack(row[None])[0].contiguous(),
    )  # fmt: skip


@_backward.register_fake
def _backward_fake(
    gradient: Tensor, value: Tensor, att_source: Tensor, att_target: Any, weight: Tensor | None,
    term: Tensor | None, key: Any, top: Any, inverse_sum: Any, sums: Any, positive: Any, share: Any,
    source_score: Any, target_score: Any, num_sources: int, num_targets: int, flags: int,
    head_offset: int, slope: float, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    heads, channels = value.shape[1:]
    packing = Packing(heads, channels)
    per_target = value.new_empty(num_targets, packing.padded_heads)[:, :heads]
    per_arc = 0 if term is None else term.shape[0]
    return (
        packing.unpack(value.new_empty(num_sources, packing.row_size)),
        value.new_empty(heads, channels), value.new_empty(heads, channels), per_target,
        value.new_empty(0 if weight is None else weight.shape[0]),
        value.new_empty(per_arc, packing.padded_heads)[:, :heads],
        value.new_empty(heads, channels),
    )  # fmt: skip


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    value, att_source, att_target, target_score, weight, term, bias, key, *options = inputs
    *options, seed, _ = options
    ctx.save_for_backward(value, att_source, att_target, weight, term, key, seed, *output[1:])
    ctx.key = key  # itself, which holds the arcs: hooks on saved tensors may hand back a copy
    ctx.options = options
    ctx.has_target_score, ctx.has_bias = target_score is not None, bias is not None
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
    value, att_source, att_target, weight, term, _, seed, *state = ctx.saved_tensors
    none = (None,) * 9
    if gradients[0] is None:
        return (None,) * 7 + none
    inputs = (value, att_source, att_target, weight, term)
    of_value, of_source, of_target, of_score, of_weight, of_term, of_bias = _backward(
        gradients[0], *inputs, ctx.key, *state, *ctx.options, seed
    )
    return (
        of_value,
        of_source,
        None if att_target is None else of_target,
        of_score if ctx.has_target_score else None,
        None if weight is None else of_weight,
        None if term is None else of_term,
        of_bias if ctx.has_bias else None,
        *none,
    )


_forward.register_gradient(_differentiate, _save)
register_forward(_forward, "fastgat's additive attention")
register_backward(_backward, "fastgat's additive attention")
