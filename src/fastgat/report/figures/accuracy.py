"""Validation score over the epochs, and over the seconds they took; the page has the legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fastgat.check import one_line
from fastgat.report.figures.axes import log_axis
from fastgat.report.figures.canvas import Figure, render
from fastgat.report.runs import Runs
from fastgat.report.styles import Style, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

HEIGHT = 2.7
Array = NDArray[np.float64]
SPAN = 0.25  # of scores: methods differ where they end, not where they begin
LOG_RATIO = 8.0  # of the slowest to the fastest: beyond it one would be a line at the left edge


def accuracy_figure(
    name: str, methods: Sequence[Runs], against: Literal["epochs", "seconds"], styles: Styles
) -> Figure | None:
    """The mean over the seeds and, behind it, the lowest and the highest.

    Args:
        name: of the figure on the page.
        methods: one curve each.
        against: what the horizontal axis counts.
        styles: of the methods.
    """
    curves = {runs.label: _curve(runs, against) for runs in methods if _length(runs)}
    if max((len(place) for place, _ in curves.values()), default=0) < 2:
        return None  # a single epoch is in the table

    def draw(canvas: Canvas, axes: Axes) -> None:
        for label, (place, scores) in curves.items():
            draw_curve(axes, place, scores, styles[label])
        axes.set_ylabel("validation micro-F1")
        axes.set_xlabel("epoch" if against == "epochs" else "seconds since the start")
        ends = [float(place[-1]) for place, _ in curves.values()]
        if against == "seconds" and max(ends) > LOG_RATIO * min(ends) > 0:
            log_axis(axes.xaxis)
        axes.set_ylim(bottom=_lowest_shown([scores for _, scores in curves.values()]))

    title = f"Validation micro-F1 against {against}: {', '.join(map(one_line, curves))}"
    svg = render(name, HEIGHT, title, draw)
    return Figure(svg, _caption(methods, against))


def _lowest_shown(curves: list[Array]) -> float | None:
    """Where the axis begins: `SPAN` below the method whose best epoch is worst."""
    known = [scores[np.isfinite(scores)] for scores in curves]
    best = [float(scores.max()) for scores in known if scores.size]
    low = min((float(scores.min()) for scores in known if scores.size), default=math.nan)
    return max(0.0, min(best) - SPAN) if best and low < min(best) - SPAN else None


def draw_curve(axes: Axes, place: Array, values: Array, style: Style) -> None:
    """The mean over the rows of `values` and, for a method to look at, their range.

    Args:
        axes: to draw on.
        place: along the horizontal axis.
        values: a row per run.
        style: of the method.
    """
    marker = "o" if len(place) == 1 else ""  # a line of one point is not seen
    above = 2 if style.is_baseline else 3
    mean = values.mean(axis=0)
    axes.plot(
        place, mean, style.dash, marker=marker, color=style.colour, lw=style.width, zorder=above
    )
    if len(values) > 1 and not style.is_baseline:
        low, high = values.min(axis=0), values.max(axis=0)
        axes.fill_between(place, low, high, color=style.colour, alpha=0.18, lw=0)


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
