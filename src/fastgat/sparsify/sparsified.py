"""What a draw gives: a graph that knows where its edges come from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastgat.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class SparsifiedGraph(Graph):
    """A subgraph on the same nodes, with new weights."""

    edge_id: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    num_draws: int | None = None  # with replacement; None where every edge is drawn at most once
    num_isolated_before: int = 0

    @property
    def num_lost(self) -> int:
        """Nodes that had an edge and have none now."""
        return self.num_isolated - self.num_isolated_before


def subgraph(graph: Graph, edges: NDArray[np.int64]) -> SparsifiedGraph:
    """Some of the edges, in any order, with the weights they have."""
    kept = np.sort(edges)
    source, target = graph.source[kept], graph.target[kept]
    weight = None if graph.stored_weight is None else graph.stored_weight[kept]
    for array in (kept, source, target, weight):
        if array is not None:
            array.setflags(write=False)
    return SparsifiedGraph(
        graph.num_nodes, source, target, weight, names=graph.names,
        edge_id=kept, num_isolated_before=graph.num_isolated,
    )  # fmt: skip
