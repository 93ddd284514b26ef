"""Archives are read as far as they make sense, and refused otherwise."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.data import amazon_coauthor, archive, github, ppi_rebuilt, stored_graphs

MATRIX = {  # 0-1, 1-0, 1-2, 2-2; node 3 alone
    "adj_data": np.ones(4, np.float32),
    "adj_indices": np.array([1, 0, 2, 2]),
    "adj_indptr": np.array([0, 1, 3, 4, 4]),
    "adj_shape": np.array([4, 4]),
}


def test_adjacency_matrix_becomes_a_graph(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **MATRIX)
    graph = amazon_coauthor.read_graph(tmp_path / "a.npz")
    assert (graph.num_nodes, graph.num_edges, graph.num_isolated) == (4, 2, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"adj_indptr": np.array([0, 1, 3, 4])}, "do not make a matrix"),
        ({"adj_indptr": np.array([0, 3, 1, 4, 4])}, "do not make a matrix"),
        ({"adj_indptr": np.array([0, 1, 3, 4, 5])}, "do not make a matrix"),
        ({"adj_shape": np.array([4, 5])}, "must be square"),
        ({"adj_indices": np.array([1, 0, 2, 9])}, "names node 9"),
        ({"adj_data": np.array([{}] * 4)}, "cannot be read"),  # Python objects
    ],
)
def test_broken_matrices_are_refused(
    tmp_path: Path, changed: dict[str, np.ndarray], message: str
) -> None:
    np.savez(tmp_path / "a.npz", **{**MATRIX, **changed})
    with pytest.raises(InputError, match=message):
        amazon_coauthor.read_graph(tmp_path / "a.npz")


def test_missing_arrays_and_cut_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    np.savez(file, edge_index=np.array([[0], [1]]))
    with pytest.raises(InputError, match=r"array 'num_nodes' is missing"):
        stored_graphs.read_graph(file)
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"cut short or not a zip file"):
        stored_graphs.read_graph(file)


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    np.savez_compressed(file, edge_index=np.arange(2000).reshape(2, 1000), num_nodes=2000)
    content = bytearray(file.read_bytes())
    content[300] ^= 1
    file.write_bytes(content)
    with pytest.raises(InputError):
        stored_graphs.read_graph(file)


def test_archives_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("git_web_ml/musae_git_edges.csv", "0,1\n" * 10_000)
    monkeypatch.setattr(archive, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match=r"unpacks to 40000 bytes, but at most 1000"):
        github.read_graph(tmp_path / "bomb.zip")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id_1,id_2\n0,x\n", "is damaged"),
        ("id_1,id_2\n0,1\n2\n", "is damaged"),
        ("id_1\n0\n", "has 1 columns"),
        ("id_1,id_2\n0,é\n", "is damaged"),
    ],
)
def test_damaged_edge_lists_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as file:
        file.writestr("git_web_ml/musae_git_edges.csv", text)
    with pytest.raises(InputError, match=message):
        github.read_graph(tmp_path / "g.zip")


def test_github_edges_become_a_graph(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as file:
        file.writestr("git_web_ml/musae_git_edges.csv", "id_1,id_2\n0,2\n2,1\n")
    assert github.read_graph(tmp_path / "g.zip").target.tolist() == [2, 2]
    with zipfile.ZipFile(tmp_path / "h.zip", "w") as file:
        file.writestr("other.csv", "")
    with pytest.raises(InputError, match=r"has no git_web_ml/musae_git_edges.csv"):
        github.read_graph(tmp_path / "h.zip")


def test_ppi_rebuilt_keeps_nodes_without_edges(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", edge_index=np.array([[0, 2], [1, 3]]), graph_id=np.zeros(6))
    assert ppi_rebuilt.read_graph(tmp_path / "p.npz").num_nodes == 6


def test_long_roads_conduct_less(tmp_path: Path) -> None:
    roads = {"edge_index": np.array([[0, 1], [1, 2]]), "num_nodes": 3}
    np.savez(tmp_path / "r.npz", **roads, length_km=np.array([0.5, 4], np.float32))
    assert stored_graphs.read_roads_by_length(tmp_path / "r.npz").weight.tolist() == [2, 0.25]
    np.savez(tmp_path / "r.npz", **roads, length_km=np.array([0, 4], np.float32))
    with pytest.raises(InputError, match=r"weight\[0\]=inf must be positive and finite"):
        stored_graphs.read_roads_by_length(tmp_path / "r.npz")
    np.savez(tmp_path / "r.npz", edge_index=np.zeros((3, 2), int), num_nodes=3)
    with pytest.raises(InputError, match=r"edge_index has shape \(3, 2\), but needs \(2, arcs\)"):
        stored_graphs.read_graph(tmp_path / "r.npz")
