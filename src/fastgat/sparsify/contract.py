"""What a sparsifier is, and what it gives.

A sparsifier of your own needs one method, `prepare`; what that returns needs `graph` and `draw`:

    @dataclass(frozen=True)
    class FirstEdges:
        count: int = 10

        def prepare(self, graph, **options):
            return FirstEdgesDraws(graph, self.count)

    @dataclass(frozen=True)
    class FirstEdgesDraws:
        graph: Graph
        count: int

        def draw(self, seed=0):
            return subgraph(self.graph, np.arange(self.count))

Where edges are kept in proportion to a score, `ScoreSparsifier` has everything but the score.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat.check import InputError, Progress, weight_array
from fastgat.graph import Graph
from fastgat.spectral import Cache

# Both directions of every edge in compressed rows: offsets, and the neighbours of every node.
DrawnArcs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]


@runtime_checkable
class Sparsifier(Protocol):
    """Chooses edges of graphs; satisfied by any object with this method.

    Options are best kept as fields of a frozen dataclass: a run's record then says what they were.
    """

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> PreparedSparsifier:
        """Do once what does not depend on the draw.

        Args:
            graph: to draw from; one without edges is refused.
            seed: of whatever is random in preparing; draws have seeds of their own.
            cache: where resistances are kept, as `effective_resistances` takes it.
            progress: called with the fraction of the work that is done.
        """


class PreparedSparsifier(Protocol):
    """Draws many sparse graphs of one graph; the same seed gives the same graph."""

    @property
    def graph(self) -> Graph:
        """The graph that is drawn from."""

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """A fresh sparse graph."""


class ArcSampler(PreparedSparsifier, Protocol):
    """A prepared sparsifier that also draws for attention at once, which is faster."""

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""


@dataclass(frozen=True, eq=False, repr=False)
class SparsifiedGraph(Graph):
    """A subgraph on the same nodes, with new weights, that knows where its edges come from."""

    edge_id: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    num_draws: int | None = None  # with replacement; None where every edge is drawn at most once
    num_isolated_before: int = 0

    @property
    def num_lost(self) -> int:
        """Nodes that had an edge and have none now."""
        return self.num_isolated - self.num_isolated_before


def subgraph(
    graph: Graph, edges: NDArray[np.int64], weight: ArrayLike | None = None
) -> SparsifiedGraph:
    """Some of the edges of a graph, on all of its nodes.

    Args:
        graph: whose edges they are.
        edges: their places in `graph.source`, each once, in any order.
        weight: new weights in the same order; without, edges keep the weights they have.
    """
    if weight is None:
        kept = np.sort(edges)
        new = None if graph.stored_weight is None else graph.stored_weight[kept]
    else:
        order = np.argsort(edges)
        kept = edges[order]
        new = weight_array("weight", weight, kept.size)[order]
    if kept.size and (repeated := np.flatnonzero(kept[1:] == kept[:-1])).size:
        raise InputError(f"edges names edge {kept[repeated[0]]} twice; name each edge once")
    source, target = graph.source[kept], graph.target[kept]
    for array in (kept, source, target, new):
        if array is not None:
            array.setflags(write=False)
    return SparsifiedGraph(
        graph.num_nodes, source, target, new, names=graph.names,
        edge_id=kept, num_isolated_before=graph.num_isolated,
    )  # fmt: skip
