"""A PyG `Data` in memory becomes a task; what is missing is said."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric import EdgeIndex
from torch_geometric.data import Data, HeteroData

from fastgat import InputError, NodeTask, load_dataset
from fastgat.pyg import to_data

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
MASKS = {f"{name}_mask": torch.eye(3)[i].bool() for i, name in enumerate(("train", "val", "test"))}


def make(**fields: Any) -> Data:
    return Data(**{"x": torch.eye(3), "edge_index": EDGES, "y": torch.tensor([0, 1, 1]), **fields})


@pytest.mark.parametrize("name", ["digits", "synthetic", "ppi-like"])
def test_there_and_back(name: str) -> None:
    sizes = {"num_nodes": 480, "num_features": 3} if name == "ppi-like" else {}
    task = load_dataset(name, **sizes)
    again = NodeTask.from_pyg(to_data(task), name=name)
    assert repr(again) == repr(task)
    for one, other in (
        (again.features, task.features),
        (again.labels, task.labels),
        (again.graph.source, task.graph.source),
        (again.graph.target, task.graph.target),
    ):
        np.testing.assert_array_equal(one, other)
    assert task.split is not None and again.split is not None
    for role, mask in task.split.masks().items():
        np.testing.assert_array_equal(again.split.masks()[role], mask)
    assert (again.part is None) == (task.part is None)


def test_masks_weights_and_sparse_features() -> None:
    weight = torch.tensor([2.0, 2.0, 3.0, 3.0], requires_grad=True)
    task = NodeTask.from_pyg(make(**MASKS, edge_weight=weight, x=torch.eye(3).to_sparse_csr()))
    assert task.is_sparse
    assert task.graph.weight.tolist() == [2, 3]
    assert repr(task.split) == "Split(train=1, validation=1, test=1)"


def test_without_masks_nodes_are_dealt_out() -> None:
    task = NodeTask.from_pyg(make(y=torch.tensor([0, -1, 1])), shares=(0.5, 0.5, 0), split_seed=3)
    assert repr(task.split) == "Split(train=1, validation=1, test=0)"


def test_labels() -> None:
    column = NodeTask.from_pyg(make(y=torch.tensor([[0], [1], [1]])), num_classes=4)
    assert (column.labels.tolist(), column.num_classes) == ([0, 1, 1], 4)
    several = NodeTask.from_pyg(make(y=torch.tensor([[0.0, 1], [1, 1], [0, 0]])))
    assert several.is_multi_label and several.num_classes == 2


def test_anything_with_the_attributes_will_do() -> None:
    index = EdgeIndex(EDGES, sparse_size=(3, 3))
    task = NodeTask.from_pyg(
        SimpleNamespace(edge_index=index, x=torch.eye(3), y=torch.ones(3).int())
    )
    assert task.graph.num_edges == 2


def test_a_part_that_edges_cross_is_no_graph() -> None:
    """ClusterData and METIS call their partitions so."""
    for part in ([0, 0, 1], [0.0, 0.0, 0.0], [0, 0], [-1, -1, -1]):
        assert NodeTask.from_pyg(make(part=torch.tensor(part))).part is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (make(y=None), "data: Data has no tensor y, which a task needs"),
        (make(x=None), "data: Data has no tensor x, which a task needs"),
        (make(edge_index=torch.eye(3).to_sparse()), "data: Data has no tensor edge_index"),
        (HeteroData(), "data: Data has no tensor edge_index"),
        (make(edge_index=torch.zeros(3, 2)), r"data: edge_index has shape \(3, 2\), but needs"),
        (make(edge_index=torch.tensor([[0], [9]])), "data: .*names node 9, but num_nodes=3"),
        (make(y=torch.tensor([0.5, 1, 1])), "data: labels has dtype float32"),
        (make(**dict.fromkeys(MASKS, torch.ones(3, 2))), "data: holds several splits; keep one"),
        (make(**dict.fromkeys(MASKS, torch.ones(3))), "data: node 0 is in two of train"),
        (
            make(**{key: torch.tensor([i]) for i, key in enumerate(MASKS)}),
            r"data: train_mask has dtype int64 and 1 values, but masks must be boolean, one value "
            "for each of the 3 nodes; give node numbers as train_idx, val_idx, test_idx$",
        ),
        (
            make(**dict.fromkeys(MASKS, torch.tensor([0, 1, 2]))),
            "data: train_mask has dtype int64 and 3 values, but masks must be boolean",
        ),
        (
            make(y=torch.tensor([0, 1, float("nan")])),
            r"data: y\[2\]=nan, but classes are whole numbers, and -1 where unknown: where NaN "
            r"means that, use y.nan_to_num\(nan=-1\).long\(\)$",
        ),
        (make(y=torch.tensor([[0], [float("inf")], [1]])), r"data: y\[1\]=inf, but classes are"),
        (
            make(
                train_idx=torch.tensor([0]), val_idx=torch.tensor([3]), test_idx=torch.tensor([1])
            ),
            "data: validation names node 3, but num_nodes=3",
        ),
    ],
)
def test_what_is_wrong_is_said(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NodeTask.from_pyg(data)


NUMBERS = {"train_idx": [1], "val_idx": [2], "test_idx": [0]}  # not what seed 0 deals out


@pytest.mark.parametrize("kind", [torch.tensor, np.array, list])
def test_node_numbers_are_the_split(kind: Any) -> None:
    task = NodeTask.from_pyg(make(**{key: kind(nodes) for key, nodes in NUMBERS.items()}))
    assert task.split is not None
    masks = [mask.tolist() for mask in task.split.masks().values()]
    assert masks == [[False, True, False], [False, False, True], [True, False, False]]


def test_node_numbers_that_make_no_split_are_announced() -> None:
    with pytest.warns(UserWarning, match="^train_idx is left out: a split needs val_idx and test"):
        task = NodeTask.from_pyg(make(train_idx=torch.tensor([2])))
    assert repr(task.split) == repr(NodeTask.from_pyg(make()).split)
    numbers = {key: torch.tensor(nodes) for key, nodes in NUMBERS.items()}
    with pytest.warns(UserWarning, match="test_idx are left out: the masks are the split$"):
        task = NodeTask.from_pyg(make(**MASKS, **numbers))
    assert task.split is not None and task.split.train.tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.long, torch.float])
def test_masks_of_zeros_and_ones_are_masks(dtype: torch.dtype) -> None:
    task = NodeTask.from_pyg(make(**{key: mask.to(dtype) for key, mask in MASKS.items()}))
    assert repr(task.split) == "Split(train=1, validation=1, test=1)"
