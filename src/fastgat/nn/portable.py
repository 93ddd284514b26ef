"""Attention in plain torch: any device, any float dtype, and the oracle of the compiled kernels.

Everything here is per arc, so memory grows with arcs x heads x channels.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from fastgat.nn.arc_dropout import keep_arcs
from fastgat.nn.edges import Edges


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
) -> Tensor:
    """GAT: logit_ij = leaky(<value_j, att_source> + s_i + term_ij), out_i = sum_j a_ij value_j.

    The target score s_i is <value_i, att_target>, or given as `target_score`, or zero.
    """
    alpha = additive_coefficients(
        value,
        att_source,
        edges,
        att_target=att_target,
        target_score=target_score,
        negative_slope=negative_slope,
        dropout=dropout,
        seed=seed,
        weight=weight,
        term=term,
    )
    return weighted_sum(alpha, value, edges)


def additive_coefficients(
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
) -> Tensor:
    """Coefficients of `additive_attention` after dropout: (arcs, heads)."""
    source, target = edges.arc_index()
    logits = (value * att_source).sum(-1)[source]
    if att_target is not None:
        target_score = (value * att_target).sum(-1)
    if target_score is not None:
        logits = logits + target_score[target]
    if term is not None:
        logits = logits + term
    logits = functional.leaky_relu(logits, negative_slope)
    return _coefficients(logits, target, edges.num_targets, weight, dropout, seed)


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
    """Dot products: logit_ij = <query_i, key_j>, not scaled; out_i = sum_j a_ij value_j."""
    alpha = dot_coefficients(query, key, edges, dropout=dropout, seed=seed, weight=weight)
    return weighted_sum(alpha, value, edges)


def dot_coefficients(
    query: Tensor,
    key: Tensor,
    edges: Edges,
    *,
    dropout: float = 0.0,
    seed: Tensor | None = None,
    weight: Tensor | None = None,
) -> Tensor:
    """Coefficients of `dot_attention` after dropout: (arcs, heads)."""
    source, target = edges.arc_index()
    logits = (query[target] * key[source]).sum(-1)
    return _coefficients(logits, target, edges.num_targets, weight, dropout, seed)


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
    """GATv2: logit_ij = <att, leaky(source_j + target_i + P e_ij)>, out_i = sum_j a_ij source_j."""
    alpha = gatv2_coefficients(
        source,
        target,
        att,
        edges,
        negative_slope=negative_slope,
        dropout=dropout,
        seed=seed,
        weight=weight,
        edge_attr=edge_attr,
        edge_projection=edge_projection,
    )
    return weighted_sum(alpha, source, edges)


def gatv2_coefficients(
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
    """Coefficients of `gatv2_attention` after dropout: (arcs, heads)."""
    tail, head = edges.arc_index()
    hidden = source[tail] + target[head]
    if edge_attr is not None and edge_projection is not None:
        hidden = hidden + functional.linear(edge_attr, edge_projection).reshape(hidden.shape)
    logits = (functional.leaky_relu(hidden, negative_slope) * att).sum(-1)
    return _coefficients(logits, head, edges.num_targets, weight, dropout, seed)


def weighted_sum(alpha: Tensor, value: Tensor, edges: Edges) -> Tensor:
    """out_i = sum_j alpha_ij value_j per head: (num_targets, heads, channels)."""
    source, target = edges.arc_index()
    out = value.new_zeros(edges.num_targets, value.size(1), value.size(2))
    return out.index_add(0, target, alpha.unsqueeze(-1) * value[source])


def _coefficients(
    logits: Tensor,
    target: Tensor,
    num_targets: int,
    weight: Tensor | None,
    dropout: float,
    seed: Tensor | None,
) -> Tensor:
    """a_ij = w_ij exp(logit_ij) / sum_j w_ij exp(logit_ij), then dropout."""
    shift = _largest(logits.detach(), target, num_targets, weight)
    exponent = logits - shift[target]
    if weight is None:
        mass = exponent.exp()
    else:
        # Above zero only where w < 1, so w exp(exponent) <= 1, or where w = 0: hence the clamp.
        limit = math.log(torch.finfo(logits.dtype).max) - 1
        mass = weight.unsqueeze(-1) * exponent.clamp(max=limit).exp()
    total = mass.new_zeros(num_targets, mass.size(1)).index_add(0, target, mass)
    empty = total == 0  # a target all of whose arcs have weight zero
    alpha = (mass / total.masked_fill(empty, 1.0)[target]).masked_fill(empty[target], 0.0)
    if dropout == 0.0:
        return alpha
    if dropout == 1.0:
        return torch.zeros_like(alpha)
    return torch.where(keep_arcs(alpha, dropout, seed), alpha / (1.0 - dropout), 0.0)


def _largest(logits: Tensor, target: Tensor, num_targets: int, weight: Tensor | None) -> Tensor:
    """max_j logit_ij + log w_ij, or zero for a target without arcs that count."""
    if weight is not None:
        logits = logits + weight.detach().log().unsqueeze(-1)
    floor = logits.new_full((num_targets, logits.size(1)), -math.inf)
    index = target.unsqueeze(-1).expand_as(logits)
    largest = floor.scatter_reduce(0, index, logits, "amax")
    return largest.masked_fill(largest == -math.inf, 0.0)
