"""Amazon Computers and Photo, Coauthor CS and Physics: sparse matrices in one `.npz` file each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fastgat.check import InputError
from fastgat.data.archive import csr_features, read_arrays
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.graph import Graph


def read_graph(path: Path) -> Graph:
    """The graph of the adjacency matrix `adj_*`; entries only say that there is an edge."""
    parts = read_arrays(path, "adj_data", "adj_indices", "adj_indptr", "adj_shape")
    data, indices, indptr, shape = parts
    sizes = tuple(shape.ravel().tolist())
    if len(sizes) != 2 or sizes[0] != sizes[1]:
        raise InputError(f"adj_shape={sizes} must be square")
    degree = np.diff(indptr)
    whole = indptr.shape == (sizes[0] + 1,) and indptr[0] == 0 and indptr[-1] == indices.size
    if not whole or degree.min(initial=0) < 0 or data.shape != indices.shape:
        raise InputError("adj_indptr, adj_indices and adj_data do not make a matrix")
    row = np.repeat(np.arange(sizes[0], dtype=np.int32), degree)
    return Graph.from_edges(row[data != 0], indices[data != 0], num_nodes=sizes[0])


def read_task(path: Path) -> NodeTask:
    """The graph with `attr_*` as features and `labels`; counts of words become 1, as in PyG."""
    parts = read_arrays(path, "attr_data", "attr_indices", "attr_indptr", "attr_shape", "labels")
    features, labels = csr_features(*parts[:4]), parts[4]
    features.data = (features.data > 0).astype(np.float32)
    features.eliminate_zeros()
    return NodeTask(read_graph(path), features, labels, int(labels.max(initial=0)) + 1)


def _dataset(title: str, file: str, sizes: Sizes) -> StoredDataset:
    return StoredDataset(
        title=title,
        sizes=sizes,
        graph_file=f"{title.replace(' ', '/')}/raw/{file}.npz",
        read_graph=read_graph,
        read_task=read_task,
        url="https://github.com/shchur/gnn-benchmark/raw/master/data/npz/",
    )


COMPUTERS = _dataset(
    "Amazon Computers", "amazon_electronics_computers", Sizes(13752, 245861, 767, 10)
)
PHOTO = _dataset("Amazon Photo", "amazon_electronics_photo", Sizes(7650, 119081, 745, 8))
CS = _dataset("Coauthor CS", "ms_academic_cs", Sizes(18333, 81894, 6805, 15))
PHYSICS = _dataset("Coauthor Physics", "ms_academic_phy", Sizes(34493, 247962, 8415, 5))
