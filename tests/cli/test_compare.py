"""`fastgat compare`: one table, one page, the same edges for every way to choose them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fastgat.report
import fastgat.train.memory
import fastgat.train.plan
from fastgat.graph import Graph
from fastgat.report import read_records

MEMORY = 5_000_000, 2_000_000


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Labels of plans whose memory is asked for; a process each would take seconds."""
    labels: list[str] = []

    def measure(plan: Any, task: Any) -> tuple[int, int]:
        labels.append(plan.label)
        return MEMORY

    monkeypatch.setattr(fastgat.train.memory, "measure_memory", measure)
    return labels


def test_table_and_report(tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "compared"
    options = ("--epochs", "5", "--epsilon", "0.6", "--seeds", "2", "--out", out)
    ended = cli("compare", "digits", *options)
    assert ended.code == 0
    said = [f"fastgat: method {n} of 4: " for n in (1, 2, 3, 4)] * 2
    for line, begin in zip(ended.err.splitlines(), said, strict=True):
        assert line.startswith(begin)
    for said in (
        "full graph",
        "FastGAT, epsilon=0.6",
        "random, same count",
        "degree, same count",
        "2 seeds",
        "features only",
        "majority class",
        "in a process of its own",
    ):
        assert said in ended.out
    page = out / "report.html"
    assert page.exists() and str(page) in ended.out
    again = cli("compare", "digits", *options, "--resume", "--json")
    told = json.loads(again.out)
    rows = {row["label"]: row for row in told["rows"]}
    assert [one["label"] for one in told["baselines"]] == 2 * [
        "features only, no edges", "majority class"
    ]  # fmt: skip
    assert all(0.8 < one["test_f1"] < 1 for one in told["baselines"][::2])
    assert all(0 < row["test_macro_f1"] < 1 for row in rows.values())
    assert all(1e6 < row["memory_bytes"] < 1e9 for row in rows.values())
    full, ours = rows["full graph"], rows["FastGAT, epsilon=0.6"]
    assert full["num_edges"] == 12340 and full["is_reference"]
    assert ours["sparsifier_speed_up"] > 0
    runs = read_records([out])
    for label in (label for label in rows if "same count" in label):
        plans = [run.config["sparsifier"] for run in runs if run.label == label]
        assert plans[0] == plans[1]  # of both seeds: the page has nothing to warn of
    assert "differ in more than the seed" not in page.read_text()
    others = [row for label, row in rows.items() if "same count" in label]
    assert len(others) == 2
    assert all(abs(row["num_edges"] - ours["num_edges"]) < 150 for row in others)


@pytest.mark.usefixtures("measured")
def test_pyg_gives_the_kernel_speed_up(tmp_path: Path, cli: Callable[..., Any]) -> None:
    options = ("--epochs", "3", "--epsilon", "0.6", "--pyg", "--out", tmp_path / "c", "--json")
    rows = json.loads(cli("compare", "digits", *options).out)["rows"]
    (full,) = [row for row in rows if row["is_reference"]]
    assert full["kernel_speed_up"] > 0
    assert any(row["label"].startswith("PyG") for row in rows)


def test_sparsifiers_by_name(tmp_path: Path, cli: Callable[..., Any]) -> None:
    folder = tmp_path / "c"
    ended = cli(
        "compare", "synthetic", "--keep", "0.3", "--epochs", "4", "--sparsifiers",
        "guided,similarity", "--out", folder,
    )  # fmt: skip
    assert ended.code == 0
    assert "guided, same count as keep=0.3" in ended.out
    assert "similarity, same count as keep=0.3" in ended.out
    assert "random" not in ended.out
    page = (folder / "report.html").read_text()
    assert "What the sparse graphs keep" in page and "Homophily" in page
    ended = cli("compare", "synthetic", "--sparsifiers", "guidet", "--out", folder)
    assert ended.code == 2
    assert "--sparsifiers names 'guidet', but must be all, or some of degree" in ended.err


def test_an_unknown_task_is_refused(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = cli("compare", "nothing-like-it", "--out", tmp_path / "c")
    assert ended.code == 2 and ended.err.count("\n") == 1
    assert not (tmp_path / "c").exists()


@pytest.mark.usefixtures("measured")
def test_sampling_is_the_sparsifier_s(tmp_path: Path, cli: Callable[..., Any]) -> None:
    def sampling(*options: str) -> str:
        out = tmp_path / "-".join(["c", *options])
        cli("compare", "digits", "--epochs", "1", "--epsilon", "0.6", *options, "--out", out)
        (run,) = (out / "fastgat-epsilon=0.6").iterdir()
        config = json.loads((run / "record.json").read_text())["config"]
        return str(config["sparsifier"]["sampling"])

    assert sampling("--sampling", "replacement") == "replacement"
    assert sampling() == "independent"


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_resistances_are_computed_once(
    options: tuple[str, ...], tmp_path: Path, cli: Callable[..., Any], computed: list[Graph]
) -> None:
    """For two densities, the edges to match them in number, and the pictures of seven runs."""
    out = tmp_path / "c"
    assert cli("compare", "synthetic", "--epochs", "2", *options, "--out", out).code == 0
    assert len(computed) == 1


def test_the_network_and_the_edges_to_keep(
    tmp_path: Path, cli: Callable[..., Any], measured: list[str]
) -> None:
    out = tmp_path / "c"
    network = ("--hidden", "4", "--heads", "2", "--layers", "3", "--dropout", "0.1")
    densities = ("--keep", "0.3", "--keep", "2000", "--epsilon", "0.9")
    ended = cli("compare", "digits", "--epochs", "1", *densities, *network, "--out", out)
    assert ended.code == 0
    runs = {run.label: run for run in read_records([out])}
    assert list(runs) and set(measured) == set(runs) and len(runs) == 10
    for run in runs.values():
        chosen = {"hidden_channels": 4, "heads": 2, "num_layers": 3, "dropout": 0.1}
        assert chosen.items() <= run.model["settings"].items()
        assert run.measured_apart and run.memory_bytes == 3_000_000
    assert runs["FastGAT, keep=0.3"].edges["trained_on"] == pytest.approx(0.3 * 12340, rel=0.05)
    assert runs["FastGAT, keep=2000"].edges["trained_on"] == pytest.approx(2000, rel=0.05)
    assert "random, same count as keep=2000" in runs and "FastGAT, epsilon=0.9" in runs


def test_memory_is_measured_once_and_of_the_first_seed(
    tmp_path: Path, cli: Callable[..., Any], measured: list[str]
) -> None:
    options = ("--epochs", "1", "--keep", "0.5", "--seeds", "2", "--out", tmp_path / "c")
    cli("compare", "synthetic", *options)
    assert len(measured) == 4
    again = cli("compare", "synthetic", *options, "--resume", "--json")
    assert len(measured) == 4
    rows = json.loads(again.out)["rows"]
    assert all(row["memory_bytes"] == 3_000_000 and row["measured_apart"] for row in rows)


def test_a_page_that_fails_does_not_lose_the_table(
    tmp_path: Path,
    cli: Callable[..., Any],
    measured: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise RuntimeError("no such font")

    monkeypatch.setattr(fastgat.report, "write_report", fail)
    options = ("--epochs", "1", "--keep", "0.5", "--out", tmp_path / "c")
    ended = cli("compare", "synthetic", *options)
    assert ended.code == 3
    assert "FastGAT, keep=0.5" in ended.out and "report in" not in ended.out
    *progress, said = ended.err.splitlines()
    assert len(progress) == 4
    assert said == "fastgat: the report is not complete, but the runs are: the page: no such font"
    again = cli("compare", "synthetic", *options, "--resume", "--json")
    assert again.code == 3 and json.loads(again.out)["report"] is None


def test_pictures_that_fail_do_not_stop_the_runs(
    tmp_path: Path,
    cli: Callable[..., Any],
    measured: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise RuntimeError("too many colours")

    monkeypatch.setattr("fastgat.report.pictures.add_pictures", fail)
    ended = cli("compare", "synthetic", "--epochs", "1", "--keep", "0.5", "--out", tmp_path / "c")
    assert ended.code == 3 and len(measured) == 4
    assert "majority class" in ended.out and "report in" in ended.out
    assert ended.err.splitlines()[-1].count("too many colours") == 4


@pytest.mark.parametrize("where", ["fit", "measure", "page"])
def test_ctrl_c_says_what_is_kept(
    where: str,
    tmp_path: Path,
    cli: Callable[..., Any],
    measured: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between methods, while the memory of one is measured, or while the page is written."""

    def stop(*args: Any, **options: Any) -> Any:
        if where == "fit" and len(measured) < 2:
            return fit(*args, **options)
        raise KeyboardInterrupt

    fit = fastgat.train.plan.fit
    target = {
        "fit": "fastgat.train.plan.fit",
        "measure": "fastgat.train.memory.measure_memory",
        "page": "fastgat.report.write_report",
    }[where]
    options = ("--epochs", "1", "--keep", "0.5", "--out", tmp_path / "c")
    with monkeypatch.context() as patch:
        patch.setattr(target, stop)
        ended = cli("compare", "synthetic", *options)
    finished = {"fit": "2 finished runs are", "measure": "1 finished run is"}
    assert (ended.code, ended.out) == (130, "")
    assert ended.err.splitlines()[-1] == (
        f"fastgat: interrupted; {finished.get(where, '4 finished runs are')} kept in "
        f"{tmp_path / 'c'}: the same command with --resume goes on"
    )
    assert cli("compare", "synthetic", *options, "--resume").code == 0


def test_ctrl_c_before_anything_is_finished(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fastgat.train.plan.fit", stop)
    ended = cli("compare", "synthetic", "--epochs", "1", "--out", tmp_path / "c")
    assert ended.code == 130 and ended.err.splitlines()[-1] == "fastgat: interrupted"
