"""A task holds together, and its graphs can be taken apart."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from fastgat.check import InputError
from fastgat.data import NodeTask, Split
from fastgat.graph import Graph

PATH = Graph.from_edges([0, 1], [1, 2])
X = np.eye(3, dtype=np.float32)
Y = np.array([0, 1, -1])


def test_arrays_are_brought_to_their_types() -> None:
    task = NodeTask(PATH, scipy.sparse.coo_matrix(np.eye(3)), Y.astype(np.int8), 2)
    assert isinstance(task.features, scipy.sparse.csr_array)
    assert task.features.dtype == np.float32
    assert task.labels.dtype == np.int64
    assert task.labelled.tolist() == [True, True, False]
    many = NodeTask(PATH, X.astype(np.float64), np.eye(3), 3)
    assert many.is_multi_label
    assert many.labels.dtype == np.uint8
    assert many.features.dtype == np.float32


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"features": X[:2]}, "features has shape (2, 3), but needs one row for each of the 3"),
        ({"features": X * np.nan}, "features has a value that is not finite"),
        ({"features": [["a"], ["b"], ["c"]]}, "features must be numbers"),
        ({"labels": Y[:2]}, "labels has shape (2,), but the graph has 3 nodes"),
        ({"labels": Y + 1}, "labels[1]=2 must lie in [0, 1], or be -1 where unknown"),
        ({"labels": Y - 1}, "labels[2]=-2 must lie in [0, 1], or be -1 where unknown"),
        ({"labels": Y * 0.5}, "labels has dtype float64, but classes are whole numbers"),
        ({"labels": np.eye(3)}, "labels has 3 columns, but num_classes=2"),
        ({"labels": 2 * np.ones((3, 2))}, "every value must be 0 or 1"),
        ({"num_classes": 0}, "num_classes=0 must be a whole number of at least 1"),
        ({"class_names": ("a",)}, "1 class_names for num_classes=2"),
        ({"part": [0, 0]}, "part must be one graph number for each of the 3 nodes"),
        ({"part": [0, 0, 1]}, "edge (1, 2) joins two graphs"),
        ({"part": [-1, -1, -1]}, "part names graph -1"),
        ({"split": Split.from_indices(2, [0], [], [])}, "split is of 2 nodes"),
        ({"split": Split.from_indices(3, [0], [1], [2])}, "split has node 2 for test, but it has"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], message: str) -> None:
    given = {"graph": PATH, "features": X, "labels": Y, "num_classes": 2, **changed}
    with pytest.raises(InputError, match=re.escape(message)):
        NodeTask(**given)


def test_features_that_point_outside_are_refused() -> None:
    features = scipy.sparse.csr_array(X)
    features.indices[2] = 9000
    with pytest.raises(InputError, match="features do not make a matrix"):
        NodeTask(PATH, features, Y, 2)


@pytest.mark.parametrize("sparse", [False, True])
def test_graphs_are_taken_apart(sparse: bool) -> None:
    graph = Graph.from_edges([0, 2, 1], [2, 4, 3], [1.0, 2.0, 3.0], num_nodes=6)
    part = np.array([0, 1, 0, 1, 0, 2])
    x: Any = np.arange(6, dtype=np.float32)[:, None]
    split = Split.from_indices(6, [0, 2, 4], [1, 3], [5])
    x = scipy.sparse.csr_array(x) if sparse else x
    task = NodeTask(graph, x, np.arange(6), 6, split, part=part)
    parts = task.graphs()
    assert [one.num_nodes for one in parts] == [3, 2, 1]
    assert [one.labels.tolist() for one in parts] == [[0, 2, 4], [1, 3], [5]]
    assert [one.graph.weight.tolist() for one in parts] == [[1, 2], [3], []]
    assert parts[0].graph.source.tolist() == [0, 1]
    assert parts[0].graph.target.tolist() == [1, 2]
    assert repr(parts[1].split) == "Split(train=0, validation=2, test=0)"
    features: Any = parts[0].features
    assert (features.toarray() if sparse else features).ravel().tolist() == [0, 2, 4]


def test_one_graph_is_itself() -> None:
    task = NodeTask(PATH, X, Y, 2)
    assert task.graphs() == (task,)
    assert task.num_graphs == 1
