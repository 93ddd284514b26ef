"""What a sparse graph keeps of its graph, in the quantities that studies of sparsifiers look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError
from fastgat.graph import Graph


@dataclass(frozen=True)
class Panel:
    """A graph before and after sparsifying; the spectrum is `certify`'s part."""

    num_edges: int
    num_edges_before: int
    num_components: int
    num_components_before: int
    num_isolated: int
    num_isolated_before: int
    degree_correlation: float | None  # of the numbers of neighbours; None where all are equal
    clustering: float
    clustering_before: float
    homophily: float | None  # None without labels, or without an edge between labelled nodes
    homophily_before: float | None


def graph_panel(graph: Graph, sparse: Graph, labels: Any = None) -> Panel:
    """Count what is left.

    Args:
        graph: the whole one.
        sparse: some of its edges, on the same nodes.
        labels: one class per node, negative where it is unknown.

    >>> square = Graph.from_edges([0, 1, 2, 0, 0], [1, 2, 3, 3, 2])
    >>> panel = graph_panel(square, Graph.from_edges([0, 1], [1, 2], num_nodes=4), [0, 0, 1, 1])
    >>> panel.num_components, panel.num_isolated, panel.clustering, panel.homophily
    (2, 1, 0.0, 0.5)
    """
    if graph.num_nodes != sparse.num_nodes:
        raise InputError(
            f"sparse has {sparse.num_nodes} nodes, but graph has {graph.num_nodes}: "
            "give a graph on the same nodes"
        )
    before, after = (np.diff(one.adjacency.offset) for one in (graph, sparse))
    return Panel(
        num_edges=sparse.num_edges,
        num_edges_before=graph.num_edges,
        num_components=sparse.num_components,
        num_components_before=graph.num_components,
        num_isolated=sparse.num_isolated,
        num_isolated_before=graph.num_isolated,
        degree_correlation=_correlation(before, after),
        clustering=clustering_coefficient(sparse),
        clustering_before=clustering_coefficient(graph),
        homophily=_homophily(sparse, labels),
        homophily_before=_homophily(graph, labels),
    )


def clustering_coefficient(graph: Graph) -> float:
    """The mean over the nodes of the share of pairs of neighbours that are joined (Watts-Strogatz).

    Nodes with fewer than two neighbours count as 0.

    >>> clustering_coefficient(Graph.from_edges([0, 0, 1], [1, 2, 2]))
    1.0
    """
    if graph.num_edges == 0:
        return 0.0
    count = np.diff(graph.adjacency.offset).astype(np.float64)
    jaccard = _core.jaccard_index(graph.adjacency)
    both = count[graph.source] + count[graph.target]
    common = np.rint(jaccard * both / (1 + jaccard))  # triangles on every edge
    corners = np.bincount(graph.source, common, graph.num_nodes)
    corners += np.bincount(graph.target, common, graph.num_nodes)
    pairs = count * (count - 1)
    share = np.divide(corners, pairs, out=np.zeros(graph.num_nodes), where=pairs > 0)
    return float(share.mean())


def _correlation(one: NDArray[np.int64], other: NDArray[np.int64]) -> float | None:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _homophily(graph: Graph, labels: Any) -> float | None:
    """The share of the edges whose ends have the same class."""
    if labels is None:
        return None
    known = np.asarray(labels)
    if known.shape != (graph.num_nodes,):
        raise InputError(
            f"labels has shape {known.shape}, but the graph has {graph.num_nodes} nodes: "
            "give one class per node"
        )
    one, other = known[graph.source], known[graph.target]
    both = (one >= 0) & (other >= 0)
    return float((one == other)[both].mean()) if both.any() else None
