"""Datasets have the sizes, labels and splits they are known for."""

import dataclasses
import json
import pickle
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from fastgat.check import InputError
from fastgat.data import (
    CATALOGUE,
    NodeTask,
    Sizes,
    StoredDataset,
    load_dataset,
    load_graph,
    planetoid,
    ppi,
    reddit,
    task_names,
)

GetTask = Callable[[str], NodeTask]
STORED = [name for name in task_names() if isinstance(CATALOGUE[name], StoredDataset)]


@pytest.mark.parametrize("name", STORED)
def test_sizes_are_those_of_the_catalogue(name: str, task: GetTask) -> None:
    loaded = task(name)
    found = (loaded.num_nodes, loaded.graph.num_edges, loaded.num_features, loaded.num_classes)
    assert found == tuple(vars(CATALOGUE[name].sizes).values())
    assert loaded.is_sparse == (name not in ("ppi", "ppi-rebuilt", "reddit"))
    assert loaded.name == name
    assert loaded.split is not None
    if not loaded.is_multi_label:
        assert set(loaded.labels[loaded.labelled]) == set(range(loaded.num_classes))
        share = np.count_nonzero(loaded.split.train) / np.count_nonzero(loaded.labelled)
        assert share == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize(("name", "train"), [("cora", 140), ("citeseer", 120), ("pubmed", 60)])
def test_public_split_has_twenty_nodes_of_each_class(name: str, train: int, task: GetTask) -> None:
    task(name)
    public = load_dataset(name, split="public")
    assert repr(public.split) == f"Split(train={train}, validation=500, test=1000)"
    assert public.split is not None
    assert set(np.bincount(public.labels[public.split.train])) == {20}


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed"])
def test_neighbours_agree_so_rows_are_in_place(name: str, task: GetTask) -> None:
    """Rows out of place would leave neighbours as alike as strangers, 1 / classes."""
    loaded = task(name)
    known = loaded.labels[loaded.graph.source], loaded.labels[loaded.graph.target]
    assert np.mean(known[0] == known[1]) > 0.7


def test_citeseer_has_nodes_without_a_row(task: GetTask) -> None:
    loaded = task("citeseer")
    bare = np.flatnonzero(~loaded.labelled)
    assert bare.size == 15
    assert loaded.features[bare].sum() == 0


def test_word_counts_become_ones(task: GetTask) -> None:
    features: Any = task("cs").features
    assert set(np.unique(features.data)) == {1.0}


def test_ppi_rebuilt_has_24_graphs(task: GetTask) -> None:
    loaded = task("ppi-rebuilt")
    assert loaded.num_graphs == 24
    assert repr(loaded.split) == "Split(train=44906, validation=6514, test=5524)"
    parts = loaded.graphs()
    assert sum(part.graph.num_edges for part in parts) == loaded.graph.num_edges
    used = [[mask.any() for mask in part.split.masks().values()] for part in parts if part.split]
    assert np.sum(used, axis=0).tolist() == [20, 2, 2]
    assert loaded.split is not None and loaded.class_names is not None
    known: Any = loaded.features[loaded.split.train]
    np.testing.assert_allclose(known.mean(axis=0), 0, atol=1e-5)
    deviation = known.std(axis=0)
    assert np.all((np.abs(deviation - 1) < 1e-3) | (deviation == 0))
    assert loaded.labels.sum() == 2_101_921
    assert loaded.class_names[0] == "GO:0050789"


def test_digits_need_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    loaded = load_dataset("digits", split_seed=3)
    assert (loaded.num_nodes, loaded.num_features, loaded.num_classes) == (1797, 64, 10)
    assert load_graph("digits").num_edges == loaded.graph.num_edges
    with pytest.raises(InputError, match="num_nodes cannot be chosen: Digits has one size"):
        load_dataset("digits", num_nodes=5)


