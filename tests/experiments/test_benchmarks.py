"""Benchmarks run on tiny data, and peers in processes of their own give the same outputs."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments.benchmarks import attention_layers, before_after, resistances, solver, sparsifiers
from experiments.benchmarks.reference import reference_resistances
from experiments.catalogue import EXPERIMENTS
from experiments.experiment import run_experiment
from experiments.options import Options
from experiments.peers import ours
from experiments.peers.node_data import load, weight_arrays
from experiments.peers.steps import make_inference
from experiments.peers.worker import Worker
from experiments.records import Records, StoredRow
from fastgat.graph import gallery

SOURCE = str(Path(__file__).parents[2] / "src")


@pytest.mark.parametrize("name", ["attention-steps", "attention-layers", "attention-draws"])
def test_attention_benchmarks_run_on_a_generated_dataset(name: str, tmp_path: Path) -> None:
    options = Options(datasets=("synthetic",), quick=True, repeats=1)
    results = run_experiment(EXPERIMENTS[name], options, Records(tmp_path))
    assert all(row.is_done for row in results.values())
    (table,) = EXPERIMENTS[name].tables(results)
    assert len(table.lines) == len(results)
    assert all(line[0] == "synthetic" for line in table.lines)


def test_layers_have_a_peer_each() -> None:
    for name in ours.LAYERS:
        mine, (peer, _) = ours.make_layer(name), attention_layers.make_peer(name)
        assert set(mine.state_dict()) == set(peer.state_dict())


def test_a_worker_computes_what_we_do() -> None:
    data = load("synthetic")
    torch.manual_seed(5)
    model = ours.TwoLayerGAT(data.features.shape[1], data.num_classes)
    here = make_inference(model, (data.sparse(), ours.Arcs.from_graph(data.graph)))()
    with Worker("experiments.peers.fastgat_worker") as worker:
        worker.load("a task", data.arrays() | weight_arrays(model))
        assert np.allclose(worker.outputs("a task"), here.numpy(), atol=1e-6)
        assert 0 < worker.seconds("a task", "step") < 10
        assert worker.ask(do="version").endswith(ours.Arcs.__name__)


def test_a_worker_that_ends_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        Worker("experiments.peers.fastgat_worker") as worker,
        pytest.raises(RuntimeError, match="ended without an answer"),
    ):
        worker.ask(do="outputs", name="never loaded", path="nowhere")
    assert "KeyError" in capfd.readouterr().err


@pytest.mark.slow
def test_before_and_after_are_timed_in_turn(tmp_path: Path) -> None:
    options = Options(datasets=("synthetic",), quick=True, before=SOURCE)
    results = run_experiment(before_after.EXPERIMENT, options, Records(tmp_path))
    (table,) = before_after.tables(results)
    cases = [f"{graph}{order}" for graph in ("full", "eps=0.5") for order in ("", ", ordered")]
    expected = [f"{case}: {what}" for case in cases for what in ("step", "inference")]
    expected += [f"{layer}: pass" for layer in ours.LAYERS]
    assert [line[1] for line in table.lines] == [*expected, "import fastgat", "fastgat --help"]
    assert all(float(line[4]) > 0 for line in table.lines)
    assert table.remarks[0].startswith("Least ratio")


def test_before_is_the_other_installation() -> None:
    both = before_after.sides(Options(before="folder", before_python="other"))
    assert (both["before"].python, both["before"].path) == ("other", ("folder",))
    assert both["after"].python == sys.executable


def test_the_reference_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.benchmarks.reference.REFERENCES", tmp_path)
    graph = gallery.complete(6)
    for _ in range(2):  # computed, then read
        found, kind = reference_resistances(6, graph.source, graph.target)
        assert kind == "exact"
        assert np.allclose(found, 2 / 6)
    assert len(list(tmp_path.iterdir())) == 1


def test_tables_do_without_peers() -> None:
    ours_alone = {"edges": 3, "fastgat": {"milliseconds": 1.0, "error": 0.01}}
    row = StoredRow({"dataset": "cora"}, ours_alone, 1.0, "2026-01-02", {})
    (table,) = resistances.tables({"cora": row})
    assert table.lines == [["cora", "3", "1.0 ms, 1.00%", "", "", ""]]
    grid = StoredRow({"side": 9}, {"seconds": {"fastgat": 0.5}}, 1.0, "2026-01-02", {})
    (table,) = solver.tables({"grid": grid})
    assert table.lines == [["9 x 9", "0.50", "", ""]]


def test_sparsifiers_keep_equal_numbers() -> None:
    graph = gallery.complete(40)
    for method, sparsifier in sparsifiers.sparsifiers(300).items():
        if method == "k-neighbour":  # has as many as its rounding gives
            continue
        counts = [sparsifier.prepare(graph, seed=3).draw(seed).num_edges for seed in range(20)]
        assert abs(np.mean(counts) - 300) < 30, method
