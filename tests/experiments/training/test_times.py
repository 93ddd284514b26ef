"""Times are of all methods in turn; memory is measured in a process of its own."""

import time

import pytest
import torch

from experiments.options import Options
from experiments.records import StoredRow
from experiments.training import times as timing
from experiments.training.cost import attention_table, ratio_table, time_table
from experiments.training.method import GAT, PEER, Method, const
from experiments.training.times import ONCE, attention_seconds, fits, timed_run, timing_row
from fastgat.data import load_dataset
from fastgat.train import Plan, TrainConfig


def test_a_row_of_times() -> None:
    row = timing_row("synthetic", [GAT, const(0.5)], Options(quick=True))
    assert row.key == "synthetic/times@cpu"
    assert row.settings["epochs"] == {"GAT": 1, "FastGAT-const-0.5": 1}
    found = row.run()
    assert list(found) == ["GAT", "FastGAT-const-0.5"]
    for times in found.values():
        assert 0 < times["training_seconds"] < 10
        assert 0 < times["inference_seconds"] < 10
        assert 0 < times["attention_seconds"] < 10
        assert "memory_bytes" not in times
    assert found["GAT"]["edges"] == 5000
    assert found["FastGAT-const-0.5"]["edges"] < 4500
    assert found["FastGAT-const-0.5"]["phases_once"]["resistances"] > 0


@pytest.mark.slow
def test_memory_is_measured_in_a_fresh_process() -> None:
    """PyG keeps rows per arc, so that its peak tells whether anything was measured."""
    row = timing_row("synthetic:10000", [PEER, GAT], Options(quick=True), with_memory=True)
    found = row.run()
    peer, ours = (found[method.label]["memory_bytes"] for method in (PEER, GAT))
    if peer is None:
        pytest.skip("the system does not say what a process takes")
    arcs = 2 * found["GAT"]["edges"] + found["GAT"]["num_nodes"]
    # All but the features and what importing takes is per arc; the estimate is of a whole step.
    assert 0.5 < peer / (timing.PYG_BYTES_PER_ARC * arcs) < 2
    assert 0 < ours < peer / 3


def test_the_peer_is_timed_over_fewer_epochs() -> None:
    row = timing_row("photo", [PEER, GAT], Options())
    assert row.settings["epochs"] == {"PyG's GAT": 3, "GAT": 10}


def test_a_peer_without_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_dataset("synthetic", num_nodes=200)
    assert fits(PEER, task)
    monkeypatch.setattr(timing, "available_memory", lambda: 1e5)
    assert not fits(PEER, task)
    assert fits(GAT, task)


def test_without_a_gpu_its_times_are_left_out() -> None:
    times = {"training_seconds": 0.0124, "inference_seconds": 0.002, "memory_bytes": 65_000_000}
    settings = {"dataset": "photo", "quick": False}
    results = {"photo/times@cpu": StoredRow(settings, {"GAT": times}, 1.0, "2026-01-02", {})}
    on_cpu = time_table("table-2", results, ["GAT"], "cpu", "cpu-seconds")
    assert on_cpu is not None
    assert on_cpu.lines == [["photo", "GAT", "12.4", "2.0", "65", "6.57"]]
    assert time_table("table-2", results, ["GAT"], "cuda", "gpu-seconds") is None


def test_ratios_keep_kernels_and_sparsifier_apart() -> None:
    seconds = {"PyG's GAT": 0.3, "GAT": 0.02, "FastGAT-const-0.5": 0.01}
    times = {label: {"training_seconds": value} for label, value in seconds.items()}
    settings = {"dataset": "photo", "quick": False}
    results = {"photo/times@cpu": StoredRow(settings, times, 1.0, "2026-01-02", {})}
    sparse = ["FastGAT-const-0.5"]
    table = ratio_table("table-2", results, "GAT", sparse, "cpu-seconds", "PyG's GAT")
    assert table is not None
    assert table.lines == [["photo", "FastGAT-const-0.5", "2.00", "15.0", "30.0", "3.82"]]
    table = ratio_table("table-2", results, "GAT", sparse, "cpu-seconds")
    assert table is not None
    assert table.lines == [["photo", "FastGAT-const-0.5", "2.00", "3.82"]]


@pytest.mark.parametrize("attention", ["gat", "gatv2", "cosine"])
def test_attention_kernels_are_timed(attention: str) -> None:
    """By the core's own counter, which grows with every training and with nothing else."""
    task = load_dataset("synthetic", num_nodes=200)
    before = attention_seconds()
    load_dataset("synthetic", num_nodes=200)
    assert attention_seconds() == before
    Method("", attention=attention).plan(task, 1, epochs=1).run(task)
    assert attention_seconds() > before


def test_attention_is_shown_beside_the_number_of_arcs() -> None:
    times = {
        "GAT": {"attention_seconds": 0.004, "edges": 450, "num_nodes": 100},
        "FastGAT-const-0.5": {"attention_seconds": 0.001, "edges": 50, "num_nodes": 100},
    }
    settings = {"dataset": "photo", "quick": False}
    results = {"photo/times@cpu": StoredRow(settings, times, 1.0, "2026-01-02", {})}
    table = attention_table(results, "GAT", ["FastGAT-const-0.5"])
    assert table is not None
    shown = ["4.00", "1.00", "5.00", "4.00", "0.80"]
    assert table.lines == [["photo", "FastGAT-const-0.5", *shown]]
    assert attention_table({}, "GAT", ["FastGAT-const-0.5"]) is None


def test_the_first_epoch_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that only a module's calls move: far at first, as if it made something once."""
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)

    class SlowOnce(torch.nn.Module):
        def __init__(self, in_channels: int, _: int, out_channels: int, **_of_gat: object) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(in_channels, out_channels)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            nonlocal now
            now += 1 if now else 100
            out: torch.Tensor = self.linear(x)
            return out

    plan = Plan("", TrainConfig(epochs=4, patience=None), network=SlowOnce)
    run = timed_run(plan, load_dataset("synthetic", num_nodes=200), 3, "cpu")
    assert [epoch.seconds for epoch in run.record.history] == [101, 2, 2, 2]
    assert (run.training_seconds, run.phases["forward"], run.phases["evaluation"]) == (1, 1, 1)
    assert run.once == dict.fromkeys(ONCE, 0)