def test_generated_tasks_have_the_sizes_asked_for() -> None:
    small = load_dataset("reddit-like", num_nodes=300, num_features=5, num_classes=3, seed=7)
    assert (small.num_nodes, small.num_features, small.num_classes) == (300, 5, 3)
    assert repr(small.split) == "Split(train=195, validation=30, test=75)"
    again = load_dataset("reddit-like", num_nodes=300, num_features=5, num_classes=3, seed=7)
    assert np.array_equal(small.features, again.features)
    assert np.array_equal(small.graph.target, again.graph.target)
    graphs = load_dataset("ppi-like", num_nodes=480, num_classes=4)
    assert graphs.is_multi_label
    assert graphs.num_graphs == 24
    assert repr(graphs.split) == "Split(train=400, validation=40, test=40)"


def test_a_neighbourhood_tells_more_than_a_node() -> None:
    made = load_dataset("synthetic", seed=5)
    x: Any = made.features
    mean = np.stack([x[made.labels == label].mean(axis=0) for label in range(made.num_classes)])
    around = made.graph.to_scipy() @ x
    alone = np.mean((x @ mean.T).argmax(axis=1) == made.labels)
    together = np.mean((around @ mean.T).argmax(axis=1) == made.labels)
    assert 1 / made.num_classes < alone < together


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"name='foto' is not a dataset; did you mean 'photo'\?"):
        load_dataset("foto")
    with pytest.raises(InputError, match="name='web-google' is not a dataset"):
        load_dataset("web-google")
    with pytest.raises(InputError, match="split='test' must be one of 'paper', 'public'"):
        load_dataset("digits", split="test")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="split='public' does not exist for digits"):
        load_dataset("digits", split="public")
    with pytest.raises(InputError, match="size='nodes' must be one of 'num_nodes'"):
        load_dataset("synthetic", nodes=5)
    with pytest.raises(InputError, match="num_nodes is for datasets that are generated, but cora"):
        load_dataset("cora", num_nodes=5)
    with pytest.raises(InputError, match="num_nodes=20 must be at least 192, for 24 graphs"):
        load_dataset("ppi-like", num_nodes=20)


