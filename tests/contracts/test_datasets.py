"""What every dataset promises; two of them are made here, by strangers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.data import (
    CATALOGUE,
    Dataset,
    GeneratedDataset,
    NodeTask,
    Sizes,
    StoredDataset,
    dataset_names,
    graph_names,
    load_dataset,
    load_graph,
    missing_file,
    task_names,
)
from fastgat.data.archive import read_arrays
from fastgat.graph import Graph
from fastgat.graph.gallery import cycle

# A stranger's dataset in a file of its own ...


def read_toy_graph(path: Path) -> Graph:
    (edge_index,) = read_arrays(path, "edge_index")
    return Graph.from_edges(*edge_index, num_nodes=6)


def read_toy_task(path: Path) -> NodeTask:
    features, labels = read_arrays(path, "x", "y")
    return NodeTask(read_toy_graph(path), features, labels, 2)


TOY = StoredDataset(
    title="Toy",
    sizes=Sizes(6, 6, 3, 2),
    graph_file="Toy/raw/toy.npz",
    read_graph=read_toy_graph,
    read_task=read_toy_task,
)


def write_toy(folder: Path) -> None:
    ring = cycle(6)
    path = folder / TOY.graph_file
    path.parent.mkdir(parents=True)
    np.savez(
        path, edge_index=np.stack([ring.source, ring.target]), x=np.ones((6, 3)), y=np.arange(6) % 2
    )


# ... and one that needs no file.


def make_ring(sizes: Sizes, seed: int = 0) -> NodeTask:
    features = np.random.default_rng(seed).random((sizes.num_nodes, sizes.num_features))
    return NodeTask(
        cycle(sizes.num_nodes), features, np.arange(sizes.num_nodes) % 2, sizes.num_classes
    )


RING = GeneratedDataset(title="Ring", sizes=Sizes(20, 20, 4, 2), make=make_ring)

STRANGERS: dict[str, Dataset] = {"toy": TOY, "ring": RING}
EVERY = [*CATALOGUE, *STRANGERS]
GENERATED = ["digits", "synthetic", "long-tail", "ppi-like", "ring"]  # reddit-like takes gigabytes


@pytest.fixture(autouse=True, scope="module")
def strangers() -> Iterator[None]:
    """One line each is all it takes."""
    CATALOGUE.update(STRANGERS)
    yield
    for name in STRANGERS:
        del CATALOGUE[name]


@pytest.fixture
def load(
    task: Callable[[str], NodeTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], NodeTask]:
    """Give `load("photo")`: the task, or a skip."""

    def get(name: str) -> NodeTask:
        if name == "toy":
            write_toy(tmp_path)
            monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
            return load_dataset("toy")
        if name == "reddit-like":
            return load_dataset(name, num_nodes=1000)
        if not CATALOGUE[name].has_task:
            pytest.skip(f"{name} is a graph alone")
        return task(name)

    return get


@pytest.mark.parametrize("name", EVERY)
def test_entries_are_told_apart(name: str) -> None:
    dataset = CATALOGUE[name]
    assert name == name.lower() and "_" not in name
    assert dataset.title
    assert dataset.sizes.num_nodes > 0 and dataset.sizes.num_edges > 0
    assert dataset.has_task == (dataset.sizes.num_features > 0) == (dataset.sizes.num_classes > 0)
    assert name in graph_names()
    assert (name in task_names()) == dataset.has_task
    assert (name in dataset_names()) == isinstance(dataset, StoredDataset)
    if dataset.shares is not None:
        assert sum(dataset.shares) == pytest.approx(1)


@pytest.mark.parametrize("name", EVERY)
def test_files_are_in_one_folder_and_missed_by_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    dataset = CATALOGUE[name]
    if isinstance(dataset, GeneratedDataset):
        assert missing_file(name) is None
        return
    assert isinstance(dataset, StoredDataset)
    files = dataset.files()
    assert len({Path(file).parent for file in files}) == 1
    assert set(dataset.files(graph_only=True)) <= set(files)
    assert missing_file(name) == files[0] == dataset.graph_file
    assert dataset.url is None or dataset.url.startswith("https://")
    with pytest.raises(
        InputError, match=r"is not in .*; set FASTGAT_DATA to the folder that holds"
    ):
        load_graph(name)


@pytest.mark.parametrize("name", EVERY)
def test_a_task_holds_together(name: str, load: Callable[[str], NodeTask]) -> None:
    task, dataset = load(name), CATALOGUE[name]
    assert task.name == name
    found = (task.num_nodes, task.graph.num_edges, task.num_features, task.num_classes)
    if name != "reddit-like":
        assert found == tuple(vars(dataset.sizes).values())
    assert np.all(task.graph.source < task.graph.target)
    assert task.features.dtype == np.float32
    assert task.split is not None
    masks = task.split.masks()
    assert all(mask.any() for mask in masks.values())
    assert not any((mask & ~task.labelled).any() for mask in masks.values())
    dealt = sum(mask.astype(int) for mask in masks.values())
    assert np.array_equal(dealt, task.labelled.astype(int))


@pytest.mark.parametrize("name", ["cora", "photo", "digits", "synthetic", "toy", "ring"])
def test_the_split_seed_decides(name: str, load: Callable[[str], NodeTask]) -> None:
    load(name)
    first, again, other = (load_dataset(name, split_seed=seed) for seed in (3, 3, 5))
    assert first.split is not None and again.split is not None and other.split is not None
    assert np.array_equal(first.split.test, again.split.test)
    assert not np.array_equal(first.split.test, other.split.test)


@pytest.mark.parametrize("name", GENERATED)
def test_the_graph_is_the_tasks(name: str) -> None:
    graph, task = load_graph(name), load_dataset(name)
    assert np.array_equal(graph.source, task.graph.source)
    assert np.array_equal(graph.target, task.graph.target)


def test_a_strangers_files_are_checked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_toy(tmp_path)
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    assert load_graph("Toy").num_edges == 6
    with pytest.raises(InputError, match="split='public' does not exist for toy"):
        load_dataset("toy", split="public")
    with pytest.raises(InputError, match="seed is for datasets that are generated, but toy is not"):
        load_dataset("toy", seed=3)
    monkeypatch.setitem(CATALOGUE, "toy", dataclasses.replace(TOY, sizes=Sizes(6, 7, 3, 2)))
    with pytest.raises(InputError, match=r"toy.npz has 6 edges, but Toy has 7: fetch it"):
        load_dataset("toy")
    with pytest.raises(InputError, match=r"toy.npz has 6 nodes and 6 edges, but Toy has 6 and 7"):
        load_graph("toy")


def test_a_strangers_sizes_may_be_chosen() -> None:
    assert load_dataset("ring", num_nodes=50, num_features=7).features.shape == (50, 7)
    with pytest.raises(InputError, match="size='length' must be one of 'num_nodes'"):
        load_dataset("ring", length=50)
