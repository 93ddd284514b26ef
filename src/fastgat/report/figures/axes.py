"""Axes whose numbers are written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastgat.report import text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

BAR_HEIGHT = 0.42  # of a row, the rest of which is the label's


def log_axis(axes: Axes) -> None:
    """A logarithmic axis along the bottom: matplotlib would write its powers as formulas."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=7))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def count_axis(axis: Axis) -> None:
    """Numbers of things: whole, with thousands apart."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text.count(value)))


def label_above(axes: Axes, row: int, words: str) -> None:
    """A bar's name over it: beside it, long names would leave no room for the bars."""
    axes.annotate(
        words, (0, row - BAR_HEIGHT / 2), xycoords=("axes fraction", "data"),
        xytext=(2, 1.5), textcoords="offset points", va="bottom",
    )  # fmt: skip