@pytest.mark.parametrize(
    ("name", "file"),
    [("ppi", "PPI/raw/train_graph.json"), ("reddit", "Reddit/raw/reddit_graph.npz")],
)
def test_missing_file_is_named(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(InputError) as refusal:
        load_dataset(name)
    folder, base = (tmp_path / file).parent, Path(file).name
    assert str(refusal.value) == (
        f"{base} is not in {folder}; set FASTGAT_DATA to the folder that holds {file}"
    )


def write_ppi(folder: Path) -> Path:
    """Two training graphs, a path of 3 and an edge; one edge each for validation and test."""
    for group, graph_id, links in [
        ("train", [1, 1, 1, 2, 2], [(0, 1), (1, 2), (3, 4), (4, 4)]),
        ("valid", [3, 3], [(0, 1)]),
        ("test", [4, 4], [(1, 0)]),
    ]:
        size = len(graph_id)
        listed = [{"source": u, "target": v} for u, v in links]
        nodes = [{"id": node} for node in range(size)]
        content = {"directed": False, "nodes": nodes, "links": listed}
        (folder / f"{group}_graph.json").write_text(json.dumps(content))
        np.save(folder / f"{group}_feats.npy", np.ones((size, 2)))
        np.save(folder / f"{group}_labels.npy", np.ones((size, 3), np.int64))
        np.save(folder / f"{group}_graph_id.npy", np.array(graph_id))
    return folder / "train_graph.json"


def test_ppi_files(tmp_path: Path) -> None:
    loaded = ppi.read_task(write_ppi(tmp_path))
    assert loaded.part is not None
    assert loaded.part.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert loaded.graph.source.tolist() == [0, 1, 3, 5, 7]
    assert repr(loaded.split) == "Split(train=5, validation=2, test=2)"
    assert [one.num_nodes for one in loaded.graphs()] == [3, 2, 2, 2]
    (tmp_path / "test_graph.json").write_text('{"links": [{"source": 0, "target": 9}]}')
    with pytest.raises(InputError, match=r"test_graph.json names node 9, but there are 2 rows"):
        ppi.read_task(tmp_path / "train_graph.json")
    (tmp_path / "test_graph.json").write_text('{"links": [{"source": 0}]}')
    with pytest.raises(InputError, match=r"test_graph.json is damaged"):
        ppi.read_task(tmp_path / "train_graph.json")
    np.save(tmp_path / "test_feats.npy", np.array([{}, {}]))
    with pytest.raises(InputError, match=r"test_feats.npy cannot be read"):
        ppi.read_task(tmp_path / "train_graph.json")


def test_reddit_files(tmp_path: Path) -> None:
    matrix = scipy.sparse.coo_matrix(([1, 1, 1, 1], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(4, 4))
    scipy.sparse.save_npz(tmp_path / "reddit_graph.npz", matrix)
    np.savez(
        tmp_path / "reddit_data.npz",
        feature=np.ones((4, 2)),
        label=np.array([0, 1, 2, 0]),
        node_types=np.array([1, 1, 2, 3]),
    )
    loaded = reddit.read_task(tmp_path / "reddit_graph.npz")
    assert (loaded.num_nodes, loaded.graph.num_edges, loaded.num_classes) == (4, 2, 3)
    assert repr(loaded.split) == "Split(train=2, validation=1, test=1)"


def write_planetoid(folder: Path) -> Path:
    """510 nodes: the first 506 known, of them 2 for training, then test nodes 509, 506, 508."""
    x = scipy.sparse.csr_matrix(np.arange(1, 507, dtype=np.float32)[:, None])
    y = np.eye(2, dtype=np.int32)[np.arange(506) % 2]
    parts: dict[str, Any] = {
        "allx": x,
        "ally": y,
        "tx": scipy.sparse.csr_matrix(np.array([[7.0], [8.0], [9.0]], np.float32)),
        "ty": np.eye(2, dtype=np.int32)[[1, 0, 1]],
        "y": y[:2],
        "graph": defaultdict(list, {node: [(node + 1) % 510] for node in range(510)}),
    }
    for part, content in parts.items():
        (folder / f"ind.small.{part}").write_bytes(pickle.dumps(content, 4))
    (folder / "ind.small.test.index").write_text("509\n506\n508\n")
    return folder / "ind.small.graph"


def test_planetoid_files(tmp_path: Path) -> None:
    loaded = planetoid.read_task(write_planetoid(tmp_path))
    features: Any = loaded.features
    assert features.toarray().ravel()[[0, 505, 506, 507, 508, 509]].tolist() == [1, 506, 8, 0, 9, 7]
    assert loaded.labels[[0, 1, 506, 507, 508, 509]].tolist() == [0, 1, 0, -1, 1, 1]
    assert repr(loaded.split) == "Split(train=2, validation=500, test=3)"


def test_another_dataset_under_the_right_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    (tmp_path / "Reddit/raw").mkdir(parents=True)
    test_reddit_files(tmp_path / "Reddit/raw")
    with pytest.raises(InputError, match="has 4 nodes, but Reddit has 232965: fetch it"):
        load_dataset("reddit")
    small = dataclasses.replace(reddit.REDDIT, sizes=Sizes(4, 2, 3, 3), other_files=())
    monkeypatch.setitem(CATALOGUE, "reddit", small)
    with pytest.raises(InputError, match="has 2 features, but Reddit has 3: fetch it"):
        load_dataset("reddit")


def test_a_long_tail_hangs_on_the_core_by_three_edges() -> None:
    made = load_dataset("long-tail", num_nodes=1200, num_edges=20_000, seed=5)
    assert made.graph.num_edges == 20_000
    core, tail = made.graph.degree[:400], made.graph.degree[400:]
    assert (tail == 3).all() and core.mean() > 80
    of_tail = made.graph.source >= 400
    of_tail |= made.graph.target >= 400
    same = made.labels[made.graph.source] == made.labels[made.graph.target]
    assert 0.8 < same[of_tail].mean() < 0.9  # four fifths, and what strays to the same class
    with pytest.raises(InputError, match="too few for a long tail: it needs 9 nodes per class"):
        load_dataset("long-tail", num_nodes=12)
