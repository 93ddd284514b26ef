"""`fastgat resistances`: what is printed, and what is in the file."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastgat.check import InputError
from fastgat.graph import Graph, read_graph
from fastgat.graph.gallery import complete, cycle, two_components
from fastgat.spectral.resistance_file import write_resistances

COLUMNS = ["source", "target", "weight", "resistance", "leverage"]


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.csv"
    cycle(5).write(path)
    return path


def read_table(path: Path) -> dict[str, list[Any]]:
    if path.suffix == ".parquet":
        table = pq.read_table(path)
    elif path.suffix == ".npz":
        with np.load(path) as arrays:
            return {name: arrays[name].tolist() for name in COLUMNS}
    else:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        delimiter = "," if ".csv" in path.suffixes else "\t"
        options = pyarrow.csv.ParseOptions(delimiter=delimiter)
        text = pyarrow.BufferReader(raw.removeprefix(b"# "))
        table = pyarrow.csv.read_csv(text, parse_options=options)
    assert table.column_names == COLUMNS
    return table.to_pydict()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.tsv", "r.txt", "r.npz", "r.csv.gz"])
def test_files(name: str, ring: Path, tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / name
    assert cli("resistances", ring, "--method", "exact", "--out", out).code == 0
    table = read_table(out)
    assert (table["source"], table["target"]) == ([0, 0, 1, 2, 3], [1, 4, 2, 3, 4])
    assert table["weight"] == [1.0] * 5
    assert table["resistance"] == pytest.approx([0.8] * 5)
    assert table["leverage"] == pytest.approx([0.8] * 5)
    assert {path.name for path in tmp_path.iterdir()} == {"ring.csv", name}


def test_leverage_is_weight_times_resistance(tmp_path: Path, cli: Callable[..., Any]) -> None:
    heavy = Graph.from_edges([0, 1, 2], [1, 2, 0], [3.0, 3.0, 3.0])
    heavy.write(tmp_path / "g.npz")
    out = tmp_path / "r.npz"
    assert cli("resistances", tmp_path / "g.npz", "--method", "exact", "--out", out).code == 0
    table = read_table(out)
    assert table["weight"] == [3.0] * 3
    assert table["resistance"] == pytest.approx([2 / 9] * 3)
    assert table["leverage"] == pytest.approx([2 / 3] * 3)
    assert read_graph(out).num_edges == 3


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names(suffix: str, tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "g.txt").write_text("ann bob\nbob 'x,y'\n")
    out = tmp_path / f"r{suffix}"
    assert cli("resistances", tmp_path / "g.txt", "--names", "--out", out).code == 0
    table = read_table(out)
    assert list(zip(table["source"], table["target"], strict=True)) == [
        ("ann", "bob"),
        ("bob", "'x,y'"),
    ]
    assert table["resistance"] == [1.0, 1.0]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_that_do_not_tell_nodes_apart(suffix: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], names=np.array(["ann", "bob", "ann"]))
    out = tmp_path / f"r{suffix}"
    with pytest.raises(InputError, match=r"node name 'ann' appears twice; write .npz instead"):
        write_resistances(out, graph, np.ones(2))
    assert list(tmp_path.iterdir()) == []
    write_resistances(tmp_path / "r.npz", graph, np.ones(2))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_without_edges(suffix: str, tmp_path: Path) -> None:
    write_resistances(tmp_path / f"r{suffix}", Graph.from_edges([], [], num_nodes=3), np.zeros(0))
    assert read_table(tmp_path / f"r{suffix}")["leverage"] == []


def test_json(ring: Path, cli: Callable[..., Any]) -> None:
    ended = cli("resistances", ring, "--json", "--out", ring.with_name("r.csv"))
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    said = json.loads(ended.out)
    assert (said["num_nodes"], said["num_edges"], said["method"]) == (5, 5, "smoothed")
    for name in ("sketch_columns", "smoothing_steps", "iterations", "num_bridges"):
        assert isinstance(said[name], int)
    assert said["preconditioner"] in ("diagonal", "cholesky")
    assert said["mean_resistance"] == pytest.approx(0.8, rel=0.1)
    assert said["repairs"] == {"self_loops": 0, "repeated": 0, "merged": 0, "averaged": 0}
    assert [phase["name"] for phase in said["phases"]] == ["read", "resistances", "write"]
    for phase in said["phases"]:
        assert phase["seconds"] >= 0
        assert phase["peak_bytes"] >= phase["resident_bytes"] > 1_000_000
    assert said["seconds"] == pytest.approx(sum(phase["seconds"] for phase in said["phases"]))


def test_table(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "g.txt").write_text("0 1\n1 0\n1 1\n1 2\n")
    ended = cli("resistances", tmp_path / "g.txt")
    assert (ended.code, ended.err) == (0, "")
    rows = [line.split(maxsplit=1) for line in ended.out.splitlines() if line]
    assert ["nodes", "3"] in [[word.strip() for word in row] for row in rows]
    assert "1 self-loops dropped, 1 repeated arcs dropped" in ended.out
    for label in ("sketch columns", "expected error", "foster ratio", "preconditioner", "peak MB"):
        assert label in ended.out


@pytest.mark.parametrize("method", ["smoothed", "plain", "exact", "degree"])
def test_methods(method: str, tmp_path: Path, cli: Callable[..., Any]) -> None:
    complete(30).write(tmp_path / "g.npz")
    said = json.loads(cli("resistances", tmp_path / "g.npz", "--method", method, "--json").out)
    exact = {"degree": 2 / 29}.get(method, 2 / 30)
    assert said["mean_resistance"] == pytest.approx(exact, rel=0.1)
    assert said["foster_ratio"] == pytest.approx(exact * 15, rel=0.1)


def test_columns(ring: Path, cli: Callable[..., Any]) -> None:
    for method in ("smoothed", "plain"):
        ended = cli("resistances", ring, "--method", method, "--columns", 48, "--json")
        assert json.loads(ended.out)["sketch_columns"] == 48


def test_no_edges(tmp_path: Path, cli: Callable[..., Any]) -> None:
    (tmp_path / "g.txt").write_text("# num_nodes=3\n")
    for method in ("smoothed", "plain", "exact", "degree"):
        out = tmp_path / "r.csv"
        ended = cli("resistances", tmp_path / "g.txt", "--method", method, "--json", "--out", out)
        said = json.loads(ended.out)
        assert (said["num_edges"], said["foster_ratio"], said["mean_resistance"]) == (0, 1.0, None)
        assert out.read_text() == "source,target,weight,resistance,leverage\n"


def test_cache(tmp_path: Path, cache_folder: Path, cli: Callable[..., Any]) -> None:
    two_components().write(tmp_path / "g.npz")

    def kept() -> list[Path]:
        return [path for path in cache_folder.rglob("*") if path.is_file()]

    first = cli("resistances", tmp_path / "g.npz", "--no-cache", "--json")
    assert kept() == []
    second = cli("resistances", tmp_path / "g.npz", "--json")
    assert len(kept()) == 1
    third = cli("resistances", tmp_path / "g.npz", "--json")
    assert len(kept()) == 1
    means = {json.loads(ended.out)["mean_resistance"] for ended in (first, second, third)}
    assert len(means) == 1


def test_unusable_cache_is_one_warning(
    ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    ended = cli("resistances", ring, "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["num_edges"] == 5
    assert ended.err.startswith("fastgat: warning: resistances are not cached: ")
    assert ended.err.count("\n") == 1


def test_dataset_by_name(dataset: Callable[[str], Graph], cli: Callable[..., Any]) -> None:
    dataset("cora")
    said = json.loads(cli("resistances", "Cora", "--method", "degree", "--json").out)
    assert (said["num_nodes"], said["num_edges"]) == (2708, 5278)


def test_file_comes_before_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cora").write_text("0 1\n")
    ended = cli("resistances", "cora")
    assert ended.err.startswith("fastgat: cora has no suffix, but graphs are kept in ")
