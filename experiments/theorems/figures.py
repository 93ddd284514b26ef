"""Two figures: bounds beside what was observed, and the counter-example beside sqrt(k)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.figures import require_matplotlib, save_figure
from experiments.theorems.counterexample import Weights, counterexample
from experiments.theorems.run import CheckedRow
from fastgat.check import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPOKES = (16, 64, 250, 1000, 4000, 16000)

# Shapes as well as colours (Okabe and Ito's, safe for the colour-blind), for print without colour.
_MARKS = {
    "Theorem 1": ("o", "#0072B2"),
    "Theorem 2 (D norm)": ("s", "#009E73"),
    "Theorem 2 as printed": ("^", "#D55E00"),
    "Theorem 2 on FastGAT-const": ("D", "#CC79A7"),
}


def draw_bounds(rows: Sequence[CheckedRow], stem: str | os.PathLike[str]) -> list[Path]:
    """Observed against bound, one mark per row; returns the files, `stem`.png and `stem`.pdf.

    Below the line a statement holds. Hollow marks lie outside its assumptions.
    """
    drawn = [row for row in rows if row.statement in _MARKS and row.observed > 0 and row.bound > 0]
    if not drawn:
        raise InputError("rows has no statement with a bound to draw: give those of check_theorems")
    figure, axes = _canvas()
    for statement, (marker, colour) in _MARKS.items():
        for hold in (True, False):
            some = [r for r in drawn if r.statement == statement and r.assumptions_hold == hold]
            axes.plot(
                [row.bound for row in some],
                [row.observed for row in some],
                marker,
                color=colour,
                markerfacecolor=colour if hold else "none",
                markersize=5,
            )
        axes.plot([], [], marker, color=colour, markersize=5, label=statement)
    axes.plot([], [], "o", color="0.4", markerfacecolor="none", label="outside the assumptions")
    bounds, observed = [row.bound for row in drawn], [row.observed for row in drawn]
    ends = [0.7 * min(bounds), 1.4 * max(bounds)]
    axes.plot(ends, ends, "k-", linewidth=1, label="observed = bound: above it, fails")
    axes.set(xlim=ends, ylim=(0.5 * min(observed), 1.6 * max(bounds + observed)))
    axes.set_xlabel(r"bound, relative to $\|HW\|$")
    axes.set_ylabel(r"observed error, relative to $\|HW\|$")
    figure.legend(frameon=False, fontsize=8, loc="outside upper center", ncols=2)
    return save_figure(figure, Path(stem).parent, Path(stem).name)


def draw_counterexample(
    stem: str | os.PathLike[str], *, epsilon: float = 0.1, spokes: Sequence[int] = SPOKES
) -> list[Path]:
    """The counter-example's error against k, beside sqrt(k) and the printed bound."""
    if not spokes:
        raise InputError("spokes is empty: give the numbers of spokes to draw, such as (16, 4000)")
    number = np.array(sorted(spokes), np.float64)
    figure, axes = _canvas()
    marks: dict[Weights, tuple[str, str]] = {
        "opposed": ("o", "#0072B2"),
        "alternating": ("s", "#009E73"),
    }
    for weights, (marker, colour) in marks.items():
        checks = [counterexample(int(k), epsilon, weights=weights) for k in number]
        observed = [check.observed for check in checks]
        axes.plot(number, observed, marker, color=colour, label=f"observed, {weights} weights")
        through = observed[-1] * np.sqrt(number / number[-1])
        axes.plot(number, through, ":", color=colour, linewidth=1)
    axes.plot([], [], ":", color="0.4", label=r"proportional to $\sqrt{k}$")
    bound = [check.bound for check in checks]
    axes.plot(number, bound, "-", color="#D55E00", label="bound of Theorem 2 as printed")
    axes.set_xticks(number, [f"{k:g}" for k in number])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("spokes $k$")
    axes.set_ylabel(r"$\|H_f - H_s\|_F$ / $\|HW\|_F$")
    axes.set_title(rf"hub with $k$ spokes, $\epsilon$ = {epsilon:g}", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
    return save_figure(figure, Path(stem).parent, Path(stem).name)


def _canvas() -> tuple[Figure, Axes]:
    """An empty log-log plot, on a canvas of its own: no window, no state shared with the caller."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    figure = Figure(figsize=(4.8, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    axes.grid(which="major", linewidth=0.4, color="0.85")
    axes.set_axisbelow(True)
    return figure, axes
