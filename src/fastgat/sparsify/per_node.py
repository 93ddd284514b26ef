"""Every node keeps its share: draws that leave no node out, from any score per edge.

Node i of degree d keeps its first k = (e + 1/2) d^e edges, at most d; an edge stays if either of
its ends keeps it. The one exponent e is solved for the number of edges asked for: e = 1/2 keeps the
square root of every degree, e = -1/2 nothing, e = 1 everything. The fraction of k is a coin per
node, so the expected number of edges is the number asked for, exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import DrawnArcs, SparsifiedGraph, subgraph
from fastgat.sparsify.draws import whole_arcs

COINS = 0x434F  # the stream of random numbers that decides fractions
NOTHING, EVERYTHING = -0.5, 1.0  # exponents


@dataclass(frozen=True, eq=False)
class PerNodeDraws:
    """Every node keeps its best edges, or such as it draws; they keep their weights."""

    graph: Graph
    score: NDArray[np.float64]
    expected: float  # edges
    best_first: bool  # else every draw orders the edges of a node anew, in proportion to score
    always: NDArray[np.int64] | None = None  # edges kept whatever nodes keep
    seed: int = 0  # of the order of equal scores

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """Toss the coins; without `best_first`, order edges anew before."""
        check_seed(seed)
        ranks, exponent = self._best if self.best_first else self._order(seed)
        share = node_share(self._num_neighbours, exponent)
        coin = np.random.default_rng([seed, COINS]).random(share.size)
        first = np.floor(share + coin)  # edges of every node; its mean is the share
        kept = ranks[0] < first[self.graph.source]
        kept |= ranks[1] < first[self.graph.target]
        if self.always is not None:
            kept[self.always] = True
        return subgraph(self.graph, np.flatnonzero(kept))

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(self.draw(seed))

    @cached_property
    def _best(self) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], float]:
        return self._order(self.seed)

    @cached_property
    def _num_neighbours(self) -> NDArray[np.int64]:
        return np.diff(self.graph.adjacency.offset)

    def _order(self, seed: int) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], float]:
        """The rank of every edge at both ends, and the exponent that gives the expected number."""
        graph = self.graph
        ranks = _core.rank_edges(graph.adjacency, self.score, self.best_first, seed)

        def surplus(exponent: float) -> float:
            share = node_share(self._num_neighbours, exponent)
            lost = 1 - np.clip(share[graph.source] - ranks[0], 0, 1)
            lost *= 1 - np.clip(share[graph.target] - ranks[1], 0, 1)
            if self.always is not None:
                lost[self.always] = 0
            return graph.num_edges - float(lost.sum()) - self.expected

        return ranks, _root(surplus)


def node_share(num_neighbours: NDArray[np.int64], exponent: float) -> NDArray[np.float64]:
    """How many edges nodes keep on average.

    >>> node_share(np.array([1, 16, 100]), 0.5)
    array([ 1.,  4., 10.])
    """
    degree = num_neighbours.astype(np.float64)
    return np.minimum((exponent + 0.5) * np.maximum(degree, 1) ** exponent, degree)


def _root(surplus: Callable[[float], float]) -> float:
    """The exponent without surplus; nothing and everything are met at once."""
    if surplus(NOTHING) >= 0:
        return NOTHING
    if surplus(EVERYTHING) <= 0:
        return EVERYTHING
    from scipy.optimize import brentq  # slow to import, and no other sparsifier needs it

    return float(brentq(surplus, NOTHING, EVERYTHING, xtol=1e-12, rtol=1e-12))
