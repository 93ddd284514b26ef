"""Draws by a probability per edge: with replacement, or independently of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import DrawnArcs, PreparedSparsifier, SparsifiedGraph, subgraph


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


@dataclass(frozen=True, eq=False)
class BestEdges:
    """The edges of highest score, equal ones at random; they keep their weights."""

    graph: Graph
    score: NDArray[np.float64]
    count: int  # besides those of `always`
    always: NDArray[np.int64] | None = None  # edges kept whatever their score

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Choose anew among equals."""
        score = self.score
        if self.always is not None:
            score = score.copy()
            score[self.always] = np.inf
        chance = np.random.default_rng(check_seed(seed)).permutation(score.size)
        order = np.lexsort((chance, -score))
        more = 0 if self.always is None else self.always.size
        return subgraph(self.graph, order[: self.count + more])

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))


def whole_arcs(graph: Graph) -> DrawnArcs:
    """Every arc of a graph, in the form of a draw."""
    return graph.adjacency.offset.copy(), graph.adjacency.neighbor.copy()


def draw_graph(prepared: PreparedSparsifier, seed: int = 0) -> SparsifiedGraph:
    """The graph of `prepared.draw(seed)`; a sparsifier from elsewhere may have given anything."""
    drawn: object = prepared.draw(seed)
    if not isinstance(drawn, SparsifiedGraph):
        raise InputError(
            f"draw of {type(prepared).__name__} returns a {type(drawn).__name__}, but must return "
            "a SparsifiedGraph; fastgat.sparsify.subgraph(graph, edges) makes one"
        )
    return drawn


def draw_arcs(prepared: PreparedSparsifier, seed: int = 0) -> DrawnArcs:
    """The graph of `prepared.draw(seed)` as attention reads it, at once where it knows how."""
    at_once = getattr(prepared, "draw_arcs", None)
    drawn: DrawnArcs = whole_arcs(prepared.draw(seed)) if at_once is None else at_once(seed)
    return drawn
