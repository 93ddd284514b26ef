"""Runs killed at any moment and resumed end with the same bits as one left in peace."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from fastgat.train import RunRecord

SCENARIOS = ("sparse", "head", "adaptive", "inductive", "guided", "guided-inductive")
SCHEDULED = ("adaptive", "guided", "guided-inductive")
FILES = ["config.json", "log.jsonl", "record.json", "weights.safetensors"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def found(place: Path) -> dict[str, Any]:
    """What became of all runs: see killed_runs.py."""
    script = Path(__file__).with_name("killed_runs.py")
    ended = subprocess.run(
        [sys.executable, str(script), str(place), *SCENARIOS],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},  # a process with threads cannot be forked
    )
    assert ended.returncode == 0, ended.stderr
    facts: dict[str, Any] = json.loads(ended.stdout)
    return facts


def assert_same_run(folder: Path, peace: Path) -> None:
    """The same weights and history, and nothing left behind."""
    names = sorted(path.name for path in folder.iterdir())
    is_scheduled = folder.name.startswith(SCHEDULED)
    assert names == sorted([*FILES, *["edges.safetensors"] * is_scheduled])
    if is_scheduled:
        one, other = (load_file(path / "edges.safetensors") for path in (folder, peace))
        assert torch.equal(one["kept"], other["kept"])
    one, other = (load_file(path / "weights.safetensors") for path in (folder, peace))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    records = [RunRecord.read(path) for path in (folder, peace)]
    scores = [
        [(e.epoch, e.loss, e.train_f1, e.validation_loss, e.validation_f1, e.num_edges)
         for e in record.history]
        for record in records
    ]  # fmt: skip
    assert scores[0] == scores[1]
    assert records[0].scores == records[1].scores
    assert records[0].decisions == records[1].decisions
    log = (folder / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in log] == list(range(1, len(scores[0]) + 1))


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_between_two_checkpoints(name: str, found: dict[str, Any], place: Path) -> None:
    killed = found[name]["between"]
    assert len(killed) == (5 if name == "sparse" else 1)
    for folder, code, epoch, saved, resumed in killed:
        assert (code, resumed) == (-9, 0)
        last = epoch - epoch % 8
        newest = [f"checkpoint-{last:08d}.safetensors"] if last else []
        assert saved[-1:] == newest
        assert len(saved) <= 2
        assert_same_run(place / folder, place / f"{name}-peace")


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_at_any_time(name: str, found: dict[str, Any], place: Path) -> None:
    killed = found[name]["anytime"]
    assert len(killed) == (5 if name == "sparse" else 1)
    for folder, code, resumed in killed:
        assert (code, resumed) == (-9, 0)
        assert_same_run(place / folder, place / f"{name}-peace")


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_again_and_again(name: str, found: dict[str, Any], place: Path) -> None:
    codes = found[name]["often"]
    assert codes == [-9, -9, -9, -9, 0]
    assert_same_run(place / f"{name}-often", place / f"{name}-peace")


def test_an_adaptive_run_did_change_its_edges(found: dict[str, Any], place: Path) -> None:
    history = RunRecord.read(place / "adaptive-peace").history
    assert len({epoch.num_edges for epoch in history}) > 2


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_the_epoch_and_saves_it(
    name: str, code: int, found: dict[str, Any], place: Path
) -> None:
    ended, said, saved, resumed = found["signals"][name]
    assert (ended, resumed) == (code, 0)
    assert saved == ["checkpoint-00000016.safetensors", "checkpoint-00000021.safetensors"]
    if name == "SIGINT":
        assert said == "stopped after epoch 21, which is saved: resume to go on"
    assert_same_run(place / f"sparse-{name}", place / "sparse-peace")


@pytest.mark.parametrize("what", ["log", "checkpoint"])
def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(
    what: str, found: dict[str, Any], place: Path
) -> None:
    code, said, left, resumed = found["disk"][what]
    assert (code, resumed) == (2, 0)
    folder = place / f"sparse-full-{what}"
    if what == "log":
        assert said == f"cannot write to {folder}: file too large"
    else:
        checkpoint = folder / "checkpoint-00000016.safetensors"
        assert said == f"cannot write {checkpoint}: file too large"
    assert left == ["checkpoint-00000008.safetensors", "config.json", "log.jsonl"]
    assert_same_run(folder, place / "sparse-peace")
