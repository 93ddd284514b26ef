"""Whole runs of the same epochs, evaluation included: ours, and PyG's layers on all edges."""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

from experiments.experiment import Experiment, Results, Row
from experiments.options import FIRST_SEED, Options
from experiments.records import Result
from experiments.table import Table
from experiments.tasks import load_task
from experiments.timing import in_turn
from fastgat import EffectiveResistanceSparsifier
from fastgat.data import NodeTask
from fastgat.pyg import PyGGAT
from fastgat.train import Plan, TrainConfig, recommended_training

NAME = "training-speed"
# Fewer than a run has: PyG takes minutes. More would favour the sparse graph, which is made once.
EPOCHS, OTHER_EPOCHS, QUICK_EPOCHS = {"photo": 100, "computers": 60, "cs": 30, "physics": 15}, 20, 2
TIMED_RUNS = 3
NAMES = ("PyG, full graph", "full graph", "FastGAT-0.5")
# Three ratios, never mixed.
BOTH = "FastGAT-0.5 over PyG, full graph"
KERNELS = "kernel speed-up: full graph over PyG, full graph"
SPARSIFIER = "sparsifier speed-up: FastGAT-0.5 over full graph"


def rows(options: Options) -> list[Row]:
    """One row per dataset."""
    repeats = options.rounds(TIMED_RUNS)
    found = []
    for name in options.names(tuple(EPOCHS)):
        epochs = QUICK_EPOCHS if options.quick else EPOCHS.get(name, OTHER_EPOCHS)
        settings = {"quick": options.quick, "dataset": name, "epochs": epochs, "repeats": repeats}
        found.append(Row(name, settings, partial(measure, name, epochs, repeats)))
    return found


def measure(name: str, epochs: int, repeats: int) -> Result:
    """Seconds of whole runs, medians, and their ratios."""
    task = load_task(name, FIRST_SEED)
    plans = _plans(task, epochs)
    runs = in_turn({method: partial(plan.run, task) for method, plan in plans.items()}, repeats)
    seconds = {
        method: statistics.median(record.total_seconds for record in records)
        for method, records in runs.items()
    }
    last = {method: records[-1] for method, records in runs.items()}
    peer, full, sparse = (seconds[method] for method in NAMES)
    return {
        "seconds": seconds,
        BOTH: peer / sparse,
        KERNELS: peer / full,
        SPARSIFIER: full / sparse,
        "seconds by phase, last run": {method: r.seconds for method, r in last.items()},
        "bytes beyond those held before": {
            method: (r.peak_bytes or 0) - (r.resident_bytes_before or 0)
            for method, r in last.items()
        },
    }


def _plans(task: NodeTask, epochs: int) -> dict[str, Plan]:
    common: dict[str, Any] = {
        "seed": FIRST_SEED,
        "epochs": epochs,
        "patience": None,
        **recommended_training(task),
    }
    sparse = TrainConfig(sparsifier=EffectiveResistanceSparsifier(epsilon=0.5), **common)
    full = TrainConfig(**common)
    plans = Plan(None, full, network=PyGGAT), Plan(None, full), Plan(None, sparse)
    return dict(zip(NAMES, plans, strict=True))


def tables(results: Results) -> list[Table]:
    """Seconds, and how many times faster."""
    lines = []
    for row in results.values():
        if row.is_done:
            result = row.result
            peer, full, sparse = (result["seconds"][method] for method in NAMES)
            lines.append(
                [
                    str(row.settings["dataset"]),
                    str(row.settings["epochs"]),
                    f"{peer:.1f}",
                    f"{full:.2f}",
                    f"{sparse:.2f}",
                    f"{result[BOTH]:.0f}x",
                    f"{result[KERNELS]:.0f}x",
                    f"{result[SPARSIFIER]:.2f}x",
                ]
            )
    columns = [
        "graph",
        "epochs",
        "PyG, all edges, s",
        "fastgat, all edges, s",
        "fastgat, 0.5, s",
        "0.5 over PyG",
        "kernel speed-up",
        "sparsifier speed-up",
    ]
    return [Table("Whole runs: seconds, and how many times faster", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Whole training runs, beside PyG's layers",
    "The same epochs; evaluation, resistances and sampling included; medians of "
    f"{TIMED_RUNS} runs in turn.",
    rows,
    tables,
    takes=("datasets", "repeats"),
)
