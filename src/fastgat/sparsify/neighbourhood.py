"""Keep edges whose ends have many neighbours in common: four ways of the field.

All of them are the best edges by a score, so that `keep` is met exactly. Where nodes choose, an
exponent e says how many of its d edges a node takes: the score of an edge is one minus the least
exponent at which one of its ends takes it, so the best edges are those of one exponent for all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import Progress
from fastgat.graph import Graph
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.sparsify.similarity import LEAST, edge_similarity
from fastgat.spectral import Cache


@dataclass(frozen=True)
class JaccardSparsifier(ScoreSparsifier):
    """G-Spar (Satuluri, Parthasarathy, Ruan 2011): the edges of highest Jaccard index.

    The index of an edge is the number of neighbours its ends share over the number that either
    has; here it is exact, where the authors estimate it by hashing. `keep` is the number of edges.
    Ends without a common neighbour come last, so that sparse regions lose their edges first.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
    """

    sampling: Sampling = "best"

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """The Jaccard index, never quite 0."""
        return LEAST + edge_similarity(graph)


@dataclass(frozen=True)
class ScanSparsifier(ScoreSparsifier):
    """The edges of highest structural similarity, as SCAN has it (Xu et al. 2007).

    The score is (common + 1) / sqrt((d_u + 1)(d_v + 1)), as studies of sparsifiers take it. Xu et
    al. count a node among its own neighbours, which makes it common + 2. `keep` is the number of
    edges.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
    """

    sampling: Sampling = "best"

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """(common + 1) / sqrt((d_u + 1)(d_v + 1)), d the numbers of neighbours."""
        degree = np.diff(graph.adjacency.offset).astype(np.float64)
        one, other = degree[graph.source], degree[graph.target]
        jaccard = edge_similarity(graph)
        common = np.rint(jaccard * (one + other) / (1 + jaccard))
        return (common + 1) / np.sqrt((one + 1) * (other + 1))


@dataclass(frozen=True)
class LSparSparsifier(ScoreSparsifier):
    """L-Spar (Satuluri, Parthasarathy, Ruan 2011): every node keeps its most similar neighbours.

    A node of d neighbours keeps the ceil(d^e) of highest Jaccard index, equal ones at random; an
    edge stays if either end keeps it. `keep` is the number of edges, which sets e: every node has
    its first edge before any has a second, and where fewer are asked for, chance decides.
    `SimilaritySparsifier` without features differs in the share: (e + 1/2) d^e on average, which
    has no steps, but is less than one edge for nodes of few neighbours while e < 1/2.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
    """

    sampling: Sampling = "best"

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """One minus the least e with rank < ceil(d^e); 2 for the first edge of a node.

        Args:
            graph: the result is aligned with its edges.
            seed: of the order of equal neighbours.
            cache: not used.
            progress: not used.
        """
        ranks = _core.rank_edges(graph.adjacency, edge_similarity(graph), True, seed)
        return exponent_score(graph, ranks, rounded_up=True)


@dataclass(frozen=True)
class LocalSimilaritySparsifier(ScoreSparsifier):
    """Local similarity (Hamann et al. 2016): L-Spar as a score, its numbers rounded down.

    An edge that is number r of the d of an end, by Jaccard index, scores 1 - log r / log d there,
    and the larger of both ends counts: a node keeps floor(d^e), where L-Spar rounds up. `keep` is
    the number of edges, the best by this score.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
    """

    sampling: Sampling = "best"

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """The larger of 1 - log r / log d at both ends.

        Args:
            graph: the result is aligned with its edges.
            seed: of the order of equal neighbours.
            cache: not used.
            progress: not used.
        """
        ranks = _core.rank_edges(graph.adjacency, edge_similarity(graph), True, seed)
        return exponent_score(graph, ranks)


def exponent_score(
    graph: Graph,
    ranks: tuple[NDArray[np.int32], NDArray[np.int32]],
    *,
    rounded_up: bool = False,
) -> NDArray[np.float64]:
    """One minus the least exponent e at which an end of degree d keeps the edge; of both the best.

    Args:
        graph: the result is aligned with its edges.
        ranks: of every edge at its source and at its target; 0 is the first.
        rounded_up: nodes keep ceil(d^e) edges, the first one at any e, which scores 2; else
            floor(d^e).
    """
    degree = np.diff(graph.adjacency.offset)
    # rank < ceil(x) is rank < x, and rank + 1 <= floor(x) is rank + 1 <= x, as ranks are whole.
    scale = np.log(np.maximum(degree, 2))
    best = np.zeros(graph.num_edges)
    for rank, node in zip(ranks, (graph.source, graph.target), strict=True):
        place = rank.astype(np.float64) if rounded_up else rank + 1.0
        here = 1 - np.log(np.maximum(place, 1)) / scale[node]
        if rounded_up:
            here[rank == 0] = 2
        np.maximum(best, here, out=best)
    return best
