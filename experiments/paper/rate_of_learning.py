"""The rate of learning: accuracy against epochs on the full and the sparse graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.experiment import Experiment, Results, Row
from experiments.figures import draw_panels
from experiments.options import PAPER_DATASETS, Options
from experiments.table import Table
from experiments.training.method import GAT, const
from experiments.training.rows import training_rows
from experiments.training.scores import datasets_of, missing_files, rows_of
from experiments.verdict import LEAST_TOLERANCE, Finding, claim
from fastgat.report.figures.canvas import method_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "rate-of-learning"
METHODS = (GAT, const(0.5), const(0.9))
LABELS = [method.label for method in METHODS]
SHARE = 0.95  # of the best score: by then the rate has shown
WARM_UP = 20  # epochs in which every curve is steep, and a shift of one epoch a large gap

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]  # epochs, mean validation F1


def rows(options: Options) -> list[Row]:
    """The runs of Table 2, which are taken from there."""
    return training_rows(options.names(PAPER_DATASETS), METHODS, options)


def mean_curve(results: Results, dataset: str, label: str) -> Curve | None:
    """Validation F1 over the seeds, for as long as all of them ran."""
    curves = [row.result["curve"] for row in rows_of(results, dataset, label) if row.is_done]
    if not curves:
        return None
    length = min(len(curve) for curve in curves)
    values = np.array([curve[:length] for curve in curves], dtype=np.float64)
    return values[0, :, 0], values[:, :, 2].mean(axis=0)


def epochs_to_share(curve: Curve) -> float:
    """The first stored epoch whose score is that share of the best.

    >>> epochs_to_share((np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.96, 1.0])))
    2.0
    """
    epochs, scores = curve
    return float(epochs[np.argmax(scores >= SHARE * scores.max())])


def gap(curve: Curve, full: Curve) -> float | None:
    """Mean distance of two curves after the warm-up; None if they end before."""
    length = min(len(curve[0]), len(full[0]))
    later = curve[0][:length] > WARM_UP
    if not later.any():
        return None
    return float(np.abs(curve[1][:length] - full[1][:length])[later].mean())


def tables(results: Results) -> list[Table]:
    """Epochs to 95 % of a curve's best, and how far it is from the full graph's."""
    lines = []
    for dataset in datasets_of(results):
        full = mean_curve(results, dataset, GAT.label)
        for label in LABELS:
            curve = mean_curve(results, dataset, label)
            if curve is None or full is None:
                continue
            apart = gap(curve, full)
            shown = "" if apart is None else f"{apart:.4f}"
            lines.append([dataset, label, f"{epochs_to_share(curve):.0f}", shown])
    columns = ["dataset", "method", f"epochs to {SHARE:.0%} of the best", "mean gap to GAT"]
    return [Table("Validation micro-F1 over the epochs", columns, lines, missing_files(results))]


def findings(results: Results) -> list[Finding]:
    """The claim, "matched almost exactly for every epoch", up to 0.01 of F1."""
    found = []
    for dataset in datasets_of(results):
        full = mean_curve(results, dataset, GAT.label)
        quick = any(row.is_quick for row in rows_of(results, dataset, GAT.label))
        for label in LABELS[1:]:
            curve = mean_curve(results, dataset, label)
            apart = None if curve is None or full is None else gap(curve, full)
            if apart is None:
                continue
            of, ours = f"{NAME}/{label}/{dataset}/same curve as GAT", f"mean gap {apart:.4f}"
            found.append(claim(of, ours, "the same", apart <= LEAST_TOLERANCE, quick=quick))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """Curves for every dataset."""
    names = [name for name in datasets_of(results) if mean_curve(results, name, GAT.label)]
    styles = method_styles(LABELS)

    def panel(axes: Axes, dataset: str) -> None:
        for label in LABELS:
            curve = mean_curve(results, dataset, label)
            if curve is not None:
                colour, dash = styles[label]
                axes.plot(*curve, dash, color=colour, lw=1.4, label=label)
        axes.set_xlabel("epoch")
        axes.set_ylabel("validation micro-F1")

    return draw_panels(folder, NAME, names, panel) if names else []


EXPERIMENT = Experiment(
    NAME,
    "Rate of learning: accuracy against epochs",
    "The mean over seeds of the validation score, for as long as every seed ran. The paper does "
    "not say whose accuracy it shows, nor at which epsilon. Judged is the mean distance of the "
    f"curves after epoch {WARM_UP}.",
    rows,
    tables,
    findings,
    draw,
)
