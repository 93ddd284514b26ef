"""Keep edges to neighbours that have many neighbours themselves: local degree and rank degree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, Progress, check_between, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import DrawnArcs, SparsifiedGraph, subgraph
from fastgat.sparsify.density import check_density, count_of, paper_draws
from fastgat.sparsify.draws import whole_arcs
from fastgat.sparsify.edge_rows import EdgeRows
from fastgat.sparsify.neighbourhood import exponent_score
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.spectral import Cache


@dataclass(frozen=True)
class LocalDegreeSparsifier(ScoreSparsifier):
    """Local degree (Hamann et al. 2016): every node keeps the edges to its largest neighbours.

    A node of d neighbours keeps the floor(d^e) that have most neighbours, equal ones at random; an
    edge stays if either end keeps it. `keep` is the number of edges, which sets e. Hubs and the
    way to them stay, so distances do.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
    """

    sampling: Sampling = "best"

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """One minus the least e at which an end keeps the edge.

        Args:
            graph: the result is aligned with its edges.
            seed: of the order of equal neighbours.
            cache: not used.
            progress: not used.
        """
        ranks = _core.rank_edges(graph.adjacency, _neighbours_of_both(graph), True, seed)
        return exponent_score(graph, ranks)


@dataclass(frozen=True)
class RankDegreeSparsifier:
    """Rank degree (Voudigari et al. 2016): a walk from hub to hub.

    From random nodes on, every node of a round takes the edges to the neighbours that have most
    neighbours themselves, a share of those not taken yet; they are the nodes of the next round. If
    none has an edge left, the walk starts anew. A draw costs a visit to every edge of every node
    of a round: about keep * num_edges / neighbor_fraction visits, vectorised over a round.

    Args:
        epsilon: density: as many edges as the paper's number of draws; 0.5 unless `keep` is given.
        keep: a fraction or a number of edges, which is met: of the last round, some are drawn.
        neighbor_fraction: the share of its edges that a node takes, at least one: at 0 it is the
            edge to the largest neighbour alone.
        seed_fraction: the share of the nodes that a walk starts from, at least one.
    """

    epsilon: float | None = None
    keep: float | int | None = None
    neighbor_fraction: float = 0.1
    seed_fraction: float = 0.01

    def __post_init__(self) -> None:
        """Refuse bad options at once."""
        epsilon, keep = check_density(self.epsilon, self.keep)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "keep", keep)
        for name in ("neighbor_fraction", "seed_fraction"):
            fraction = check_between(name, getattr(self, name), 0, 1, closed=True)
            object.__setattr__(self, name, fraction)

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> RankDegreeDraws:
        """Sort the edges of every node.

        Args:
            graph: to draw from; one without edges is refused.
            seed: of the order of neighbours that have equally many.
            cache: not used.
            progress: not used.
        """
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        if self.epsilon is not None:
            count = min(paper_draws(graph.num_nodes, self.epsilon), graph.num_edges)
        else:
            assert self.keep is not None
            count = count_of(self.keep, graph.num_edges)
        rows = EdgeRows.by_score(graph, _neighbours_of_both(graph), check_seed(seed))
        return RankDegreeDraws(graph, rows, count, self.neighbor_fraction, self.seed_fraction)

    def sparsify(
        self, graph: Graph, seed: int = 0, *, cache: Cache = None, progress: Progress | None = None
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph, seed=seed).draw(seed)`.

        Args:
            graph: to draw from.
            seed: of the order of equals and of the draw.
            cache: not used, as in `prepare`.
            progress: not used, as in `prepare`.
        """
        return self.prepare(graph, seed=seed).draw(seed)


@dataclass(frozen=True, eq=False)
class RankDegreeDraws:
    """Walks of a `RankDegreeSparsifier`; edges keep their weights."""

    graph: Graph
    rows: EdgeRows  # of every node, to the largest neighbours first
    num_edges: int
    neighbor_fraction: float
    seed_fraction: float

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Walk until there are enough edges."""
        rng = np.random.default_rng(check_seed(seed))
        graph = self.graph
        taken = np.zeros(graph.num_edges, bool)
        left = self.rows.num_neighbours.copy()  # edges of every node not taken yet
        nodes, missing = np.zeros(0, np.int64), self.num_edges
        while missing:
            nodes = nodes[left[nodes] > 0]
            if nodes.size == 0:
                possible = np.flatnonzero(left)
                size = min(max(1, round(self.seed_fraction * graph.num_nodes)), possible.size)
                nodes = rng.choice(possible, size, replace=False)
            edge, node = self._choices(nodes, taken, left)
            chosen = np.unique(edge)
            if chosen.size > missing:
                chosen = rng.choice(chosen, missing, replace=False)
            taken[chosen] = True
            missing -= chosen.size
            ends = np.concatenate([graph.source[chosen], graph.target[chosen]])
            left -= np.bincount(ends, minlength=graph.num_nodes)
            nodes = np.unique(self.rows.other_end(edge, node))
        return subgraph(graph, np.flatnonzero(taken))

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))

    def _choices(
        self, nodes: NDArray[np.int64], taken: NDArray[np.bool_], left: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges that nodes take, and the node that takes each; both ends may take one."""
        edge, owner = self.rows.of(nodes)
        free = ~taken[edge]
        edge, owner = edge[free], owner[free]
        first = np.cumsum(left[nodes]) - left[nodes]
        place = np.arange(edge.size) - first[owner]  # among those of the node not taken yet
        quota = np.ceil(self.neighbor_fraction * left[nodes])
        best = place < np.maximum(quota, 1)[owner]
        return edge[best], nodes[owner[best]]


def _neighbours_of_both(graph: Graph) -> NDArray[np.float64]:
    """Neighbours of both ends: orders the edges of a node as the neighbours of the other end do."""
    count = np.diff(graph.adjacency.offset)
    return (count[graph.source] + count[graph.target]).astype(np.float64)
