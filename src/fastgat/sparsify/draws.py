"""Draws by a probability per edge: with replacement, or independently of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import SparsifiedGraph, subgraph

if TYPE_CHECKING:
    from fastgat.sparsify.contract import DrawnArcs


@dataclass(frozen=True, eq=False)
class ReplacementDraws:
    """q draws with replacement in proportion to `score`; weight = count * w / (q p)."""

    graph: Graph
    score: NDArray[np.float64]
    num_draws: int
    always: NDArray[np.uint8] | None = None  # edges kept besides, with their own weight
    num_isolated: int = 0

    @cached_property
    def table(self) -> _core.AliasTable | None:
        """Look-up table of the distribution; None if there is nothing to draw."""
        return _core.AliasTable(self.score) if self.score.any() else None

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Draw q edges; repeated draws add up in the weight."""
        check_seed(seed)
        graph = self.graph
        if self.table is None:
            return subgraph(graph, np.arange(graph.num_edges))
        edge_id, source, target, weight = _core.draw_with_replacement(
            graph.source, graph.target, graph.stored_weight,
            self.table, self.score, self.always, self.num_draws, seed,
        )  # fmt: skip
        return SparsifiedGraph(
            graph.num_nodes, source, target, weight, names=graph.names,
            edge_id=edge_id, num_draws=self.num_draws, num_isolated_before=self.num_isolated,
        )  # fmt: skip

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        check_seed(seed)
        if self.table is None:
            return whole_arcs(self.graph)
        return self._arc_draws.with_replacement(self.table, self.always, self.num_draws, seed)

    @cached_property
    def _arc_draws(self) -> _core.ArcDraws:
        return _core.ArcDraws(self.graph.adjacency)


@dataclass(frozen=True, eq=False)
class IndependentDraws:
    """Bernoulli sampling: every edge on its own with its probability; weight = w / probability."""

    graph: Graph
    probability: NDArray[np.float64]
    num_isolated: int = 0

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Keep or leave every edge on its own."""
        check_seed(seed)
        graph = self.graph
        edge_id, source, target, weight = _core.draw_independently(
            graph.source, graph.target, graph.stored_weight, self.probability, seed
        )
        return SparsifiedGraph(
            graph.num_nodes, source, target, weight, names=graph.names,
            edge_id=edge_id, num_isolated_before=self.num_isolated,
        )  # fmt: skip

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        check_seed(seed)
        return self._arc_draws.independently(self.probability, seed)

    @cached_property
    def _arc_draws(self) -> _core.ArcDraws:
        return _core.ArcDraws(self.graph.adjacency)


def whole_arcs(graph: Graph) -> DrawnArcs:
    """Every arc of a graph, in the form of a draw."""
    return _core.Arcs.from_adjacency(graph.adjacency)
