"""Dot-product scores (cosine, GaAN): logit_ij = <query_i, key_j>, not scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

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

_SHOWN = Shown.attention("fastgat's dot-product attention")


@dataclass(frozen=True)
class DotScores(KernelScores, Scores):
    """The tensors of one call.

    Args:
        query: (num_targets, heads, score channels).
        key: (num_sources, heads, score channels).
        value: what is summed, (num_sources, heads, channels).
    """

    query: Tensor
    key: Tensor
    value: Tensor

    head_axis: ClassVar = {"query": 1, "key": 1, "value": 1}

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        """The scores of the arcs in plain torch."""
        return (self.query[target] * self.key[source]).sum(-1)

    @property
    def fits_kernel(self) -> bool:
        """Whether there are channels to score by."""
        return self.query.shape[2] > 0

    def attend_heads(
        self,
        arcs: SortedArcs,
        head_offset: int,
        weight: Tensor | None,
        dropout: float,
        seed: Tensor | None,
    ) -> Tensor:
        """Run the kernel; see `KernelScores`."""
        rows = arcs.rows(with_ids=weight is not None)
        options = (arcs.has_loops, head_offset, dropout, seed)
        sums: Tensor = _forward(self.query, self.key, self.value, weight, *rows, *options)[0]
        return sums


def _layouts(query: Tensor, value: Tensor) -> tuple[Layout, Layout]:
    heads = query.shape[1]
    return (
        Layout(heads, query.shape[2], allows_half=False),
        Layout(heads, value.shape[2], allows_half=False),
    )


@operator("dot_forward", _SHOWN)
def _forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
    target_offset: Tensor,
    target_other: Tensor,
    target_id: Tensor | None,
    source_offset: Tensor,
    source_other: Tensor,
    source_id: Tensor | None,
    has_loops: bool,
    head_offset: int,
    dropout: float,
    seed: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The sums, and per target and head the highest score and the inverse sum of exponentials."""
    score, sums = _layouts(query, value)
    out, top, inverse_sum = _core.dot_forward(
        array(target_offset), array(target_other), optional_array(target_id), has_loops,
        score.heads, score.channels, sums.channels, head_offset, score.pack(query),
        score.pack(key), sums.pack(value), optional_array(weight), dropout, seed_number(seed),
    )  # fmt: skip
    out = out.reshape(-1, sums.heads, sums.channels)
    return torch.from_numpy(out), torch.from_numpy(top), torch.from_numpy(inverse_sum)


@_forward.register_fake
def _forward_fake(
    query: Tensor, key: Any, value: Tensor, weight: Any, target_offset: Tensor, target_other: Any,
    target_id: Any, source_offset: Any, source_other: Any, source_id: Any, has_loops: bool,
    head_offset: int, dropout: float, seed: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    padded = _layouts(query, value)[1].padded_heads
    num_targets = target_offset.shape[0] - 1
    top, inverse_sum = (value.new_empty(num_targets, padded) for _ in range(2))
    return value.new_empty(num_targets, *value.shape[1:]), top, inverse_sum


@operator("dot_backward", _SHOWN)
def _backward(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
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
    dropout: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Gradients of query, key, value and weight."""
    score, sums = _layouts(query, value)
    flat = (-1, sums.heads * sums.channels)
    of_query, of_key, of_value, of_weight = _core.dot_backward(
        array(target_offset), array(target_other), optional_array(target_id),
        array(source_offset), array(source_other), optional_array(source_id), has_loops,
        score.heads, score.channels, sums.channels, head_offset, array(gradient.reshape(flat)),
        array(out.reshape(flat)), score.pack(query), score.pack(key), sums.pack(value),
        array(top), array(inverse_sum), optional_array(weight), dropout, seed_number(seed),
    )  # fmt: skip
    return (
        score.unpack(of_query), score.unpack(of_key), sums.unpack(of_value),
        torch.from_numpy(of_weight),
    )  # fmt: skip


@_backward.register_fake
def _backward_fake(
    gradient: Any, query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, *_: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    score, sums = _layouts(query, value)
    return (
        score.empty(query, query.shape[0]), score.empty(key, key.shape[0]),
        sums.empty(value, value.shape[0]),
        value.new_empty(0 if weight is None else weight.shape[0]),
    )  # fmt: skip


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *ctx.options, seed = inputs[10:]
    ctx.save_for_backward(*inputs[:10], seed, *output)
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if gradient is None:
        return ()
    saved = ctx.saved_tensors
    *found, of_weight = _backward(gradient, *saved, *ctx.options)
    return *found, None if saved[3] is None else of_weight


_forward.differentiate_with(_differentiate, _save)
