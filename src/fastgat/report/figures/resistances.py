"""Effective resistances of all edges, and of those that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastgat.report.figures.axes import count_axis, log_axis
from fastgat.report.figures.canvas import PALE, Figure, legend_below, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

WIDE_RATIO = 30.0  # of the highest resistance to the lowest, from which bins grow with it


def resistances_figure(
    name: str, label: str, picture: dict[str, Any], colour: str
) -> Figure | None:
    """Two histograms on the same bins; None if every edge was kept.

    Args:
        name: of the figure on the page.
        label: of the method.
        picture: the run's `resistances`, as `fastgat.report.pictures` collects it.
        colour: of the method.
    """
    bins, before, after = picture["bins"], picture["before"], picture["after"]
    if before == after or not before:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        axes.stairs(before, bins, fill=True, color=PALE, label="all edges")
        axes.stairs(after, bins, color=colour, lw=1.6, label="kept edges")
        if bins[0] > 0 and bins[-1] > WIDE_RATIO * bins[0]:
            log_axis(axes.xaxis)
        axes.set_xlim(bins[0], bins[-1])
        count_axis(axes.yaxis)
        axes.set_xlabel("effective resistance (1/weight)")
        axes.set_ylabel("edges")
        legend_below(canvas, axes, columns=2)

    title = f"Edges by effective resistance, all {sum(before)} and the {sum(after)} kept, {label}"
    svg = render(name, 2.6, title, draw)
    return Figure(
        svg,
        "Effective resistance of all edges and of those kept. An edge of low resistance has many "
        "detours around it, and can be spared.",
    )
