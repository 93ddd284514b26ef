"""Cora, Citeseer and PubMed as Planetoid published them: Python 2 pickles, read without trust."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data import pickles
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import UNLABELLED, NodeTask
from fastgat.data.splits import Split
from fastgat.files import naming
from fastgat.graph import Graph

PARTS = ("graph", "allx", "ally", "tx", "ty", "y", "test.index")
NUM_VALIDATION = 500


def read_graph(path: Path) -> Graph:
    """The graph in an `ind.*.graph` file: a dictionary from node to its neighbours."""
    neighbors = _load_neighbors(path)
    degree = np.fromiter(map(len, neighbors.values()), np.int64, len(neighbors))
    try:
        node = np.fromiter(neighbors, np.int64, len(neighbors))
        target = np.fromiter(chain.from_iterable(neighbors.values()), np.int64, int(degree.sum()))
    except OverflowError:
        raise InputError("names a node beyond 64 bits") from None
    return Graph.from_edges(np.repeat(node, degree), target, num_nodes=len(neighbors))


def count_listed(path: Path) -> int:
    """Neighbours as an `ind.*.graph` file lists them: both ways, repeats and loops included."""
    return sum(map(len, _load_neighbors(path).values()))


def read_task(path: Path) -> NodeTask:
    """The task of an `ind.*.graph` file and those beside it, with the public split.

    Rows of `allx` are the first nodes; row i of `tx` is the i-th node that `test.index` lists. The
    15 nodes of Citeseer that have no row get no features and no label.
    """
    import scipy.sparse

    graph = read_graph(path)
    known_x, test_x = (_load(path, part, scipy.sparse.csr_array) for part in ("allx", "tx"))
    known_y, test_y, train_y = (_load(path, part, np.ndarray) for part in ("ally", "ty", "y"))
    test = _read_test_index(path.with_suffix(".test.index"))
    if known_x.shape[1] != test_x.shape[1] or known_y.shape[1] != test_y.shape[1]:
        raise InputError("has files beside it that are of different datasets")
    row = np.full(graph.num_nodes, -1)
    row[: known_x.shape[0]] = np.arange(known_x.shape[0])
    row[test] = known_x.shape[0] + np.arange(test.size)
    features = scipy.sparse.vstack([known_x, test_x], format="csr")
    empty = scipy.sparse.csr_array((1, features.shape[1]), dtype=np.float32)  # what row -1 is
    features = scipy.sparse.csr_array(scipy.sparse.vstack([features, empty], format="csr")[row])
    one_hot = np.concatenate([known_y, test_y])
    labels = np.append(one_hot.argmax(axis=1), UNLABELLED)[row]
    split = public_split(graph.num_nodes, train_y.shape[0], test)
    return NodeTask(graph, features, labels, one_hot.shape[1], split)


def public_split(num_nodes: int, num_train: int, test: NDArray[Any]) -> Split:
    """The first nodes train, the 500 after them validate, and those listed test."""
    end = num_train + NUM_VALIDATION
    return Split.from_indices(num_nodes, np.arange(num_train), np.arange(num_train, end), test)


def _load(path: Path, part: str, kind: Any) -> Any:
    file = path.with_suffix(f".{part}")
    with naming(file):
        content: Any = pickles.load(file)
        if not isinstance(content, kind) or len(content.shape) != 2:
            raise InputError("does not hold the matrix it should")
    return content


def _read_test_index(path: Path) -> NDArray[np.int64]:
    try:
        return np.loadtxt(path, np.int64, ndmin=1)
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from None


def _load_neighbors(path: Path) -> dict[int, list[int]]:
    content = pickles.load(path)
    if not isinstance(content, dict) or not all(type(row) is list for row in content.values()):
        raise InputError("is not a dictionary from node to a list of neighbours")
    if not all(type(node) is int for node in chain(content, *content.values())):
        raise InputError("names a node that is not a whole number")
    return content


def _dataset(title: str, sizes: Sizes) -> StoredDataset:
    name = title.lower()
    return StoredDataset(
        title=title,
        sizes=sizes,
        graph_file=f"Planetoid/{title}/raw/ind.{name}.graph",
        read_graph=read_graph,
        read_task=read_task,
        other_files=tuple(f"ind.{name}.{part}" for part in PARTS[1:]),
        url="https://github.com/kimiyoung/planetoid/raw/master/data/",
    )


CORA = _dataset("Cora", Sizes(2708, 5278, 1433, 7))
CITESEER = _dataset("CiteSeer", Sizes(3327, 4552, 3703, 6))
PUBMED = _dataset("PubMed", Sizes(19717, 44324, 500, 3))
