"""The adaptive algorithm: edges, accuracy and time per epoch while it adds and removes edges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.expected import expected
from experiments.experiment import Experiment, Results, Row
from experiments.figures import draw_panels
from experiments.options import Options
from experiments.paper.rate_of_learning import mean_curve
from experiments.records import StoredRow
from experiments.table import Table
from experiments.training.method import Method, const, judged_on_all_edges
from experiments.training.rows import training_rows
from experiments.training.scores import (
    datasets_of,
    missing_files,
    rows_of,
    score_of,
    show_score,
)
from experiments.verdict import LEAST_TOLERANCE, Finding, claim, judge_count
from fastgat.report.figures.axes import count_axis
from fastgat.report.figures.canvas import PALETTE, method_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pair = tuple[Method, Method]

NAME = "adaptive"
DATASETS = ("physics", "cs", "reddit")
CONST = const(0.5)
CHANGING = Method("adaptive", 0.5, is_adaptive=True)
PAIRS = ((CONST, CHANGING), (judged_on_all_edges(CONST), judged_on_all_edges(CHANGING)))
EDGES, ACCURACY, TIME = "edges", "accuracy", "time"
SMOOTHED = 10  # epochs of which the median time is drawn


def rows(options: Options) -> list[Row]:
    """Both methods; every epoch of the adaptive one is kept."""
    methods = [method for pair in PAIRS for method in pair]
    return training_rows(options.names(DATASETS), methods, options)


def _done(results: Results, dataset: str, label: str) -> list[StoredRow]:
    return [row for row in rows_of(results, dataset, label) if row.is_done]


def _done_pairs(
    results: Results,
) -> Iterator[tuple[str, Pair, list[StoredRow], list[StoredRow]]]:
    """Dataset, const and adaptive, and the rows of both."""
    for dataset in datasets_of(results):
        for pair in PAIRS:
            const_rows, changing = (_done(results, dataset, method.label) for method in pair)
            if const_rows and changing:
                yield dataset, pair, const_rows, changing


def _where(pair: Pair) -> str:
    return "" if pair == PAIRS[0] else ", judged on all edges"


def tables(results: Results) -> list[Table]:
    """Accuracy, and the edges that were worked on."""
    lines = []
    for dataset, pair, const_rows, changing in _done_pairs(results):
        edges = [np.array(row.result["edges_by_epoch"]) for row in changing]
        least, most = min(e.min() for e in edges), max(e.max() for e in edges)
        kept = float(np.mean([row.result["edges"] for row in const_rows]))
        worked = [float(np.mean([e.sum() for e in edges]))]  # over all epochs of a run
        worked += [float(np.mean([r.result["edges"] * r.result["epochs"] for r in const_rows]))]
        per_epoch = float(np.mean([e.mean() for e in edges])) / kept
        for method, shown, shares in (
            (pair[0], f"{kept:,.0f}", (1.0, 1.0)),
            (pair[1], f"{least:,} to {most:,}", (per_epoch, worked[0] / worked[1])),
        ):
            label = method.label
            score = score_of(results, dataset, label)
            test = "" if score is None else show_score(score)
            lines.append([dataset, label, test, shown, *(f"{share:.0%}" for share in shares)])
    columns = [
        "dataset",
        "method",
        "test F1",
        "edges",
        "of const's, per epoch",
        "of const's, whole run",
    ]
    return [Table("Adaptive density", columns, lines, missing_files(results))]


def findings(results: Results) -> list[Finding]:
    """As accurate as const on fewer edges; and the number of edges that a caption gives."""
    found = []
    for dataset, pair, const_rows, changing in _done_pairs(results):
        scores = [score_of(results, dataset, method.label) for method in pair]
        means = [spread.mean for spread in scores if spread is not None]
        quick = any(row.is_quick for row in (*const_rows, *changing))
        of = f"{NAME}/{dataset}/as accurate as a constant 0.5{_where(pair)}"
        ours = f"{means[1]:.3f} against {means[0]:.3f}"
        holds = means[1] >= means[0] - LEAST_TOLERANCE
        found.append(claim(of, ours, "as accurate", holds, quick=quick))
        paper = expected(NAME, "count", "edges and loops at 0.5", dataset)
        if paper is not None and pair == PAIRS[0]:  # loops: one per node
            first = const_rows[0].result
            count = first["edges"] + first["num_nodes"]
            of = f"{NAME}/{dataset}/edges and loops at 0.5"
            found.append(Finding(of, f"{count:,}", paper.printed, judge_count(count, paper)))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """For every dataset: edges, accuracy and time over the epochs."""
    names = [
        name
        for name in datasets_of(results)
        if all(_done(results, name, method.label) for method in PAIRS[0])
    ]
    titles = [f"{name}: {what}" for name in names for what in (EDGES, ACCURACY, TIME)]

    def panel(axes: Axes, title: str) -> None:
        dataset, _, what = title.rpartition(": ")
        axes.set_xlabel("epoch")
        {EDGES: _edges, ACCURACY: _accuracy, TIME: _time}[what](axes, results, dataset)

    return draw_panels(folder, NAME, titles, panel) if titles else []


def _edges(axes: Axes, results: Results, dataset: str) -> None:
    runs = [row.result["edges_by_epoch"] for row in _done(results, dataset, CHANGING.label)]
    for place, edges in enumerate(runs):
        label = "adaptive, one line per seed" if place == 0 else None
        axes.plot(range(1, len(edges) + 1), edges, color=PALETTE[0], lw=1, label=label)
    constant = _done(results, dataset, CONST.label)[0].result["edges"]
    axes.axhline(constant, color=PALETTE[1], ls="--", label="a constant epsilon of 0.5")
    axes.set_ylabel("edges in use")
    count_axis(axes.yaxis)


def _accuracy(axes: Axes, results: Results, dataset: str) -> None:
    for label, (colour, dash) in method_styles([CHANGING.label, CONST.label]).items():
        curve = mean_curve(results, dataset, label)
        if curve is not None:
            axes.plot(*curve, dash, color=colour, lw=1.4)
    axes.set_ylabel("validation micro-F1")


def _time(axes: Axes, results: Results, dataset: str) -> None:
    runs = [row.result["seconds_by_epoch"] for row in _done(results, dataset, CHANGING.label)]
    length = min(len(run) for run in runs)
    seconds = np.mean([run[:length] for run in runs], axis=0)
    axes.plot(range(1, length + 1), 1e3 * _running_median(seconds), color=PALETTE[0], lw=1.2)
    axes.set_ylabel("epoch with evaluation, ms")
    axes.set_ylim(bottom=0)


def _running_median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Medians of the last epochs: a single disturbed one would set the scale."""
    ends = range(1, len(values) + 1)
    return np.array([np.median(values[max(0, end - SMOOTHED) : end]) for end in ends])


EXPERIMENT = Experiment(
    NAME,
    "The adaptive algorithm",
    "Every 20 epochs the slope of the training accuracy is compared with the one before: if it "
    "fell, 0.3 % of the edges are added, else removed, between the counts of epsilon 0.9 and 0.5. "
    "Text and caption of the paper disagree; this is the caption. The paper does not say on which "
    "edges it is judged: on those in use, and beside it on all.",
    rows,
    tables,
    findings,
    draw,
)
