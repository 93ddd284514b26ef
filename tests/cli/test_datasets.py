"""`fastgat datasets`: every dataset with its sizes, and which file is missing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastgat.data import graph_names


def test_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    ended = cli("datasets", "--json")
    assert (ended.code, ended.err) == (0, "")
    said = json.loads(ended.out)
    assert said["folder"] == str(tmp_path)
    rows = {row["name"]: row for row in said["datasets"]}
    assert tuple(rows) == graph_names()
    assert rows["photo"] == {
        "name": "photo",
        "title": "Amazon Photo",
        "num_nodes": 7650,
        "num_edges": 119081,
        "num_features": 745,
        "num_classes": 8,
        "here": False,
        "missing": "Amazon/Photo/raw/amazon_electronics_photo.npz",
    }
    assert rows["digits"]["here"]


def test_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> None:
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path))
    names = [line.split()[0] for line in cli("datasets", "--here").out.splitlines()]
    assert names == ["name", "digits", "synthetic", "long-tail", "reddit-like", "ppi-like"]
    file = tmp_path / "graphs" / "web_google.npz"
    file.parent.mkdir()
    file.touch()
    lines = cli("datasets").out.splitlines()
    assert [line.split() for line in lines if line.startswith("web-google")] == [
        ["web-google", "875,713", "4,322,051", "-", "-", "yes"]
    ]
    assert [line.split()[-1] for line in lines if line.startswith("reddit ")] == [
        "Reddit/raw/reddit_graph.npz"
    ]


def test_generated_datasets_are_graphs_too(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = cli("sparsify", "synthetic", tmp_path / "few.npz", "--keep", "0.5", "--json")
    assert json.loads(ended.out)["num_edges_before"] == 5000
