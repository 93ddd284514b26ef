"""Keep distances, or only connections: spanners and spanning forests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, Progress, check_count, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import DrawnArcs, SparsifiedGraph, subgraph
from fastgat.sparsify.draws import whole_arcs
from fastgat.sparsify.edge_rows import EdgeRows
from fastgat.spectral import Cache

BLOCK = 2**22  # arcs looked at together: bounds the memory of a round


@dataclass(frozen=True)
class SpanningForestSparsifier:
    """A spanning tree of every component, of greatest weight (Kruskal 1956), equal ones at random.

    It has as many edges as there are nodes minus components; there is no `keep`. With `keep`, a
    `ScoreSparsifier` with `spanning_forest=True` has a forest and more. The cost is that of sorting
    the edges.
    """

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> SpanningForestDraws:
        """Nothing is computed before a draw.

        Args:
            graph: to draw from; one without edges is refused.
            seed: not used, as the next two.
            cache: not used.
            progress: not used.
        """
        _check_edges(graph)
        return SpanningForestDraws(graph)

    def sparsify(
        self, graph: Graph, seed: int = 0, *, cache: Cache = None, progress: Progress | None = None
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph).draw(seed)`.

        Args:
            graph: to draw from.
            seed: of the draw.
            cache: not used.
            progress: not used.
        """
        return self.prepare(graph).draw(seed)


@dataclass(frozen=True, eq=False)
class SpanningForestDraws:
    """Forests of a `SpanningForestSparsifier`; edges keep their weights."""

    graph: Graph

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Choose anew among forests of equal weight, though not all with the same chance."""
        graph = self.graph
        score = np.empty(graph.num_edges)  # its place among all: no two are equal
        order = _shuffled_order(graph.stored_weight, graph.num_edges, seed)
        score[order] = np.arange(graph.num_edges)
        forest = _core.maximum_spanning_forest(graph.num_nodes, graph.source, graph.target, score)
        return subgraph(graph, forest)

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))


@dataclass(frozen=True)
class SpannerSparsifier:
    """A t-spanner (Baswana, Sen 2007): no distance grows by more than a factor of t = `stretch`.

    The length of an edge is 1 / weight. The stretch says how many edges there are, about
    k n^(1 + 1/k) at most with k = (t + 1) / 2, and there is no `keep`. On a graph with fewer edges
    than that most of them stay. The cost is k sorts of the arcs, vectorised, a block at a time.

    Args:
        stretch: an odd number from 3 on; larger ones keep fewer edges.
    """

    stretch: int = 3

    def __post_init__(self) -> None:
        """Refuse bad options at once; even ones would keep no fewer edges than the odd one less."""
        stretch = check_count("stretch", self.stretch, 3, hint="3 keeps the most edges")
        if stretch % 2 == 0:
            raise InputError(f"stretch={stretch} must be odd, such as {stretch - 1}")
        object.__setattr__(self, "stretch", stretch)

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> SpannerDraws:
        """Sort out the edges of every node.

        Args:
            graph: to draw from; one without edges is refused.
            seed: not used, as the next two.
            cache: not used.
            progress: not used.
        """
        _check_edges(graph)
        rows = EdgeRows.by_score(graph, np.ones(graph.num_edges))
        return SpannerDraws(graph, rows, (self.stretch + 1) // 2)

    def sparsify(
        self, graph: Graph, seed: int = 0, *, cache: Cache = None, progress: Progress | None = None
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph).draw(seed)`.

        Args:
            graph: to draw from.
            seed: of the draw.
            cache: not used.
            progress: not used.
        """
        return self.prepare(graph).draw(seed)


@dataclass(frozen=True, eq=False)
class SpannerDraws:
    """Spanners of a `SpannerSparsifier`; edges keep their weights."""

    graph: Graph
    rows: EdgeRows
    rounds: int

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Sample clusters anew: every node is one at first, and fewer are left after a round.

        In a round every cluster is sampled with chance n^(-1/k). A node outside the sampled ones
        joins the nearest of them and keeps that edge and the shortest edge to every cluster that
        is nearer; a node next to none keeps the shortest edge to every cluster, and is done. In
        the last round every node keeps the shortest edge to every cluster.
        """
        graph = self.graph
        by_length = _shuffled_order(graph.stored_weight, graph.num_edges, seed)[::-1]
        length = np.empty(graph.num_edges, np.int64)  # its place among all: no two are equal
        length[by_length] = np.arange(graph.num_edges)
        rng = np.random.default_rng([seed, self.rounds])
        cluster = np.arange(graph.num_nodes)  # -1 for nodes that are done
        alive, kept = np.ones(graph.num_edges, bool), np.zeros(graph.num_edges, bool)
        for left in reversed(range(self.rounds)):
            chance = graph.num_nodes ** (-1 / self.rounds) if left else 0
            sampled = rng.random(graph.num_nodes) < chance
            joined = np.where((cluster >= 0) & sampled[cluster], cluster, -1)
            settled = np.zeros(graph.num_edges, bool)
            for edge, node in self._blocks(alive, joined < 0):
                groups = _Groups(node, cluster[self.rows.other_end(edge, node)], length[edge])
                taken, joins = groups.choose(sampled, graph.num_edges)
                kept[by_length[groups.shortest[taken]]] = True
                joined[groups.node[joins]] = groups.cluster[joins]
                settled[edge[groups.members(taken)]] = True
            alive &= ~settled & (joined[graph.source] != joined[graph.target])
            cluster = joined
        return subgraph(graph, np.flatnonzero(kept))

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))

    def _blocks(
        self, alive: NDArray[np.bool_], acts: NDArray[np.bool_]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The edges that are alive of the nodes that act, each with its node; all of a node."""
        offset = self.rows.offset
        bounds = np.searchsorted(offset, np.arange(0, offset[-1], BLOCK), side="right") - 1
        for begin, end in zip(bounds, [*bounds[1:], acts.size], strict=True):
            nodes = begin + np.flatnonzero(acts[begin:end])
            edge, owner = self.rows.of(nodes)
            there = alive[edge]
            if there.any():
                yield edge[there], nodes[owner[there]]


class _Groups:
    """Arcs by node and by the cluster they lead to, with the shortest of every group."""

    def __init__(
        self, node: NDArray[np.int64], cluster: NDArray[np.int64], length: NDArray[np.int64]
    ) -> None:
        key = node * (int(cluster.max()) + 1) + cluster
        self.order = np.argsort(key)
        key = key[self.order]
        start = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
        self.size = np.diff(np.r_[start, key.size])
        self.shortest = np.minimum.reduceat(length[self.order], start)
        self.node, self.cluster = node[self.order[start]], cluster[self.order[start]]

    def choose(
        self, sampled: NDArray[np.bool_], beyond: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The groups no farther than the nearest sampled cluster, and which are that one."""
        nearest = np.full(sampled.size, beyond)
        target = sampled[self.cluster]
        np.minimum.at(nearest, self.node[target], self.shortest[target])
        return self.shortest <= nearest[self.node], self.shortest == nearest[self.node]

    def members(self, groups: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The places of the arcs of some groups."""
        return self.order[np.repeat(groups, self.size)]


def _shuffled_order(weight: NDArray[np.float64] | None, size: int, seed: int) -> NDArray[np.int64]:
    """Edges from the lightest to the heaviest, equal ones at random."""
    chance = np.random.default_rng(check_seed(seed)).permutation(size)
    return chance if weight is None else chance[np.argsort(weight[chance], kind="stable")]


def _check_edges(graph: Graph) -> None:
    if graph.num_edges == 0:
        raise InputError("the graph has no edges: there is nothing to sparsify")
