"""The three score families: what goes into a logit, and how to attend with it.

Tensors hold all heads; `split` gives the parts of each. Channels of `value` are what gets summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from fastgat.nn import attention, portable
from fastgat.nn.edges import Edges


class Scores(Protocol):
    """One family, filled with the tensors of one call."""

    @property
    def value(self) -> Tensor:
        """What is summed: (num_sources, heads, channels)."""

    def split(self) -> Sequence[Scores]:
        """The same for every head alone."""

    def attend(self, edges: Edges, **options: Any) -> Tensor:
        """Sum of the values, weighted by attention: (num_targets, heads, channels)."""

    def coefficients(self, edges: Edges, **options: Any) -> Tensor:
        """The attention itself: (arcs, heads)."""


@dataclass(frozen=True)
class AdditiveScores:
    """GAT: leaky(<value_j, att_source> + s_i + term_ij), with s_i from att_target or given."""

    value: Tensor
    att_source: Tensor
    negative_slope: float
    att_target: Tensor | None = None
    target_score: Tensor | None = None
    term: Tensor | None = None
    bias: Tensor | None = None  # (heads, channels), added to the sums of one graph for all heads

    def split(self) -> list[AdditiveScores]:
        """The same for every head alone."""
        heads = self.value.size(1)
        return [
            AdditiveScores(value, att_source, self.negative_slope, att_target, target_score, term)
            for value, att_source, att_target, target_score, term in zip(
                _by_head(self.value),
                self.att_source.chunk(heads),
                _parts(self.att_target, 0, heads),
                _parts(self.target_score, 1, heads),
                _parts(self.term, 1, heads),
                strict=True,
            )
        ]

    def attend(self, edges: Edges, **options: Any) -> Tensor:
        """Sum of the values, weighted by attention."""
        return attention.additive_attention(
            self.value, self.att_source, edges, bias=self.bias, **self._rest(), **options
        )

    def coefficients(self, edges: Edges, **options: Any) -> Tensor:
        """The attention itself."""
        return portable.additive_coefficients(
            self.value, self.att_source, edges, **self._rest(), **options
        )

    def _rest(self) -> dict[str, Any]:
        return {
            "att_target": self.att_target,
            "target_score": self.target_score,
            "negative_slope": self.negative_slope,
            "term": self.term,
        }


@dataclass(frozen=True)
class DotScores:
    """Dot products: <query_i, key_j>."""

    query: Tensor
    key: Tensor
    value: Tensor

    def split(self) -> list[DotScores]:
        """The same for every head alone."""
        parts = (_by_head(self.query), _by_head(self.key), _by_head(self.value))
        return [DotScores(*part) for part in zip(*parts, strict=True)]

    def attend(self, edges: Edges, **options: Any) -> Tensor:
        """Sum of the values, weighted by attention."""
        return attention.dot_attention(self.query, self.key, self.value, edges, **options)

    def coefficients(self, edges: Edges, **options: Any) -> Tensor:
        """The attention itself."""
        return portable.dot_coefficients(self.query, self.key, edges, **options)


@dataclass(frozen=True)
class GATv2Scores:
    """GATv2: <att, leaky(value_j + target_i + edge_projection edge_attr_ij)>."""

    value: Tensor
    target: Tensor
    att: Tensor
    negative_slope: float
    edge_attr: Tensor | None = None
    edge_projection: Tensor | None = None

    def split(self) -> list[GATv2Scores]:
        """The same for every head alone."""
        heads, projection = self.att.size(0), self.edge_projection
        return [
            GATv2Scores(value, target, att, self.negative_slope, self.edge_attr, part)
            for value, target, att, part in zip(
                _by_head(self.value),
                _by_head(self.target),
                self.att.chunk(heads),
                [None] * heads if projection is None else projection.chunk(heads),
                strict=True,
            )
        ]

    def attend(self, edges: Edges, **options: Any) -> Tensor:
        """Sum of the values, weighted by attention."""
        return attention.gatv2_attention(
            self.value, self.target, self.att, edges, **self._rest(), **options
        )

    def coefficients(self, edges: Edges, **options: Any) -> Tensor:
        """The attention itself."""
        return portable.gatv2_coefficients(
            self.value, self.target, self.att, edges, **self._rest(), **options
        )

    def _rest(self) -> dict[str, Any]:
        return {
            "negative_slope": self.negative_slope,
            "edge_attr": self.edge_attr,
            "edge_projection": self.edge_projection,
        }


def _by_head(values: Tensor) -> list[Tensor]:
    """(nodes, heads, channels) -> one (nodes, 1, channels) per head, each in one piece."""
    return [part.unsqueeze(1) for part in values.transpose(0, 1).contiguous().unbind(0)]


def _parts(values: Tensor | None, dim: int, heads: int) -> Sequence[Tensor | None]:
    return [None] * heads if values is None else values.chunk(heads, dim)
