"""A task and its Data hold the same."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

import fastgat as fg
from fastgat.pyg import read_pyg, to_data

PATH = fg.Graph.from_edges([0, 1], [1, 2], [2.0, 3.0])


def test_features_labels_and_masks() -> None:
    task = fg.load_dataset("digits")
    data = to_data(task)
    assert data.is_undirected() and data.num_edges == 2 * task.graph.num_edges
    assert data.x.shape == (1797, 64) and data.x.dtype == torch.float32
    assert np.array_equal(data.y, task.labels)
    assert task.split is not None
    for name, mask in zip(("train", "val", "test"), task.split.masks().values(), strict=True):
        assert np.array_equal(data[f"{name}_mask"], mask)
    assert data.validate()


def test_writing_into_the_data_leaves_the_task_alone() -> None:
    task = fg.NodeTask(PATH, np.eye(3, dtype=np.float32), np.array([0, 1, -1]), 2)
    data = to_data(task)
    data.x.zero_(), data.y.zero_()
    assert task.labels.tolist() == [0, 1, -1] and task.features.sum() == 3


def test_weights_parts_sparse_features_and_several_labels() -> None:
    labels, part = np.array([[0, 1], [1, 1], [0, 0]]), np.zeros(3, int)
    task = fg.NodeTask(PATH, scipy.sparse.eye_array(3), labels, 2, part=part)
    data = to_data(task)
    assert data.edge_weight.tolist() == [2, 2, 3, 3]
    assert torch.equal(data.x, torch.eye(3))
    assert data.y.dtype == torch.float32 and data.y.tolist() == labels.tolist()
    assert data.part.tolist() == [0, 0, 0]
    assert "train_mask" not in data


def test_there_and_back(tmp_path: Path) -> None:
    task = fg.load_dataset("digits")
    torch.save(to_data(task), tmp_path / "digits.pt")
    again = read_pyg(tmp_path / "digits.pt")
    assert np.array_equal(again.labels, task.labels)
    assert np.array_equal(again.graph.source, task.graph.source)
    assert repr(again.split) == repr(task.split)


def test_a_graph_is_no_task() -> None:
    with pytest.raises(fg.InputError, match=r"task is a Graph, .* graph.to_pyg\(\) gives"):
        to_data(PATH)  # type: ignore[arg-type]
