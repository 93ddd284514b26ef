"""Validation score over the epochs, and over the seconds they took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fastgat.report import text
from fastgat.report.figures.axes import log_axis
from fastgat.report.figures.canvas import Figure, legend_below, method_styles, render
from fastgat.report.runs import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Array = NDArray[np.float64]
SPAN = 0.25  # of scores: methods differ where they end, not where they begin
LOG_RATIO = 8.0  # of the slowest to the fastest: beyond it one would be a line at the left edge


def accuracy_figure(
    name: str, methods: Sequence[Runs], against: Literal["epochs", "seconds"]
) -> Figure | None:
    """The mean over the seeds and, behind it, the lowest and the highest."""
    curves = {runs.label: _curve(runs, against) for runs in methods if _length(runs)}
    if max((len(place) for place, _ in curves.values()), default=0) < 2:
        return None  # a single epoch is in the table
    styles = method_styles([runs.label for runs in methods])

    def draw(canvas: Canvas, axes: Axes) -> None:
        for label, (place, scores) in curves.items():
            _draw_curve(axes, label, place, scores, styles[label])
        axes.set_ylabel("validation micro-F1")
        axes.set_xlabel("epoch" if against == "epochs" else "seconds since the start")
        ends = [float(place[-1]) for place, _ in curves.values()]
        if against == "seconds" and max(ends) > LOG_RATIO * min(ends) > 0:
            log_axis(axes.xaxis)
        axes.set_ylim(bottom=_lowest_shown([scores for _, scores in curves.values()]))
        legend_below(canvas, axes)

    title = f"Validation micro-F1 against {against}: {', '.join(map(text.one_line, curves))}"
    svg = render(name, 2.6 + 0.19 * len(curves), title, draw)
    return Figure(svg, _caption(methods, against))


def _lowest_shown(curves: list[Array]) -> float | None:
    """Where the axis begins: `SPAN` below the method whose best epoch is worst."""
    known = [scores[np.isfinite(scores)] for scores in curves]
    best = [float(scores.max()) for scores in known if scores.size]
    low = min((float(scores.min()) for scores in known if scores.size), default=math.nan)
    return max(0.0, min(best) - SPAN) if best and low < min(best) - SPAN else None


def _draw_curve(
    axes: Axes, label: str, place: Array, scores: Array, style: tuple[str, str]
) -> None:
    colour, dash = style
    marker = "o" if len(place) == 1 else ""  # a line of one point is not seen
    mean = scores.mean(axis=0)
    axes.plot(place, mean, dash, marker=marker, color=colour, lw=1.4, label=text.shorten(label))
    if len(scores) > 1:
        low, high = scores.min(axis=0), scores.max(axis=0)
        axes.fill_between(place, low, high, color=colour, alpha=0.18, lw=0)


def _length(runs: Runs) -> int:
    """Epochs that every run has: beyond them a mean would be of fewer runs."""
    return min(len(run.history) for run in runs.records)


def _curve(runs: Runs, against: str) -> tuple[Array, Array]:
    """Places, and a row of scores per run."""
    length = _length(runs)
    scores = np.array([[_score(e.validation_f1) for e in r.history[:length]] for r in runs.records])
    if against == "epochs":
        return np.array([float(e.epoch) for e in runs.first.history[:length]]), scores
    ends = [np.cumsum([e.seconds for e in run.history[:length]]) for run in runs.records]
    before = ("preparation", "resistances")
    starts = [sum(run.seconds.get(phase, 0.0) for phase in before) for run in runs.records]
    return np.mean([start + end for start, end in zip(starts, ends, strict=True)], axis=0), scores


def _score(value: float | None) -> float:
    return math.nan if value is None else value


def _caption(methods: Sequence[Runs], against: str) -> str:
    time = " Time begins before the resistances are computed." if against == "seconds" else ""
    if max(len(runs.records) for runs in methods) == 1:
        return f"Accuracy on the validation nodes against {against}.{time}"
    return (
        f"Accuracy on the validation nodes against {against}: mean over the seeds, and the range "
        f"between them, for as long as all of them ran.{time}"
    )
