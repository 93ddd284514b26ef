"""`fastgat certify`: a graph against itself, its multiples and its parts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat.graph import Graph
from fastgat.graph.gallery import complete, path

TOLERANCE = 5e-3


def certify(cli: Callable[..., Any], folder: Path, graph: Graph, sparse: Graph) -> Any:
    graph.write(folder / "graph.npz")
    sparse.write(folder / "sparse.npz")
    ended = cli("certify", folder / "graph.npz", folder / "sparse.npz", "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_multiple(tmp_path: Path, cli: Callable[..., Any]) -> None:
    graph = complete(12)
    double = Graph.from_edges(graph.source, graph.target, [2.0] * graph.num_edges)
    said = certify(cli, tmp_path, graph, double)
    assert said["lower"] == pytest.approx(2, rel=TOLERANCE)
    assert said["upper"] == pytest.approx(2, rel=TOLERANCE)
    assert said["epsilon"] == pytest.approx(1, rel=TOLERANCE)
    assert set(said["degree_quantiles"].values()) == {2.0}
    assert [p["name"] for p in said["phases"]] == ["read graph", "read sparse", "certify"]


def test_lost_node(tmp_path: Path, cli: Callable[..., Any]) -> None:
    sparse = Graph.from_edges([0, 1], [1, 2], num_nodes=4)
    said = certify(cli, tmp_path, path(4), sparse)
    assert (said["lower"], said["isolated"], said["lost"], said["num_components"]) == (0, 1, 1, 2)
    assert said["lower_nonzero"] == pytest.approx(1, rel=TOLERANCE)
    assert said["upper"] == pytest.approx(1, rel=TOLERANCE)


def test_infinite_is_null(tmp_path: Path, cli: Callable[..., Any]) -> None:
    apart = Graph.from_edges([0, 2], [1, 3])
    said = certify(cli, tmp_path, apart, path(4))
    assert said["upper"] is None
    assert said["epsilon"] is None


def test_names_are_matched(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "graph.txt").write_text("a b 1\nb c 2\nc d 3\nd e 4\n")
    (tmp_path / "sparse.txt").write_text("e d 4\nc d 3\nc b 2\nb a 1\n")
    ended = cli("certify", tmp_path / "graph.txt", tmp_path / "sparse.txt", "--names", "--json")
    said = json.loads(ended.out)
    assert said["epsilon"] == pytest.approx(0, abs=TOLERANCE)
    (tmp_path / "sparse.txt").write_text("a b 1\nb z 2\n")
    ended = cli("certify", tmp_path / "graph.txt", tmp_path / "sparse.txt", "--names")
    folder = tmp_path
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"fastgat: {folder}/graph.txt: columns 0 and 1, weights 2 (no header)",
        f"fastgat: {folder}/sparse.txt: columns 0 and 1, weights 2 (no header)",
        f"fastgat: {folder}/sparse.txt has a node 'z', but {folder}/graph.txt has not",
    ]


@pytest.mark.parametrize("names", [["a", "a", "b"], ["a", "a", ""]])
def test_a_name_of_two_nodes_is_refused(
    names: list[str], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    graph = Graph.from_edges([0], [1], num_nodes=3, names=np.array(names))
    graph.write(tmp_path / "graph.npz")
    (tmp_path / "sparse.txt").write_text("a b\n")
    ended = cli("certify", tmp_path / "graph.npz", tmp_path / "sparse.txt", "--names")
    assert ended.code == 2
    assert "graph.npz has two nodes named 'a'; give every node its own name" in ended.err


def test_table(tmp_path: Path, cli: Callable[..., Any]) -> None:
    complete(5).write(tmp_path / "g.csv")
    ended = cli("certify", tmp_path / "g.csv", tmp_path / "g.csv")
    assert (ended.code, ended.err) == (0, "")
    for label in ("epsilon", "lower", "upper", "lower nonzero", "degree quantiles", "components"):
        assert label in ended.out


def test_other_number_of_nodes(tmp_path: Path, cli: Callable[..., Any]) -> None:
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    small.write_text("0 1\n")
    large.write_text("0 1\n1 2\n")
    assert cli("certify", large, small).err == (
        f"fastgat: {small} has 2 nodes, but {large} 3; "
        "if its last nodes have no edges, begin it with # num_nodes=3\n"
    )
    assert cli("certify", small, large).err == f"fastgat: {large} has 3 nodes, but {small} 2\n"
