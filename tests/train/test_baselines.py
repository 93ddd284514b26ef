"""Baselines that see no edges: features alone, and the commonest class."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics import f1_score

import fastgat as fg
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import path
from fastgat.train.baselines import FEATURES, MAJORITY, graph_free_baselines


def by_label(task: NodeTask) -> dict[str, tuple[float, float]]:
    return {one.label: (one.test_f1, one.test_macro_f1) for one in graph_free_baselines(task)}


def make(labels: np.ndarray, features: np.ndarray, **changes: object) -> NodeTask:
    nodes = np.arange(len(labels))
    split = Split(nodes % 3 == 0, nodes % 3 == 1, nodes % 3 == 2)
    classes = labels.shape[1] if labels.ndim == 2 else int(labels.max()) + 1
    return NodeTask(path(len(labels)), features, labels, classes, split=split, **changes)  # type: ignore[arg-type]


LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0] * 5)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_features_that_tell_the_class(is_sparse: bool) -> None:
    features = np.eye(3, dtype=np.float32)[LABELS]
    found = by_label(make(LABELS, scipy.sparse.csr_array(features) if is_sparse else features))
    assert found[FEATURES] == (1.0, 1.0)
    test = LABELS[2::3]
    guess = np.zeros_like(test)
    expected = f1_score(test, guess, average="micro"), f1_score(test, guess, average="macro")
    assert found[MAJORITY] == pytest.approx(expected) and expected[0] == 0.5


def test_features_that_tell_nothing() -> None:
    found = by_label(make(LABELS, np.ones((LABELS.size, 2), np.float32)))
    assert found[FEATURES] == found[MAJORITY]


def test_several_labels_per_node() -> None:
    features = np.eye(3, dtype=np.float32)[LABELS]
    labels = np.stack([LABELS == 0, LABELS != 2, LABELS >= 0], axis=1).astype(np.uint8)
    found = by_label(make(labels, features))
    assert found[FEATURES] == (1.0, 1.0)
    guess = np.broadcast_to([0, 1, 1], labels[2::3].shape)
    assert found[MAJORITY][0] == pytest.approx(f1_score(labels[2::3], guess, average="micro"))


def test_one_class_has_nothing_to_tell_apart() -> None:
    labels = np.zeros(9, np.int64)
    assert by_label(make(labels, np.ones((9, 2), np.float32))) == {MAJORITY: (1.0, 1.0)}


def test_without_test_nodes_there_is_nothing() -> None:
    task = fg.load_dataset("synthetic", num_nodes=200)
    bare = NodeTask(task.graph, task.features, task.labels, task.num_classes)
    assert graph_free_baselines(bare) == []


def test_the_edges_are_not_seen() -> None:
    task = fg.load_dataset("digits")
    other = NodeTask(
        path(task.num_nodes), task.features, task.labels, task.num_classes, split=task.split
    )
    assert by_label(task) == by_label(other)
    assert by_label(task)[FEATURES][0] > 0.85
