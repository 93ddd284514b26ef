"""Additive scores (GAT): logit_ij = leaky(<value_j, att_source> + s_i + term_ij).

The target score s_i is <value_i, att_target> where sources are targets, or given, or zero.
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

_SHOWN = Shown.attention("fastgat's additive attention")


@dataclass(frozen=True)
class AdditiveScores(KernelScores, Scores):
    """The tensors of one call.

    Args:
        value: what is summed, (num_sources, heads, channels).
        att_source: (heads, channels).
        negative_slope: of leaky.
        att_target: (heads, channels), or
        target_score: (num_targets, heads), or neither.
        term: (arcs, heads), added to the scores.
        bias: (heads, channels), added to every row of the result.
    """

    value: Tensor
    att_source: Tensor
    negative_slope: float = 0.2
    att_target: Tensor | None = None
    target_score: Tensor | None = None
    term: Tensor | None = None
    bias: Tensor | None = None

    head_axis: ClassVar = {
        "value": 1, "att_source": 0, "att_target": 0, "target_score": 1, "term": 1, "bias": 0,
    }  # fmt: skip

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        """The scores of the arcs in plain torch."""
        score = (self.value * self.att_source).sum(-1)[source]
        if self.att_target is not None:
            score = score + (self.value * self.att_target).sum(-1)[target]
        elif self.target_score is not None:
            score = score + self.target_score[target]
        if self.term is not None:
            score = score + self.term
        return functional.leaky_relu(score, self.negative_slope)

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
            self.value, self.att_source, self.att_target, self.target_score, weight, self.term,
            self.bias,
        )  # fmt: skip
        rows = arcs.rows(with_ids=weight is not None or self.term is not None)
        keeps = torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in inputs)
        options = (arcs.has_loops, head_offset, self.negative_slope, dropout, seed, keeps)
        sums: Tensor = _forward(*inputs, *rows, *options)[0]
        return sums


@operator("additive_forward", _SHOWN)
def _forward(
    value: Tensor,
    att_source: Tensor,
    att_target: Tensor | None,
    target_score: Tensor | None,
    weight: Tensor | None,
    term: Tensor | None,
    bias: Tensor | None,
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
    keeps: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The sums and, if it `keeps` them, what backward needs: per node, nothing per arc."""
    heads, channels = value.shape[1:]
    layout = Layout(heads, channels)
    rows = layout.pack(value)
    source = _core.head_scores(rows, layout.pack_row(att_source), heads, channels)
    num_targets = target_offset.shape[0] - 1
    if att_target is not None:
        target = _core.head_scores(rows, layout.pack_row(att_target), heads, channels)
    elif target_score is not None:
        target = layout.pad_heads(target_score).copy()  # is returned: no alias of the input
    else:
        target = array(value.new_zeros(num_targets, layout.padded_heads))
    out, *kept = _core.additive_forward(
        array(target_offset), array(target_other), optional_array(target_id), has_loops,
        heads, channels, head_offset, rows, source, target, optional_array(weight),
        None if term is None else layout.pad_heads(term),
        None if bias is None else layout.pack_row(bias), slope, dropout, seed_number(seed), keeps,
    )  # fmt: skip
    kept += (source, target) if keeps else (source[:0], target[:0])
    sums = torch.from_numpy(out.reshape(num_targets, heads, channels))
    return sums, *map(torch.from_numpy, kept)  # type: ignore[return-value]


@_forward.register_fake
def _forward_fake(
    value: Tensor, att_source: Any, att_target: Any, target_score: Any, weight: Any, term: Any,
    bias: Any, target_offset: Tensor, target_other: Any, target_id: Any, source_offset: Any,
    source_other: Any, source_id: Any, has_loops: bool, head_offset: int, slope: float,
    dropout: float, seed: Any, keeps: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    heads, channels = value.shape[1:]
    layout = Layout(heads, channels)
    num_targets = target_offset.shape[0] - 1
    kept = num_targets if keeps else 0
    top, inverse_sum, share = (value.new_empty(kept, layout.padded_heads) for _ in range(3))
    sums, positive = (value.new_empty(kept, layout.row_size) for _ in range(2))
    source = value.new_empty(value.shape[0] if keeps else 0, layout.padded_heads)
    target = value.new_empty(kept, layout.padded_heads)
    out = value.new_empty(num_targets, heads, channels)
    return out, top, inverse_sum, sums, positive, share, source, target


@operator("additive_backward", _SHOWN)
def _backward(
    gradient: Tensor,
    value: Tensor,
    att_source: Tensor,
    att_target: Tensor | None,
    weight: Tensor | None,
    term: Tensor | None,
    source_offset: Tensor,
    source_other: Tensor,
    source_id: Tensor | None,
    seed: Tensor | None,
    top: Tensor,
    inverse_sum: Tensor,
    sums: Tensor,
    positive: Tensor,
    share: Tensor,
    source_score: Tensor,
    target_score: Tensor,
    has_loops: bool,
    head_offset: int,
    slope: float,
    dropout: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of value, att_source, att_target, target_score, weight, term and bias."""
    heads, channels = value.shape[1:]
    layout = Layout(heads, channels)
    of_value, of_att, of_score, of_weight, of_term, of_bias = _core.additive_backward(
        array(source_offset), array(source_other), optional_array(source_id), has_loops,
        heads, channels, head_offset, array(gradient.reshape(-1, heads * channels)),
        layout.pack(value), array(source_score), array(target_score), array(top),
        array(inverse_sum), array(sums), array(positive), array(share),
        layout.pack_row(att_source),
        None if att_target is None else layout.pack_row(att_target), optional_array(weight),
        None if term is None else layout.pad_heads(term), slope, dropout, seed_number(seed),
    )  # fmt: skip
    return (
        layout.unpack(of_value), layout.unpack_row(of_att[0]), layout.unpack_row(of_att[1]),
        torch.from_numpy(of_score[:, :heads]), torch.from_numpy(of_weight),
        torch.from_numpy(of_term[:, :heads]), layout.unpack_row(of_bias),
    )  # fmt: skip


@_backward.register_fake
def _backward_fake(
    gradient: Tensor, value: Tensor, att_source: Tensor, att_target: Any, weight: Tensor | None,
    term: Tensor | None, source_offset: Any, source_other: Any, source_id: Any, seed: Any, top: Any,
    inverse_sum: Any, sums: Any, positive: Any, share: Any, source_score: Any,
    target_score: Tensor, has_loops: bool, head_offset: int, slope: float, dropout: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    heads, channels = value.shape[1:]
    layout = Layout(heads, channels)
    att = value.new_empty(heads, channels)
    num_terms = 0 if term is None else term.shape[0]
    return (
        layout.empty(value, value.shape[0]), torch.empty_like(att), torch.empty_like(att),
        torch.empty_like(target_score)[:, :heads],
        value.new_empty(0 if weight is None else weight.shape[0]),
        value.new_empty(num_terms, layout.padded_heads)[:, :heads], torch.empty_like(att),
    )  # fmt: skip


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    value, att_source, att_target, _, weight, term, _, *arcs = inputs[:13]
    *ctx.options, seed, _ = inputs[13:]
    ctx.save_for_backward(value, att_source, att_target, weight, term, *arcs[3:], seed, *output[1:])
    ctx.given = tuple(x is not None for x in inputs[:7])
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if gradient is None:
        return ()
    found = _backward(gradient, *ctx.saved_tensors, *ctx.options)
    return tuple(g if given else None for g, given in zip(found, ctx.given, strict=True))


_forward.differentiate_with(_differentiate, _save)
