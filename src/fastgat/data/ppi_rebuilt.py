"""PPI (rebuilt labels): GraphSAGE's benchmark from public sources, 24 human tissues.

Graph, order of nodes, split and features are those of the benchmark; of the labels about 99.9 % of
the cells are. A gene recurs across tissues with the same labels: looking a gene up among those for
training scores 0.997, which no figure here should be read without.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.archive import read_arrays
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import Split
from fastgat.data.stored_graphs import from_edge_index
from fastgat.graph import Graph


def read_graph(path: Path) -> Graph:
    """All 24 tissues as one graph; no edge joins two of them. Loops are left to the layers."""
    edge_index, graph_id = read_arrays(path, "edge_index", "graph_id")
    return from_edge_index(edge_index, graph_id.size)


def read_task(path: Path) -> NodeTask:
    """All 24 tissues side by side, 121 labels per gene; 20 tissues train, 2 validate, 2 test."""
    x, labels, graph_id, role, go = read_arrays(path, "x", "y", "graph_id", "split", "label_go")
    sizes = {array.shape[0] for array in (x, labels, graph_id, role)}
    if x.ndim != 2 or labels.ndim != 2 or go.shape != labels.shape[1:] or len(sizes) > 1:
        raise InputError("x, y, split, graph_id and label_go are of different sizes")
    return NodeTask(
        read_graph(path),
        _standardised(x, role == 0),
        labels,
        labels.shape[1],
        Split(role == 0, role == 1, role == 2),
        class_names=tuple(f"GO:{number:07d}" for number in go.tolist()),
        part=np.unique(graph_id, return_inverse=True)[1].astype(np.int32),  # from 1 in the file
    )


def _standardised(x: NDArray[np.uint8], train: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Mean 0 and deviation 1 over the training nodes, as the benchmark has it."""
    known = x[train].astype(np.float64)
    deviation = known.std(axis=0)
    deviation[deviation == 0] = 1
    scaled: NDArray[np.float32] = ((x - known.mean(axis=0)) / deviation).astype(np.float32)
    return scaled


PPI_REBUILT = StoredDataset(
    title="PPI (rebuilt labels)",
    sizes=Sizes(56944, 793632, 50, 121),
    graph_file="PPI-rebuilt/ppi_rebuilt.npz",
    read_graph=read_graph,
    read_task=read_task,
    shares=None,
)
