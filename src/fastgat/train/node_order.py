"""An order of the nodes in which neighbours lie close together in memory.

Attention gathers the rows of a node's neighbours; on graphs that outgrow the caches it spends its
time waiting for them. Numbered by reverse Cuthill-McKee, neighbours have numbers near each other.
Training may number nodes as it likes: losses and scores are sums over nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgat.graph import Graph

FEWEST_EDGES = 20_000  # below, everything lies in the caches anyhow
MOST_EDGES = 5_000_000  # beyond, finding the order takes longer than it saves


def close_order(graph: Graph) -> NDArray[np.int64] | None:
    """The nodes in that order; None where it does not pay."""
    if not FEWEST_EDGES <= graph.num_edges <= MOST_EDGES:
        return None
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph.to_scipy(), symmetric_mode=True)
    return np.asarray(order, np.int64)


def renumber(graph: Graph, order: NDArray[np.int64] | None) -> Graph:
    """The graph whose node i is the old node `order[i]`; the graph itself if there is no order."""
    if order is None:
        return graph
    place = np.empty(graph.num_nodes, np.int32)
    place[order] = np.arange(graph.num_nodes, dtype=np.int32)
    return Graph.from_edges(
        place[graph.source], place[graph.target], graph.stored_weight, graph.num_nodes
    )
