"""`fastgat train`: the folder it leaves, what it says, and how it goes on."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgat.graph import Graph
from fastgat.train import RunRecord
from fastgat.train.checkpoint import load_tensors

FEW = ("--epochs", "4", "--hidden", "4", "--heads", "2")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A ring of sixty nodes in two halves, with names of classes that try to be clever."""
    nodes = np.arange(60)
    files = {name: tmp_path / file for name, file in FILES.items()}
    Graph.from_edges(nodes, (nodes + 1) % 60).write(files["edges"])
    rng = np.random.default_rng(5)
    np.save(files["features"], (rng.random((60, 5)) + (nodes >= 30)[:, None]).astype(np.float32))
    classes = np.where(nodes >= 30, "<script>alert(1)</script>", "plain")
    files["labels"].write_text("label\n" + "\n".join(classes) + "\n")
    return files


FILES = {"edges": "edges.csv", "features": "features.npy", "labels": "labels.csv"}


def train(cli: Callable[..., Any], out: Path, *options: object, task: object = "digits") -> Any:
    return cli("train", task, "--out", out, *FEW, *options)


def test_a_run_is_a_folder(tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "run"
    ended = train(cli, out, "--epsilon", "0.5", "--seed", "3")
    assert (ended.code, ended.err) == (0, "")
    assert "digits" in ended.out and "test F1" in ended.out and str(out) in ended.out
    files = {"config.json", "log.jsonl", "record.json", "weights.safetensors"}
    assert {path.name for path in out.iterdir()} == files
    record = RunRecord.read(out)
    assert record.config["seed"] == 3 and len(record.history) == 4
    assert record.command is not None and record.command.startswith("fastgat ")
    assert {"degrees", "resistances", "certificate", "neighbourhood"} <= set(record.pictures)


def test_json_has_the_row(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = train(cli, tmp_path / "run", "--json")
    (row,) = json.loads(ended.out)["rows"]
    assert row["num_edges"] == row["num_edges_before"] == 12340
    assert row["test_f1"] == RunRecord.read(tmp_path / "run").scores["test"]


def test_several_seeds_have_a_folder_each(tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "runs"
    ended = train(cli, out, "--seeds", "3", "--seed", "5", "--keep", "0.4", "--json")
    assert sorted(path.name for path in out.iterdir()) == ["seed-5", "seed-6", "seed-7"]
    (row,) = json.loads(ended.out)["rows"]
    scores = [RunRecord.read(folder).scores["test"] for folder in sorted(out.iterdir())]
    assert row["num_runs"] == 3
    assert row["test_f1"] == pytest.approx(np.mean(scores))
    assert row["test_f1_deviation"] == pytest.approx(np.std(scores, ddof=1))


@pytest.mark.parametrize(
    "options",
    [
        ("--epsilon", "0.5", "--resample", "head"),
        ("--epsilon", "0.5", "--resample", "layer", "--evaluate-on", "full"),
        ("--epsilon", "0.5", "--edge-weight", "prior", "--sampling", "independent"),
        ("--keep", "2000", "--method", "degree"),
        ("--adaptive",),
        ("--attention", "cosine"),
        ("--attention", "gaan", "--keep", "0.3"),
        ("--attention", "gatv2", "--patience", "1"),
    ],
)
def test_every_way_to_train(
    options: tuple[str, ...], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    ended = train(cli, tmp_path / "run", *options)
    assert (ended.code, ended.err) == (0, "")


def test_a_task_from_files(files: dict[str, Path], tmp_path: Path, cli: Callable[..., Any]) -> None:
    given = ("--features", files["features"], "--labels", files["labels"])
    ended = train(cli, tmp_path / "run", *given, "--keep", "0.9", task=files["edges"])
    assert ended.code == 0
    assert [line.split(":")[1].strip() for line in ended.err.splitlines()] == [
        "edges edges.csv",
        "features features.npy by row, 5 columns; labels labels.csv by row, 60 of 60 nodes in "
        "2 classes (<script>alert(1)</script>",
    ]
    record = RunRecord.read(tmp_path / "run")
    assert record.task["class_names"] == ["<script>alert(1)</script>", "plain"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--epsilon", "1.5"), "epsilon=1.5 must lie in (0, 1)"),
        (("--epsilon", "0.5", "--keep", "0.3"), "--epsilon and --keep exclude each other"),
        (("--adaptive", "--keep", "0.3"), "--adaptive chooses the number of edges itself"),
        (
            ("--adaptive", "--method", "spanner"),
            "--adaptive needs a method with a score per edge, such as resistance, but "
            "--method spanner has none",
        ),
        (("--adaptive", "--method", "k-neighbor"), "but --method k-neighbor has none"),
        (("--method", "degree"), "give --epsilon or --keep too"),
        (("--resample", "head"), "resample='head' draws graphs while training"),
        (("--epochs", "0"), "epochs=0 must be a whole number of at least 1"),
        (("--learning-rate", "-1"), "learning_rate=-1.0 must lie in"),
        (("--dropout", "2"), "dropout=2.0 must lie in [0, 1]"),
        (("--seeds", "0"), "seeds=0 must be a whole number of at least 1"),
        (("--split", "public"), "split='public' does not exist for digits"),
        (("--features", "x.npy"), "digits is not a file; leave out --features"),
        (("--names",), "digits is not a file; leave out --names"),
    ],
)
def test_bad_options(
    options: tuple[str, ...], said: str, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    ended = train(cli, tmp_path / "run", *options)
    assert ended.code == 2
    assert said in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_an_unknown_dataset_is_nearly_known(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = train(cli, tmp_path / "run", task="digist")
    assert ended.code == 2 and "did you mean 'digits'?" in ended.err


def test_a_hostile_pickle_is_refused(tmp_path: Path, cli: Callable[..., Any]) -> None:
    import pickle

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path(tmp_path / "harmed").touch, ())

    (tmp_path / "data.pt").write_bytes(pickle.dumps(Hostile()))
    ended = train(cli, tmp_path / "run", task=tmp_path / "data.pt")
    assert ended.code == 2 and ended.err.count("\n") == 1
    assert not (tmp_path / "harmed").exists()


def test_labels_of_another_length(
    files: dict[str, Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    np.save(tmp_path / "labels.npy", np.zeros(75, np.int64))
    given = ("--features", files["features"], "--labels", tmp_path / "labels.npy")
    ended = train(cli, tmp_path / "run", *given, task=files["edges"])
    assert ended.code == 2 and ended.err.count("\n") == 1


def test_a_graph_alone_has_nothing_to_learn(
    files: dict[str, Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    ended = train(cli, tmp_path / "run", task=files["edges"])
    assert ended.code == 2 and "give --features and --labels" in ended.err


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path, cli: Callable[..., Any]) -> None:
    assert train(cli, tmp_path / "run").code == 0
    before = (tmp_path / "run" / "record.json").read_bytes()
    ended = train(cli, tmp_path / "run")
    assert ended.code == 2 and "holds a run; resume it" in ended.err
    again = train(cli, tmp_path / "run", "--resume")
    assert again.code == 0
    assert (tmp_path / "run" / "record.json").read_bytes() == before
    other = train(cli, tmp_path / "run", "--resume", "--learning-rate", "0.1")
    assert other.code == 2 and "train.learning_rate=0.005, not 0.1" in other.err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_resume_goes_on(
    number: signal.Signals, tmp_path: Path, start: Callable[..., Any], cli: Callable[..., Any]
) -> None:
    options = ("--epsilon", "0.5", "--epochs", "100", "--patience", "0")
    out, whole = tmp_path / "stopped", tmp_path / "whole"
    process = start("train", "digits", "--out", out, *options)
    log = out / "log.jsonl"
    while process.poll() is None and (not log.exists() or len(log.read_text().splitlines()) < 5):
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    if number == signal.SIGINT:
        assert "which is saved: resume to go on" in err and err.count("\n") == 1
    (checkpoint,) = sorted(out.glob("checkpoint-*"))[-1:]
    assert len(load_tensors(checkpoint).facts["history"]) < 100
    for folder, more in ((out, ("--resume",)), (whole, ())):
        process = start("train", "digits", "--out", folder, *options, *more)
        assert process.wait(timeout=120) == 0
    one, other = (load_tensors(folder / "weights.safetensors").tensors for folder in (out, whole))
    assert all(one[name].equal(other[name]) for name in one)


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_resistances_are_computed_once(
    options: tuple[str, ...],
    tmp_path: Path,
    cache_folder: Path,
    cli: Callable[..., Any],
    computed: list[Graph],
) -> None:
    few = ("--epsilon", "0.5", "--epochs", "2", "--out", tmp_path / "run")
    assert cli("train", "synthetic", *few, *options).code == 0
    assert len(computed) == 1
    assert any(path.is_file() for path in cache_folder.rglob("*")) == (not options)
    assert RunRecord.read(tmp_path / "run").pictures["resistances"]


def test_resistances_are_computed_once_for_adaptive_density(
    tmp_path: Path, cli: Callable[..., Any], computed: list[Graph]
) -> None:
    assert cli("train", "digits", "--adaptive", "--epochs", "2", "--out", tmp_path / "r").code == 0
    assert len(computed) == 1


def test_every_node_keeps_its_share(tmp_path: Path, cli: Callable[..., Any]) -> None:
    options = ("--keep", "0.3", "--epochs", "2", "--patience", "0")
    ended = train(cli, tmp_path / "r", *options, "--per-node", "--sampling", "best")
    assert ended.code == 0
    chosen = RunRecord.read(tmp_path / "r").config["sparsifier"]
    assert chosen["per_node"] is True and chosen["sampling"] == "best"
    alike = train(cli, tmp_path / "s", *options, "--method", "similarity")
    assert alike.code == 0
    alone = train(cli, tmp_path / "t", "--per-node")
    assert alone.code == 2 and "give --epsilon or --keep too" in alone.err
    adaptive = train(cli, tmp_path / "u", "--adaptive", "--per-node")
    assert adaptive.code == 2 and "use per_node=False" in adaptive.err
