"""`fastgat sparsify`: the graph it writes, and what it says about it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat import EffectiveResistanceSparsifier
from fastgat.graph import Graph, read_graph
from fastgat.graph.gallery import complete


@pytest.fixture
def dense(tmp_path: Path) -> Path:
    path = tmp_path / "dense.npz"
    complete(40).write(path)
    return path


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv", ".tsv", ".txt", ".mtx", ".csv.gz"])
def test_same_as_the_library(
    suffix: str, dense: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    out = tmp_path / f"sparse{suffix}"
    assert cli("sparsify", dense, out, "--epsilon", "0.7", "--seed", "5").code == 0
    expected = EffectiveResistanceSparsifier(epsilon=0.7).sparsify(complete(40), seed=5)
    sparse = read_graph(out)
    assert sparse.num_nodes == 40
    assert np.array_equal(sparse.source, expected.source)
    assert np.array_equal(sparse.target, expected.target)
    assert np.array_equal(sparse.weight, expected.weight)


@pytest.mark.parametrize("method", ["resistance", "degree", "uniform", "k-neighbor"])
@pytest.mark.parametrize(
    ("density", "low", "high"),
    [
        (("--keep", "0.3"), 200, 270),
        (("--keep", "300"), 270, 330),
        (("--epsilon", "0.5"), 50, 110),
    ],
)
def test_json(
    method: str,
    density: tuple[str, str],
    low: int,
    high: int,
    dense: Path,
    cli: Callable[..., Any],
) -> None:
    out = dense.with_name("sparse.npz")
    ended = cli("sparsify", dense, out, *density, "--method", method, "--json")
    assert (ended.code, ended.err) == (0, "")
    said = json.loads(ended.out)
    assert (said["num_nodes"], said["num_edges_before"]) == (40, 780)
    assert low <= said["num_edges_after"] <= high
    assert said["num_edges_after"] == read_graph(out).num_edges
    assert said["num_draws"] is None
    assert said["num_isolated"] == said["num_lost"] == read_graph(out).num_isolated
    assert [phase["name"] for phase in said["phases"]] == ["read", "prepare", "draw", "write"]
    assert all(phase["peak_bytes"] > 0 for phase in said["phases"])


def test_neighbors(dense: Path, cli: Callable[..., Any]) -> None:
    out = dense.with_name("sparse.npz")
    assert cli("sparsify", dense, out, "--method", "k-neighbor", "--neighbors", 3).code == 0
    assert read_graph(out).degree.min() >= 3


def test_independent_with_forest(tmp_path: Path, cli: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(rng.integers(0, 99, 300), rng.integers(0, 99, 300), num_nodes=100)
    graph.write(tmp_path / "g.csv")
    ended = cli(
        "sparsify", tmp_path / "g.csv", tmp_path / "s.csv", "--keep", "0.5",
        "--sampling", "independent", "--spanning-forest", "--json",
    )  # fmt: skip
    said = json.loads(ended.out)
    assert (said["num_lost"], said["num_draws"]) == (0, None)
    assert read_graph(tmp_path / "s.csv").num_components == graph.num_components


def test_certify(dense: Path, cli: Callable[..., Any]) -> None:
    ended = cli("sparsify", dense, dense.with_name("s.npz"), "--keep", "1.0", "--certify",
                "--sampling", "independent", "--json")  # fmt: skip
    said = json.loads(ended.out)
    assert said["num_edges_after"] == 780
    assert said["certificate"]["lower"] == pytest.approx(1, rel=1e-2)
    assert said["certificate"]["upper"] == pytest.approx(1, rel=1e-2)
    assert said["phases"][-1]["name"] == "certify"


def test_names_stay(tmp_path: Path, cli: Callable[..., Any]) -> None:
    lines = [f"n{u} n{v}" for u in range(12) for v in range(u)]
    (tmp_path / "g.txt").write_text("\n".join(lines) + "\n")
    out = tmp_path / "s.csv"
    assert cli("sparsify", tmp_path / "g.txt", out, "--names", "--keep", "40").code == 0
    sparse = read_graph(out, names=True)
    assert sparse.names is not None
    assert set(sparse.names.tolist()) == {f"n{i}" for i in range(12)}


def test_table_tells_what_was_repaired(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "g.csv").write_text("0,1,2.0\n1,0,3.0\n0,2,1.0\n0,2,1.0\n2,2,9.0\n1,2,1.0\n")
    ended = cli("sparsify", tmp_path / "g.csv", tmp_path / "s.csv", "--epsilon", "0.5")
    assert ended.code == 0
    for part in ("self-loops dropped", "repeated arcs added up", "unequal directions averaged"):
        assert f"1 {part}" in ended.out
    for label in ("edges before", "edges after", "isolated", "lost"):
        assert label in ended.out


@pytest.mark.parametrize("method", ["resistance", "degree", "uniform"])
def test_draws_with_replacement_are_counted(
    method: str, dense: Path, cli: Callable[..., Any]
) -> None:
    options = ("--keep", "0.3", "--sampling", "replacement", "--method", method)
    said = json.loads(cli("sparsify", dense, dense.with_name("s.npz"), *options, "--json").out)
    assert 200 <= said["num_edges_after"] <= 270 < said["num_draws"]
    ended = cli("sparsify", dense, dense.with_name("t.npz"), *options)
    assert f"{said['num_draws']}" in ended.out and "draws" in ended.out


def test_a_link_stays_a_link_and_the_mode_is_kept(dense: Path, cli: Callable[..., Any]) -> None:
    real, link = dense.with_name("real.npz"), dense.with_name("link.npz")
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert cli("sparsify", dense, link, "--keep", "0.5").code == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert read_graph(real).num_nodes == 40
