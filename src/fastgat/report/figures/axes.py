"""Axes whose numbers are written out."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from fastgat.report import text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas

BAR_HEIGHT = 0.42  # of a row, the rest of which is the label's
LABEL_GAP = 3.0  # pixels of 72 to the inch, between two numbers of an axis
FEW_DECADES = 1.7  # up to which there is room for three numbers in each


def log_axis(axis: Axis) -> None:
    """A logarithmic axis, its numbers written out: matplotlib would write powers as formulas."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    class Decades(LogLocator):
        def tick_values(self, vmin: float, vmax: float) -> Any:
            few = vmin > 0 and math.log10(vmax / vmin) <= FEW_DECADES
            self.set_params(subs=(1.0, 2.0, 5.0) if few else (1.0,))
            return super().tick_values(vmin, vmax)

    axes = axis.axes
    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
    axis.set_major_locator(Decades(base=10, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: log_number(value)))
    axis.set_minor_formatter(NullFormatter())


def log_number(value: float) -> str:
    """A number of one digit and its zeros, millions in short.

    >>> log_number(0.02), log_number(5000), log_number(2e7)
    ('0.02', '5,000', '20 M')
    """
    return f"{value / 1e6:,g} M" if value >= 1e6 else f"{value:,g}"


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


def part_labels(canvas: Canvas, axes: Axes) -> None:
    """Leave out every second number of an axis, or more, until none touches the next."""
    canvas.draw_without_rendering()
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        shown = [
            (tick.get_loc(), tick.label1)
            for tick in axis.get_major_ticks()
            if tick.label1.get_text() and low <= tick.get_loc() <= high
        ]
        boxes = [label.get_window_extent() for _, label in shown]
        spans = sorted(
            (box.x0, box.x1) if axis is axes.xaxis else (box.y0, box.y1) for box in boxes
        )
        gap = LABEL_GAP * canvas.dpi / 72 if axis is axes.xaxis else 0.0
        step = 1
        while _touch(spans[::step], gap):
            step += 1
        if step > 1:
            kept = shown[::step]
            axis.set_ticks([place for place, _ in kept], [label.get_text() for _, label in kept])


def _touch(spans: list[tuple[float, float]], gap: float) -> bool:
    return any(left[1] + gap > right[0] for left, right in itertools.pairwise(spans))
