"""What the paper's figures and its other claims show and judge."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch

from experiments.paper import (
    adaptive,
    dense_scaling,
    figure_1,
    figure_2,
    rate_of_learning,
)
from experiments.paper.figure_2 import last_weights, relative_errors
from experiments.paper.rate_of_learning import gap
from experiments.records import StoredRow
from experiments.verdict import Finding
from fastgat.data import load_dataset
from fastgat.sparsify import UniformSparsifier
from fastgat.train import Plan, TrainConfig, loader


def test_faster_is_a_ratio_in_every_timed_run() -> None:
    def finding(sparse: list[float]) -> Finding:
        times = {label: {"training_seconds_by_run": [2.0, 3.0]} for label in figure_1.LABELS}
        times[figure_1.FAST] = {"training_seconds_by_run": sparse}
        settings = {"dataset": "photo", "quick": False}
        row = StoredRow(settings, times, 1.0, "2026-01-02 03:04", {})
        (found,) = figure_1.findings({"photo/times@cpu": row})
        return found

    met, missed = finding([1.0, 2.0]), finding([1.0, 3.1])
    assert (met.ours, met.verdict) == ("GAT's time over FastGAT's: 1.50 to 2.00", "within")
    assert missed.verdict == "miss"


def test_weight_errors_are_per_head() -> None:
    full = {
        "layers.0.lin.weight": torch.eye(4),
        "layers.0.att_src": torch.ones(1, 2, 2),
        "layers.0.att_dst": torch.ones(1, 2, 2),
        "layers.0.bias": torch.ones(4),
    }
    half = {key: 0.5 * value for key, value in full.items()}
    assert relative_errors(full, half) == {"weight": 0.5, "attention": 0.5}
    assert relative_errors(full, full) == {"weight": 0.0, "attention": 0.0}


def test_trainings_are_compared_with_the_same_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair of runs on the same edges, one of which was told to draw them all, ends at one place.

    Were nodes numbered by each run's own graph, half the edges would change the dropout as well.
    """
    monkeypatch.setattr(loader, "FEWEST_ORDERED", 1)
    task = load_dataset("synthetic", num_nodes=100, num_edges=1000)
    shared = {"epochs": 2, "patience": None}
    plans = [
        Plan("", TrainConfig(sparsifier=sparsifier, **shared))
        for sparsifier in (None, UniformSparsifier(keep=1.0), UniformSparsifier(keep=0.5))
    ]
    full, all_kept, half = (last_weights(plan, task, "cpu") for plan in plans)
    assert relative_errors(full, all_kept) == {"weight": 0.0, "attention": 0.0}
    other = last_weights(plans[0], task, "cpu", shift=1)
    assert 0 < relative_errors(full, half)["weight"] < relative_errors(full, other)["weight"]


def test_errors_must_grow_with_epsilon() -> None:
    def row(*errors: float) -> StoredRow:
        found = [{"weight": error, "attention": 0.1} for error in errors]
        names = [*map(str, figure_2.EPSILONS), figure_2.CONTROL]
        settings = {"dataset": "photo", "quick": False}
        result = dict(zip(names, found, strict=True))
        return StoredRow(settings, result, 1.0, "2026-01-02 03:04", {})

    weight, _ = figure_2.findings({"a": row(0.1, 0.2, 0.3, 0.0), "b": row(0.1, 0.2, 0.3, 0.0)})
    assert weight.verdict == "within"
    weight, _ = figure_2.findings({"a": row(0.3, 0.2, 0.3, 0.0)})
    assert weight.verdict == "miss"


def test_curves_are_compared_after_the_warm_up() -> None:
    epochs = np.array([5.0, 25.0, 50.0])
    full, other = (epochs, np.array([0.0, 0.8, 0.9])), (epochs, np.array([0.7, 0.78, 0.9]))
    apart = gap(other, full)
    assert apart is not None
    assert math.isclose(apart, 0.01)
    assert gap((epochs[:1], full[1][:1]), full) is None
    assert rate_of_learning.LABELS[0] == "GAT"


def test_exponents_are_of_the_larger_sizes() -> None:
    def row(nodes: int) -> StoredRow:
        edges = {"full graph": nodes**2, "epsilon = 0.5": 3 * nodes}
        times = {"full graph": 1e-6 * nodes**2, "epsilon = 0.5": 1e-5 * nodes}
        settings = {"nodes": nodes, "quick": False, "device": "cpu"}
        result = {"edges": edges, "training_seconds": times}
        return StoredRow(settings, result, 1.0, "2026-01-02 03:04", {})

    results = {str(nodes): row(nodes) for nodes in dense_scaling.NODES}
    assert [(f.ours, f.verdict) for f in dense_scaling.findings(results)] == [
        ("1.00", "within"),
        ("2.00", "within"),
    ]


def test_adaptive_is_judged_against_const(stored: Callable[..., StoredRow]) -> None:
    facts = {"edges": 129_000, "num_nodes": 34_493, "training_seconds": 0.1}
    curve = {"curve": [[1, 0.5, 0.5]], "seconds_by_epoch": [0.1], "edges_by_epoch": [60_000]}
    results = {
        "a": stored("physics", adaptive.CONST, 1, test_f1=0.94, **facts),
        "b": stored("physics", adaptive.CHANGING, 1, test_f1=0.92, **facts, **curve),
    }
    accurate, counted = adaptive.findings(results)
    assert accurate.verdict == "miss"
    assert (counted.ours, counted.paper, counted.verdict) == ("163,493", "163334", "within")


def test_adaptive_counts_the_edges_of_whole_runs(stored: Callable[..., StoredRow]) -> None:
    facts = {"edges": 100, "num_nodes": 50, "training_seconds": 0.1}
    changing = {"epochs": 2, "edges_by_epoch": [60, 100]}
    results = {
        "a": stored("cs", adaptive.CONST, 1, test_f1=0.94, epochs=4, **facts),
        "b": stored("cs", adaptive.CHANGING, 1, test_f1=0.92, **facts, **changing),
    }
    (table,) = adaptive.tables(results)
    assert [line[3:6] for line in table.lines] == [
        ["100", "100%", "100%"],
        ["60 to 100", "80%", "40%"],
    ]
