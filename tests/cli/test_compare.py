"""`fastgat compare`: one table, one page, the same edges for every way to choose them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_table_and_report(tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "compared"
    options = ("--epochs", "5", "--epsilon", "0.6", "--seeds", "2", "--out", out)
    ended = cli("compare", "digits", *options)
    assert (ended.code, ended.err) == (0, "")
    for said in (
        "full graph",
        "FastGAT, epsilon=0.6",
        "random, same count",
        "degree, same count",
        "2 seeds",
    ):
        assert said in ended.out
    page = out / "report.html"
    assert page.exists() and str(page) in ended.out
    again = cli("compare", "digits", *options, "--resume", "--json")
    rows = {row["label"]: row for row in json.loads(again.out)["rows"]}
    full, ours = rows["full graph"], rows["FastGAT, epsilon=0.6"]
    assert full["num_edges"] == 12340 and full["is_reference"]
    assert ours["sparsifier_speed_up"] > 0
    others = [row for label, row in rows.items() if "same count" in label]
    assert len(others) == 2
    assert all(abs(row["num_edges"] - ours["num_edges"]) < 150 for row in others)


def test_pyg_gives_the_engine_s_share(tmp_path: Path, cli: Callable[..., Any]) -> None:
    options = ("--epochs", "3", "--epsilon", "0.6", "--pyg", "--out", tmp_path / "c", "--json")
    rows = json.loads(cli("compare", "digits", *options).out)["rows"]
    (full,) = [row for row in rows if row["is_reference"]]
    assert full["engine_speed_up"] > 0
    assert any(row["label"].startswith("PyG") for row in rows)


def test_an_unknown_task_is_refused(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = cli("compare", "nothing-like-it", "--out", tmp_path / "c")
    assert ended.code == 2 and ended.err.count("\n") == 1
    assert not (tmp_path / "c").exists()


def test_sampling_is_the_sparsifier_s(tmp_path: Path, cli: Callable[..., Any]) -> None:
    def sampling(*options: str) -> str:
        out = tmp_path / "-".join(["c", *options])
        cli("compare", "digits", "--epochs", "1", "--epsilon", "0.6", *options, "--out", out)
        (run,) = (out / "fastgat-epsilon=0.6").iterdir()
        config = json.loads((run / "record.json").read_text())["config"]
        return str(config["sparsifier"]["sampling"])

    assert sampling("--sampling", "replacement") == "replacement"
    assert sampling() == "independent"
