"""PPI-GO: protein interactions in 24 human tissues, with features and labels from annotations.

Not the GraphSAGE benchmark called PPI: a gene recurs across tissues with the same labels.
"""

from __future__ import annotations

from pathlib import Path

from fastgat.check import InputError
from fastgat.data.archive import csr_features, read_arrays
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import Split
from fastgat.data.stored_graphs import from_edge_index
from fastgat.graph import Graph


def read_graph(path: Path) -> Graph:
    """All 24 tissues as one graph; no edge joins two of them."""
    edge_index, graph_id = read_arrays(path, "edge_index", "graph_id")
    return from_edge_index(edge_index, graph_id.size)


def read_task(path: Path) -> NodeTask:
    """All 24 tissues side by side, 121 labels per gene; 20 tissues train, 2 validate, 2 test."""
    csr = read_arrays(path, *(f"x_{part}" for part in ("data", "indices", "indptr", "shape")))
    labels, graph_id, role, names = read_arrays(path, "y", "graph_id", "split", "label_names")
    if labels.ndim != 2 or role.shape != graph_id.shape:
        raise InputError("y, split and graph_id are of different sizes")
    return NodeTask(
        read_graph(path),
        csr_features(*csr),
        labels,
        labels.shape[1],
        Split(role == 0, role == 1, role == 2),
        class_names=tuple(names.tolist()),
        part=graph_id,
    )


PPI_GO = StoredDataset(
    title="PPI-GO",
    sizes=Sizes(56944, 793632, 525, 121),
    graph_file="PPI-GO/ppi_go.npz",
    read_graph=read_graph,
    read_task=read_task,
    shares=None,
)
