"""Exact effective resistances, for graphs small enough: every pair counts, nothing is sketched."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import Progress, available_memory, check_choice, check_memory, check_weight_range
from fastgat.graph import Graph
from fastgat.spectral.exact_dense import dense_bytes, dense_resistances
from fastgat.spectral.exact_sparse import WAY_OUT, sparse_resistances

DENSE_NODES = 20_000  # beyond, cubic time is minutes


def exact_effective_resistances(
    graph: Graph,
    *,
    method: Literal["auto", "dense", "sparse"] = "auto",
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """Effective resistance of every edge to nearly full precision, aligned with the graph's edges.

    Bridges are 1/w. What they join is worked through part by part.

    Args:
        graph: small enough, or in small parts: time is cubic in the nodes of a part.
        method: `dense` takes 8 n² bytes for a part of n nodes, and any weights; `sparse` takes the
            memory of a sparse factor. `auto` is dense up to 20,000 nodes where memory allows.
        progress: called with the fraction of the work that is done.

    >>> from fastgat.graph.gallery import cycle
    >>> exact_effective_resistances(cycle(4))
    array([0.75, 0.75, 0.75, 0.75])
    """
    check_choice("method", method, ("auto", "dense", "sparse"))
    check_weight_range(graph.stored_weight)
    resistance = 1 / graph.weight
    bridges, _ = _core.find_bridges(graph.adjacency)
    if bridges.size == graph.num_edges:
        return resistance
    rest = np.setdiff1d(np.arange(graph.num_edges), bridges, assume_unique=True)
    parts = _BridgelessParts(graph, rest)
    largest = int(parts.size.max())
    if method == "auto":
        fits = largest <= DENSE_NODES and dense_bytes(largest) <= available_memory()
        method = "dense" if fits else "sparse"
    if method == "dense":
        check_memory(
            f"a part of {largest} nodes without bridges",
            dense_bytes(largest),
            hint=f"use method='sparse', or {WAY_OUT}",
        )
    solve = dense_resistances if method == "dense" else sparse_resistances
    report: Progress = progress or (lambda fraction: None)
    work = parts.size.astype(float) ** 3
    work /= work.sum()
    done = 0.0
    for part in np.flatnonzero(parts.size > 1).tolist():
        size, (edges, source, target) = int(parts.size[part]), parts.edges_of(part)
        tick = _slice_of(report, done, float(work[part]))
        resistance[edges] = solve(size, source, target, graph.weight[edges], tick)
        done += work[part]
    report(1.0)
    return resistance


def _slice_of(report: Progress, begin: float, length: float) -> Progress:
    return lambda fraction: report(begin + length * fraction)


class _BridgelessParts:
    """What is left of a graph without its bridges, part by part, with nodes numbered from 0."""

    def __init__(self, graph: Graph, rest: NDArray[np.int64]) -> None:
        source, target = graph.source[rest], graph.target[rest]
        inner = Graph.from_edges(source, target, num_nodes=graph.num_nodes)
        count, label = inner.components
        self.size = np.bincount(label, minlength=count)
        # The last node of a part is its ground: the one of the largest degree, since resistances
        # come out as small differences of those to the ground.
        order = np.lexsort((graph.degree, label))
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        place -= (np.cumsum(self.size) - self.size)[label]
        by_part = np.argsort(label[source], kind="stable")
        self.edges = rest[by_part]
        self.source = place[source[by_part]]
        self.target = place[target[by_part]]
        self.start = np.searchsorted(label[source[by_part]], np.arange(count + 1))

    def edges_of(self, part: int) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
        """The part's edges as numbers in the graph, and their two ends as numbers in the part."""
        here = slice(self.start[part], self.start[part + 1])
        return self.edges[here], self.source[here], self.target[here]
