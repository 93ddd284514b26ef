"""The three score families: what goes into a logit, and how to attend with it.

Tensors hold all heads; `head(k)` is the part of one. Channels of `value` are what gets summed.
"""

from __future__ import annotations

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

    def head(self, head: int) -> Scores:
        """The same for one head only."""

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

    def head(self, head: int) -> AdditiveScores:
        """The same for one head only."""
        one = slice(head, head + 1)
        return AdditiveScores(
            self.value[:, one],
            self.att_source[one],
            self.negative_slope,
            None if self.att_target is None else self.att_target[one],
            None if self.target_score is None else self.target_score[:, one],
            None if self.term is None else self.term[:, one],
        )

    def attend(self, edges: Edges, **options: Any) -> Tensor:
        """Sum of the values, weighted by attention."""
        return attention.additive_attention(
            self.value, self.att_source, edges, **self._rest(), **options
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

    def head(self, head: int) -> DotScores:
        """The same for one head only."""
        one = slice(head, head + 1)
        return DotScores(self.query[:, one], self.key[:, one], self.value[:, one])

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

    def head(self, head: int) -> GATv2Scores:
        """The same for one head only."""
        one, projection = slice(head, head + 1), self.edge_projection
        if projection is not None:
            projection = projection.reshape(self.att.size(0), -1, projection.size(1))[head]
        return GATv2Scores(
            self.value[:, one],
            self.target[:, one],
            self.att[one],
            self.negative_slope,
            self.edge_attr,
            projection,
        )

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
