"""Every node keeps a few of its edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastgat import _core
from fastgat.check import InputError, Progress, check_count, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import DrawnArcs, SparsifiedGraph, subgraph
from fastgat.sparsify.density import check_density, count_of, paper_draws
from fastgat.sparsify.draws import whole_arcs
from fastgat.spectral import Cache


@dataclass(frozen=True)
class KNeighborSparsifier:
    """Every node picks `neighbors` of its edges at random, heavier ones more often.

    An edge stays, with its weight, if either end picks it. At most one option may be given.

    Args:
        neighbors: how many edges a node picks.
        keep: a fraction or a number of edges: nodes pick one after another until so many are kept.
        epsilon: the same for the paper's number of draws; 0.5 where no option is given.
    """

    neighbors: int | None = None
    keep: float | int | None = None
    epsilon: float | None = None

    def __post_init__(self) -> None:
        """Refuse bad options at once; exactly one of the three says how many edges."""
        if self.neighbors is None:
            epsilon, keep = check_density(self.epsilon, self.keep)
            object.__setattr__(self, "epsilon", epsilon)
            object.__setattr__(self, "keep", keep)
            return
        object.__setattr__(self, "neighbors", check_count("neighbors", self.neighbors, 1))
        if self.keep is not None or self.epsilon is not None:
            raise InputError("neighbors, keep and epsilon exclude each other: give one of them")

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> KNeighborDraws:
        """Count the edges to keep; nothing is estimated.

        Args:
            graph: to draw from; one without edges is refused.
            seed: not used; it is here for the contract, as are the next two.
            cache: not used.
            progress: not used.
        """
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        count = None
        if self.epsilon is not None:
            count = min(paper_draws(graph.num_nodes, self.epsilon), graph.num_edges)
        elif self.keep is not None:
            count = count_of(self.keep, graph.num_edges)
        return KNeighborDraws(graph, self.neighbors, count)

    def sparsify(
        self, graph: Graph, seed: int = 0, *, cache: Cache = None, progress: Progress | None = None
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph).draw(seed)`.

        Args:
            graph: to draw from.
            seed: of the draw.
            cache: not used, as in `prepare`.
            progress: not used, as in `prepare`.
        """
        return self.prepare(graph).draw(seed)


@dataclass(frozen=True, eq=False)
class KNeighborDraws:
    """Draws of a `KNeighborSparsifier`."""

    graph: Graph
    neighbors: int | None
    num_edges: int | None

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Let every node pick anew."""
        graph = self.graph
        weight = np.ascontiguousarray(graph.weight)
        ranks = _core.rank_edges(graph.adjacency, weight, False, check_seed(seed))
        rank = np.minimum(*ranks)  # at either end
        if self.neighbors is not None:
            kept = np.flatnonzero(rank < self.neighbors)
        else:
            # Among edges of equal rank the last ones to stay are chosen at random.
            shuffled = np.random.default_rng(seed).permutation(graph.num_edges)
            kept = shuffled[np.argsort(rank[shuffled], kind="stable")[: self.num_edges]]
        return subgraph(graph, kept)

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))
