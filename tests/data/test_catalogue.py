"""Every dataset that is here has the sizes it is known for; what is wrong is said in a sentence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.data import catalogue, dataset_names, download, load_graph
from fastgat.graph import Graph

GetDataset = Callable[[str], Graph]


@pytest.mark.parametrize("name", dataset_names())
def test_sizes_are_those_of_the_catalogue(name: str, dataset: GetDataset) -> None:
    graph, entry = dataset(name), catalogue.CATALOGUE[name]
    assert (graph.num_nodes, graph.num_edges) == (entry.sizes.num_nodes, entry.sizes.num_edges)
    assert np.all(graph.source < graph.target)
    assert graph.is_weighted == (name == "world-highways-weighted")


@pytest.mark.parametrize(
    ("name", "isolated"), [("citeseer", 48), ("computers", 281), ("photo", 115)]
)
def test_isolated_nodes_are_kept(name: str, isolated: int, dataset: GetDataset) -> None:
    assert dataset(name).num_isolated == isolated


@pytest.mark.parametrize(("name", "components"), [("web-google", 2746), ("world-highways", 1198)])
def test_stored_graphs_have_their_components(
    name: str, components: int, dataset: GetDataset
) -> None:
    assert dataset(name).num_components == components


def test_weighted_highways_are_the_same_roads(dataset: GetDataset) -> None:
    plain, weighted = dataset("world-highways"), dataset("world-highways-weighted")
    assert np.array_equal(plain.source, weighted.source)
    assert np.array_equal(plain.target, weighted.target)


def test_names_are_taken_in_any_case() -> None:
    assert catalogue.find_dataset("World_Highways") is catalogue.CATALOGUE["world-highways"]


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"name='foto' is not a dataset; did you mean 'photo'\?"):
        load_graph("foto")
    with pytest.raises(InputError, match=r"there are cora, citeseer, pubmed"):
        load_graph("zzzzzz")


def test_missing_file_is_named_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    with pytest.raises(InputError) as refusal:
        load_graph("cora")
    assert str(refusal.value) == (
        f"ind.cora.graph is not in {tmp_path}/Planetoid/Cora/raw; "
        "set FASTGAT_DATA to the folder that holds Planetoid/Cora/raw/ind.cora.graph"
    )


def test_without_the_variable_the_cache_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FASTGAT_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert download.data_folder() == tmp_path / "cache" / "fastgat"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert download.data_folder() == tmp_path / ".cache" / "fastgat"


def test_another_graph_under_the_right_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    file = tmp_path / "graphs" / "web_google.npz"
    file.parent.mkdir()
    np.savez(file, edge_index=np.array([[0], [1]]), num_nodes=2)
    with pytest.raises(InputError, match=r"has 2 nodes and 1 edges, but web-Google has 875713"):
        load_graph("web-google")
    np.savez(file, edge_index=np.array([[0], [1]]), num_nodes=np.array([2, 3]))
    with pytest.raises(InputError, match=r"web_google.npz is damaged \(.*\): fetch it again"):
        load_graph("web-google")
    np.savez(file, edge_index=np.array([[0], [9]]), num_nodes=2)
    with pytest.raises(InputError, match=r"web_google.npz: edge \(0, 9\) names node 9"):
        load_graph("web-google")
