"""Files that hold a PyG `Data` become tasks; files that hold anything else are refused."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from fastgat.check import InputError
from fastgat.pyg import read_pyg

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def make(**fields: Any) -> Data:
    return Data(**{"x": torch.eye(3), "edge_index": EDGES, "y": torch.tensor([0, 1, -1]), **fields})


def saved(folder: Path, content: Any) -> Path:
    torch.save(content, folder / "data.pt")
    return folder / "data.pt"


def test_data(tmp_path: Path) -> None:
    task = read_pyg(saved(tmp_path, make()), shares=(0.5, 0.5, 0))
    assert (task.num_nodes, task.graph.num_edges, task.num_classes) == (3, 2, 2)
    assert repr(task.split) == "Split(train=1, validation=1, test=0)"
    assert task.name == "data"


def test_masks_weights_and_sparse_features(tmp_path: Path) -> None:
    masks = {f"{name}_mask": torch.eye(3)[i].bool() for i, name in enumerate(("train", "val"))}
    data = make(
        **masks,
        test_mask=torch.zeros(3, dtype=torch.bool),
        edge_weight=torch.tensor([2.0, 2.0, 3.0, 3.0]),
        x=torch.eye(3).to_sparse_csr(),
    )
    task = read_pyg(saved(tmp_path, data))
    assert task.is_sparse
    assert task.graph.weight.tolist() == [2, 3]
    assert repr(task.split) == "Split(train=1, validation=1, test=0)"


def test_file_of_a_dataset(tmp_path: Path) -> None:
    task = read_pyg(saved(tmp_path, (make().to_dict(), None, Data)))
    assert np.array_equal(task.features, np.eye(3))
    with pytest.raises(InputError, match=r"data.pt: holds several graphs"):
        read_pyg(saved(tmp_path, (make().to_dict(), {"x": torch.arange(3)}, Data)))


def test_what_torch_may_load_stays_as_it_was(tmp_path: Path) -> None:
    """PyG allows its own classes when it is imported, and its datasets rely on that."""
    torch.serialization.add_safe_globals([Data])  # as PyG does
    before = set(torch.serialization.get_safe_globals())
    read_pyg(saved(tmp_path, make()))
    assert set(torch.serialization.get_safe_globals()) == before


class Call:
    def __reduce__(self) -> Any:
        return os.system, ("touch ran",)


class Mine:
    pass


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make(extra=Call()), r"data.pt asks for posix.system, which no PyG Data needs"),
        (Call(), r"data.pt asks for posix.system"),
        (Mine(), r"data.pt asks for \S*Mine, which no PyG Data needs"),
        ([1, 2], r"does not hold a PyG Data"),
        (make(y=None), r"Data has no tensor y, which a task needs"),
        (make(x="text"), r"Data has no tensor x"),
        (make(edge_index=torch.zeros(3, 2)), r"edge_index has shape \(3, 2\)"),
        (make(edge_index=torch.tensor([[0], [9]])), r"names node 9, but num_nodes=3"),
        (make(y=torch.tensor([0.5, 1, 1])), r"labels has dtype float32"),
        (make(train_mask=torch.ones(3, 10)), r"labels|holds several splits|PyG"),
    ],
)
def test_refusals(
    content: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if isinstance(content, Data) and "train_mask" in content:
        content.val_mask = content.test_mask = content.train_mask
    with pytest.raises(InputError, match=message):
        read_pyg(saved(tmp_path, content))
    assert not (tmp_path / "ran").exists()


def test_damaged_files(tmp_path: Path) -> None:
    file = saved(tmp_path, make())
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(InputError, match=r"data.pt is not a whole PyG file"):
        read_pyg(file)
    with pytest.raises(InputError, match=r"none.pt does not exist"):
        read_pyg(tmp_path / "none.pt")
