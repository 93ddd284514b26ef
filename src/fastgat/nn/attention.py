"""Attention over the arcs of a graph: the compiled kernels, or plain torch where they do not reach.

Both give the same results; dropout masks agree in distribution only.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fastgat.nn import portable
from fastgat.nn.edges import Edges
from fastgat.nn.operators import additive_operator, dot_operator, gatv2_operator, unit_operator
from fastgat.nn.packing import MOST_HEADS

CORE_DTYPES = (torch.float32, torch.float64)


def additive_attention(
    value: Tensor,
    att_source: Tensor,
    edges: Edges,
    *,
    att_target: Tensor | None = None,
    target_score: Tensor | None = None,
    negative_slope: float = 0.2,
    dropout: float = 0.0,
    seed: Tensor | None = None,
    weight: Tensor | None = None,
    term: Tensor | None = None,
    bias: Tensor | None = None,
) -> Tensor:
    """GAT: logit_ij = leaky(<value_j, att_source> + s_i + term_ij), values `value`.

    s_i is <value_i, att_target> (sources are targets), or `target_score`, or zero. `value` is
    (num_sources, heads, channels), the result (num_targets, heads, channels). `weight` (one per
    arc) multiplies the exponentials: a prior, all ones unless given. `bias` (heads, channels) is
    added to every row of the result.
    """
    if not _reaches_core(value, negative_slope):
        sums = portable.additive_attention(
            value, att_source, edges, att_target=att_target, target_score=target_score,
            negative_slope=negative_slope, dropout=dropout, seed=seed, weight=weight, term=term,
        )  # fmt: skip
        return sums if bias is None else sums + bias
    parts = [
        additive_operator(
            value[:, heads], att_source[heads],
            None if att_target is None else att_target[heads],
            None if target_score is None else target_score[:, heads],
            weight, None if term is None else term[:, heads],
            None if bias is None else bias[heads], edges,
            head_offset=heads.start, slope=negative_slope, dropout=dropout, seed=seed,
        )
        for heads in _head_groups(value)
    ]  # fmt: skip
    return _join(parts)


def dot_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    edges: Edges,
    *,
    dropout: float = 0.0,
    seed: Tensor | None = None,
    weight: Tensor | None = None,
) -> Tensor:
    """Dot products: logit_ij = <query_i, key_j> per head, values `value`."""
    if not _reaches_core(value):
        return portable.dot_attention(
            query, key, value, edges, dropout=dropout, seed=seed, weight=weight
        )
    parts = [
        dot_operator(
            query[:, heads], key[:, heads], value[:, heads], weight, edges,
            head_offset=heads.start, dropout=dropout, seed=seed,
        )
        for heads in _head_groups(value)
    ]  # fmt: skip
    return _join(parts)


def gatv2_attention(
    source: Tensor,
    target: Tensor,
    att: Tensor,
    edges: Edges,
    *,
    negative_slope: float = 0.2,
    dropout: float = 0.0,
    seed: Tensor | None = None,
    weight: Tensor | None = None,
    edge_attr: Tensor | None = None,
    edge_projection: Tensor | None = None,
) -> Tensor:
    """GATv2: logit_ij = <att, leaky(source_j + target_i + edge_projection edge_attr_ij)>.

    Values are `source`. The projected attributes are computed where they are needed and not kept.
    """
    if not _reaches_core(source, negative_slope):
        return portable.gatv2_attention(
            source, target, att, edges, negative_slope=negative_slope, dropout=dropout, seed=seed,
            weight=weight, edge_attr=edge_attr, edge_projection=edge_projection,
        )  # fmt: skip
    channels = source.size(2)
    parts = [
        gatv2_operator(
            source[:, heads], target[:, heads], att[heads], weight, edge_attr,
            None if edge_projection is None
            else edge_projection[heads.start * channels : heads.stop * channels],
            edges, head_offset=heads.start, slope=negative_slope, dropout=dropout, seed=seed,
        )
        for heads in _head_groups(source)
    ]  # fmt: skip
    return _join(parts)


def unit_heads(value: Tensor) -> Tensor:
    """(nodes, heads, channels), every head divided by its length."""
    if not _reaches_core(value):
        return torch.nn.functional.normalize(value, dim=-1)
    return _join([unit_operator(value[:, heads]) for heads in _head_groups(value)])


def _reaches_core(value: Tensor, negative_slope: float = 0.0) -> bool:
    on_cpu = value.device.type == "cpu" and value.dtype in CORE_DTYPES
    return on_cpu and 0 <= negative_slope <= 1 and value.size(1) > 0 and value.size(2) > 0


def _head_groups(value: Tensor) -> list[slice]:
    heads = value.size(1)
    return [slice(i, min(i + MOST_HEADS, heads)) for i in range(0, heads, MOST_HEADS)]


def _join(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)
