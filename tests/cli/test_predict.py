"""`fastgat predict`: classes and probabilities of the same graph, or of another."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch

from fastgat.data import load_dataset
from fastgat.graph import Graph
from fastgat.pyg import to_data
from fastgat.train import RunRecord

FEW = ("--epochs", "30", "--hidden", "4", "--heads", "2", "--seed", "3")


@pytest.fixture
def digits_run(tmp_path: Path, cli: Callable[..., Any]) -> Callable[..., Path]:
    def make(*options: str) -> Path:
        out = tmp_path / "run"
        assert cli("train", "digits", "--out", out, *FEW, *options).code == 0
        return out

    return make


def read(path: Path) -> dict[str, Any]:
    table = (
        pyarrow.csv.read_csv(path) if path.suffix == ".csv" else pyarrow.parquet.read_table(path)
    )
    return {name: table.column(name).to_numpy() for name in table.column_names}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("options", [(), ("--epsilon", "0.5"), ("--adaptive",)])
def test_predictions_are_those_of_the_record(
    suffix: str,
    options: tuple[str, ...],
    digits_run: Callable[..., Path],
    tmp_path: Path,
    cli: Callable[..., Any],
) -> None:
    run, out = digits_run(*options), tmp_path / f"predictions{suffix}"
    ended = cli("predict", run, "--out", out)
    assert (ended.code, ended.err, ended.out.strip()) == (0, "", str(out))
    found = read(out)
    task = load_dataset("digits", split_seed=3)
    assert task.split is not None
    right = found["class"].astype(int) == task.labels
    assert right[task.split.test].mean() == RunRecord.read(run).scores["test"]
    probability = np.stack([found[f"probability of {i}"] for i in range(10)], axis=1)
    assert np.allclose(probability.sum(axis=1), 1, atol=1e-5)
    assert np.array_equal(probability.argmax(axis=1), found["class"].astype(int))


def test_attention_sums_to_one(
    digits_run: Callable[..., Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    out, attention = tmp_path / "predictions.csv", tmp_path / "attention.parquet"
    run = digits_run("--epsilon", "0.5")
    assert cli("predict", run, "--out", out, "--attention", attention).code == 0
    found = read(attention)
    edges = RunRecord.read(run).edges["trained_on"]
    arcs = 2 * edges + 1797  # loops too
    assert found["coefficient"].size == arcs * (2 + 1)  # heads of both layers
    place = (found["layer"] * 2 + found["head"]) * 1797 + found["target"]
    sums = np.bincount(place, found["coefficient"])
    assert np.allclose(sums, 1, atol=1e-5)


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_resistances_are_not_computed_again(
    options: tuple[str, ...],
    digits_run: Callable[..., Path],
    tmp_path: Path,
    computed: list[Graph],
    cli: Callable[..., Any],
) -> None:
    run = digits_run("--epsilon", "0.5")
    computed.clear()
    both = ("--out", tmp_path / "p.csv", "--attention", tmp_path / "a.csv")
    assert cli("predict", run, *both, *options).code == 0
    assert len(computed) == len(options)  # for both tables


def test_another_graph(
    digits_run: Callable[..., Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    run, task = digits_run(), load_dataset("digits")
    task.graph.write(tmp_path / "other.npz")
    np.save(tmp_path / "x.npy", task.features)
    out = tmp_path / "other.csv"
    given = ("--on", tmp_path / "other.npz", "--features", tmp_path / "x.npy")
    assert cli("predict", run, "--out", out, *given).code == 0
    same = tmp_path / "same.csv"
    assert cli("predict", run, "--out", same).code == 0
    other, own = pyarrow.csv.read_csv(out), pyarrow.csv.read_csv(same)
    assert set(own.column_names) - set(other.column_names) == {"true class", "split"}
    assert own.select(other.column_names).equals(other)
    np.save(tmp_path / "x.npy", task.features[:, :5])
    ended = cli("predict", run, "--out", out, *given)
    assert ended.code == 2 and "5 features, but the model was trained on 64" in ended.err


@pytest.mark.parametrize("options", [(), ("--epsilon", "0.5")])
def test_a_pyg_file_without_labels(
    options: tuple[str, ...],
    digits_run: Callable[..., Path],
    tmp_path: Path,
    cli: Callable[..., Any],
) -> None:
    run, data = digits_run(*options), to_data(load_dataset("digits"))
    del data.y  # the masks stay: without labels they say nothing
    torch.save(data, tmp_path / "new.pt")
    out, same = tmp_path / "new.csv", tmp_path / "same.csv"
    ended = cli("predict", run, "--on", tmp_path / "new.pt", "--out", out)
    assert (ended.code, ended.err) == (0, "")
    assert cli("predict", run, "--out", same).code == 0
    found, own = pyarrow.csv.read_csv(out), pyarrow.csv.read_csv(same)
    assert set(own.column_names) - set(found.column_names) == {"true class", "split"}
    assert own.select(found.column_names).equals(found)
    ended = cli("train", tmp_path / "new.pt", "--out", tmp_path / "other")
    assert ended.code == 2 and "new.pt: Data has no tensor y" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--out", "predictions.txt"), "must end in .parquet or .csv"),
        (("--out", "no/such/folder.csv"), "does not exist"),
        (("--out", "p.csv", "--features", "x.npy"), "give it with --on"),
        (("--out", "p.csv", "--on", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_bad_options(
    arguments: tuple[str, ...],
    said: str,
    digits_run: Callable[..., Path],
    cli: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = digits_run()
    monkeypatch.chdir(tmp_path)
    ended = cli("predict", run, *arguments)
    assert ended.code == 2 and said in ended.err and ended.err.count("\n") == 1
    assert not (tmp_path / "p.csv").exists()


def test_no_run(tmp_path: Path, cli: Callable[..., Any]) -> None:
    ended = cli("predict", tmp_path, "--out", tmp_path / "p.csv")
    assert ended.code == 2 and "holds no run" in ended.err


def test_a_folder_of_several_runs(tmp_path: Path, cli: Callable[..., Any]) -> None:
    out = tmp_path / "runs"
    few = ("--epochs", "1", "--hidden", "2", "--heads", "1")
    assert cli("train", "digits", "--seeds", "2", "--out", out, *few).code == 0
    ended = cli("predict", out, "--out", tmp_path / "p.csv")
    assert ended.code == 2
    assert ended.err == (
        f"fastgat: {out} holds no run itself, but folders inside do: give one of seed-0, seed-1\n"
    )
