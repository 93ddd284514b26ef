"""PPI-GO: protein interactions in 24 human tissues, with features and labels from annotations.

Not the GraphSAGE benchmark called PPI: a gene recurs across tissues with the same labels.
"""

from __future__ import annotations

from pathlib import Path

from fastgat.data.archive import read_arrays
from fastgat.data.stored_graphs import from_edge_index
from fastgat.graph import Graph


def read_graph(path: Path) -> Graph:
    """All 24 tissues as one graph; no edge joins two of them."""
    edge_index, graph_id = read_arrays(path, "edge_index", "graph_id")
    return from_edge_index(edge_index, graph_id.size)
