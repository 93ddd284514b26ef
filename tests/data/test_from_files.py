"""The user's own files become a task, or are refused in a sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse

from fastgat.check import InputError
from fastgat.data import Split, read_task

SPLIT = Split.from_indices(4, [0], [1], [2])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n")
    np.save(tmp_path / "x.npy", np.arange(8.0).reshape(4, 2))
    (tmp_path / "y.csv").write_text("node,label\n2,1\n0,0\n1,1\n3,\n")
    return tmp_path


def test_arrays_and_tables(files: Path) -> None:
    task = read_task(files / "edges.csv", files / "x.npy", files / "y.csv", split_seed=3)
    assert (task.num_nodes, task.graph.num_edges, task.num_classes) == (4, 2, 2)
    assert task.labels.tolist() == [0, 1, 1, -1]
    assert task.name == "edges"
    assert task.split is not None
    assert not task.split.test[3]


def test_every_form_gives_the_same(files: Path) -> None:
    x = np.arange(8.0).reshape(4, 2)
    np.savez(files / "dense.npz", x=x)
    scipy.sparse.save_npz(files / "sparse.npz", scipy.sparse.csr_array(x))
    (files / "x.tsv").write_text("a\tb\n0\t1\n2\t3\n4\t5\n6\t7\n")
    table = pa.table({"id": [3, 2, 1, 0], "a": x[::-1, 0], "b": x[::-1, 1]})
    pa.parquet.write_table(table, files / "x.parquet")
    np.savez(files / "y.npz", y=np.array([0, 1, 1, -1]))
    for name in ("x.npy", "dense.npz", "sparse.npz", "x.tsv", "x.parquet"):
        for labels in ("y.csv", "y.npz"):
            task = read_task(files / "edges.csv", files / name, files / labels, split=SPLIT)
            features: Any = task.features
            assert task.is_sparse == (name == "sparse.npz")
            assert (features.toarray() if task.is_sparse else features).tolist() == x.tolist()
            assert task.labels.tolist() == [0, 1, 1, -1]


def test_names(tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_text("ann\tbob\nbob\tcy\n")
    (tmp_path / "x.csv").write_text("node,age\ncy,3\nann,1\nbob,2\ndee,4\n")
    (tmp_path / "y.csv").write_text("node,label\nbob,cat\ndee,dog\n")
    files = tmp_path / "edges.tsv", tmp_path / "x.csv", tmp_path / "y.csv"
    task = read_task(*files, names=True)
    assert task.graph.names is not None
    assert task.graph.names.tolist() == ["ann", "bob", "cy", "dee"]
    assert np.asarray(task.features).ravel().tolist() == [1, 2, 3, 4]
    assert task.labels.tolist() == [-1, 0, -1, 1]
    assert task.class_names == ("cat", "dog")


def test_several_labels(files: Path) -> None:
    (files / "many.csv").write_text("a,b,c\n1,0,1\n0,0,0\n1,1,1\n0,1,0\n")
    task = read_task(files / "edges.csv", files / "x.npy", files / "many.csv")
    assert task.is_multi_label
    assert task.labels.tolist() == [[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "node,a\n0,1\n1,1\n", r"x.csv has no row for node 2; give every node"),
        ("x.csv", "node,a\n0,1\n0,1\n1,1\n2,1\n3,1\n", r"x.csv has two rows for node 0"),
        (
            "x.csv",
            "a,b\n1,2\n1,2\nx,2\n1,2\n",
            r"x.csv: column 'a' holds 'x' in row 2, but features are numbers",
        ),
        ("x.csv", "a,b\n1,2\n1\n", r"x.csv: it cannot be read"),
        ("x.csv", "node\n0\n", r"x.csv: there is no column of features"),
        ("x.csv", "node,a\nann,1\n", r"x.csv names its nodes .'ann', ....: use names=True"),
        ("x.csv", "node,a\n-1,1\n", r"node -1 is negative"),
        ("y.csv", "label\n\n0.5\n1\n1\n", r"y.csv: label 0.5 is not a class"),
        ("y.csv", "label,other\n,1\n,1\n,1\n,1\n", r"y.csv"),
        (
            "y.csv",
            "a,b\n1,0\n1,7000\n1,1\n1,1\n",
            r"y.csv: which of the columns 'a', 'b' is the label cannot be told",
        ),
        ("y.csv", "label\n-3\n0\n0\n0\n", r"y.csv: label -3 is negative; -1 stands for no label"),
        ("x.pdf", "1", r"x.pdf: features and labels end in .npy, .npz, .parquet or .csv, .tsv"),
    ],
)
def test_refusals(name: str, text: str, message: str, files: Path) -> None:
    (files / name).write_text(text)
    x = files / name if name.startswith("x") else files / "x.npy"
    y = files / name if name.startswith("y") else files / "y.csv"
    with pytest.raises(InputError, match=message):
        read_task(files / "edges.csv", x, y)


def test_python_objects_are_never_loaded(files: Path) -> None:
    np.save(files / "o.npy", np.array([{}, {}]))
    np.savez(files / "o.npz", x=np.array([{}, {}]))
    for name in ("o.npy", "o.npz"):
        with pytest.raises(InputError, match="cannot be read"):
            read_task(files / "edges.csv", files / name, files / "y.csv")
    np.savez(files / "z.npz", z=np.zeros(2))
    with pytest.raises(InputError, match=r"z.npz: has arrays z, but needs x or features"):
        read_task(files / "edges.csv", files / "z.npz", files / "y.csv")
