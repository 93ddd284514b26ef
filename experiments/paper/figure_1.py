"""Figure 1: training time per epoch of every method."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Results, Row
from experiments.figures import draw_panels
from experiments.options import PAPER_DATASETS, Options
from experiments.table import Table
from experiments.training.cost import time_table, times_of
from experiments.training.method import (
    FAST_GCN_400,
    GAT,
    PEER,
    SPARSE_GAT,
    const,
    per_head,
    random_edges,
)
from experiments.training.scores import datasets_of, missing_files
from experiments.training.times import timing_row
from experiments.verdict import Finding, claim
from fastgat.report.figures.axes import log_axis
from fastgat.report.figures.canvas import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "figure-1"
METHODS = (
    PEER,
    GAT,
    SPARSE_GAT,
    FAST_GCN_400,
    random_edges(0.5),
    per_head(0.5),
    const(0.5),
    const(0.9),
)
LABELS = [method.label for method in METHODS]
FAST = const(0.5).label


def rows(options: Options) -> list[Row]:
    """The times of all methods, dataset by dataset."""
    return [timing_row(name, METHODS, options) for name in options.names(PAPER_DATASETS)]


def tables(results: Results) -> list[Table]:
    """The figure's numbers."""
    devices = [time_table(NAME, results, LABELS, device, "none") for device in ("cpu", "cuda")]
    absent = missing_files(results)
    return [replace(table, remarks=absent) for table in devices if table is not None]


def findings(results: Results) -> list[Finding]:
    """The figure prints no numbers; its claim, FastGAT is faster, must hold in every timed run."""
    found = []
    for dataset in datasets_of(results):
        row = times_of(results, dataset)
        if row is None:
            continue
        full, sparse = (row.result[label]["training_seconds_by_run"] for label in (GAT.label, FAST))
        ratios = sorted(a / b for a, b in zip(full, sparse, strict=True))
        of = f"{NAME}/{FAST}/{dataset}/faster than GAT"
        ours = f"GAT's time over FastGAT's: {ratios[0]:.2f} to {ratios[-1]:.2f}"
        found.append(claim(of, ours, "faster", ratios[0] > 1, quick=row.is_quick))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """Bars for every dataset, on a logarithmic axis."""
    names = [name for name in datasets_of(results) if times_of(results, name) is not None]

    def panel(axes: Axes, dataset: str) -> None:
        row = times_of(results, dataset)
        assert row is not None
        labels = [label for label in LABELS if label in row.result]
        values = [1e3 * row.result[label]["training_seconds"] for label in labels]
        ours = [label.startswith("FastGAT") for label in labels]
        places = range(len(labels))
        bars = axes.barh(places, values, color=[PALETTE[0] if own else PALETTE[4] for own in ours])
        axes.bar_label(
            bars,
            [f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values],
            padding=2,
            fontsize=7,
        )
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        log_axis(axes.xaxis)
        axes.set_xlim(min(values) / 3, max(values) * 3)
        axes.tick_params(axis="x", labelsize=7)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("training time per epoch, ms")

    return draw_panels(folder, NAME, names, panel, panel=(3.4, 2.4)) if names else []


EXPERIMENT = Experiment(
    NAME,
    "Figure 1: training time per epoch",
    "All methods of a dataset run in turn in one process; an epoch is its training alone. GAT is "
    "our own layer on the full graph, and PyG's is beside it. FastGCN trains on batches of 256 "
    "nodes.",
    rows,
    tables,
    findings,
    draw,
    takes=("datasets", "device"),
)
