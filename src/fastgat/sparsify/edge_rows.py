"""The edges of every node, for sparsifiers that walk over a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.graph import Graph


@dataclass(frozen=True, eq=False)
class EdgeRows:
    """The edges of node u are `edge[offset[u] : offset[u + 1]]`, best first; 8 bytes per arc."""

    graph: Graph
    offset: NDArray[np.int64]
    edge: NDArray[np.int64]

    @classmethod
    def by_score(cls, graph: Graph, score: NDArray[np.float64], seed: int = 0) -> EdgeRows:
        """Sort the edges of every node.

        Args:
            graph: whose edges they are.
            score: of every edge; the highest come first, equal ones at random.
            seed: of the order of equals.
        """
        at_source, at_target = _core.rank_edges(graph.adjacency, score, True, seed)
        offset = graph.adjacency.offset
        edge = np.empty(2 * graph.num_edges, np.int64)
        edge[offset[graph.source] + at_source] = np.arange(graph.num_edges)
        edge[offset[graph.target] + at_target] = np.arange(graph.num_edges)
        return cls(graph, offset, edge)

    @property
    def num_neighbours(self) -> NDArray[np.int64]:
        """Of every node."""
        return np.diff(self.offset)

    def of(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges of some nodes, one after another, and which of `nodes` each belongs to."""
        count = self.offset[nodes + 1] - self.offset[nodes]
        owner = np.repeat(np.arange(nodes.size), count)
        first = np.cumsum(count) - count
        place = np.arange(owner.size) + (self.offset[nodes] - first)[owner]
        return self.edge[place], owner

    def other_end(self, edge: NDArray[np.int64], node: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where edges lead to from one of their ends."""
        return self.graph.source[edge] + (self.graph.target[edge] - node)
