"""How many edges each method was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.comparison import Row
from fastgat.report.figures.axes import BAR_HEIGHT, count_axis, label_above
from fastgat.report.figures.canvas import PALE, Figure, render
from fastgat.report.styles import Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def edges_figure(name: str, rows: Sequence[Row], styles: Styles) -> Figure | None:
    """One bar per method, on the bar of all edges; None if nobody left an edge out."""
    if all(row.num_edges == row.num_edges_before for row in rows):
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        places = range(len(rows))
        axes.barh(places, [row.num_edges_before for row in rows], height=BAR_HEIGHT, color=PALE)
        colours = [styles[row.label].colour for row in rows]
        axes.barh(places, [row.num_edges for row in rows], height=BAR_HEIGHT, color=colours)
        for place, row in enumerate(rows):
            label_above(axes, place, f"{text.shorten(row.label, 34)}: {_share(row)}")
        axes.set_ylim(len(rows) - 0.5, -0.75)
        axes.set_yticks([])
        axes.grid(axis="y", visible=False)
        count_axis(axes.xaxis)
        axes.set_xlabel("edges trained on (pale: left out)")

    title = "Edges trained on: " + "; ".join(
        f"{one_line(row.label)} {text.count(row.num_edges)} ({_share(row)})" for row in rows
    )
    svg = render(name, 0.85 + 0.5 * len(rows), title, draw)
    return Figure(svg, "Edges that each method was trained on, of all edges.")


def _share(row: Row) -> str:
    return text.percent(row.edge_share)
