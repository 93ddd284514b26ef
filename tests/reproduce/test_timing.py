"""Times are of all methods in turns; memory is measured in a process of its own."""

import pytest

from fastgat.data import load_dataset
from fastgat.reproduce import timing
from fastgat.reproduce.method import GAT, PEER, const
from fastgat.reproduce.options import Options
from fastgat.reproduce.timing import fits, timing_row


def test_a_row_of_times() -> None:
    row = timing_row("synthetic", [GAT, const(0.5)], Options(quick=True))
    assert row.key == "synthetic/times@cpu"
    assert row.settings["epochs"] == {"GAT": 2, "FastGAT-const-0.5": 2}
    found = row.run()
    assert list(found) == ["GAT", "FastGAT-const-0.5"]
    for times in found.values():
        assert 0 < times["training_seconds"] < 10
        assert 0 < times["inference_seconds"] < 10
        assert "memory_bytes" not in times
    assert found["GAT"]["edges"] == 5000
    assert found["FastGAT-const-0.5"]["edges"] < 4500
    assert found["FastGAT-const-0.5"]["phases_once"]["resistances"] > 0


@pytest.mark.slow
def test_memory_is_measured_in_a_fresh_process() -> None:
    row = timing_row("synthetic", [GAT], Options(quick=True), with_memory=True)
    memory = row.run()["GAT"]["memory_bytes"]
    assert memory is None or 0 <= memory < 1e9  # None where the system does not say


def test_the_peer_is_timed_over_fewer_epochs() -> None:
    row = timing_row("photo", [PEER, GAT], Options())
    assert row.settings["epochs"] == {"PyG's GAT": 3, "GAT": 10}


def test_a_peer_without_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_dataset("synthetic", num_nodes=200)
    assert fits(PEER, task)
    monkeypatch.setattr(timing, "available_memory", lambda: 1e5)
    assert not fits(PEER, task)
    assert fits(GAT, task)
