"""Which classes are taken for which: a matrix of few classes, the largest confusions of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.figures.axes import BAR_HEIGHT, count_axis, label_above
from fastgat.report.figures.canvas import INK, PAPER, Figure, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MOST_CLASSES = 10  # of a matrix: beyond, its numbers cannot be read
MOST_BARS = 10
DARK = 0.55  # share of a row from which its cell is dark enough for light letters


def confusion_figure(
    name: str, label: str, picture: dict[str, Any], class_names: Any, colour: str
) -> Figure | None:
    """A matrix with a row per true class, or bars; None without test nodes.

    Args:
        name: of the figure on the page.
        label: of the method.
        picture: the run's `confusion`, as `fastgat.report.pictures` collects it.
        class_names: by number, where the task has them.
        colour: of the method.
    """
    nodes, right, confused = picture["nodes"], picture["right"], picture["confused"]
    if not sum(nodes):
        return None
    names = [text.class_name(number, class_names) for number in range(len(nodes))]
    if len(nodes) <= MOST_CLASSES:
        counts = np.diag(np.array(right, float))
        for true, predicted, number in confused:
            counts[true, predicted] = number
        return _matrix(name, label, counts, names, colour)
    return _bars(name, label, nodes, confused, names, colour)


def _matrix(name: str, label: str, counts: Any, names: list[str], colour: str) -> Figure:
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def draw(canvas: Canvas, axes: Axes) -> None:
        from matplotlib.patches import Rectangle

        for (row, column), value in np.ndenumerate(share):
            axes.add_patch(
                Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, lw=0, fc=(colour, value))
            )
            axes.text(
                column, row, text.count(counts[row, column]), ha="center", va="center",
                color=PAPER if value > DARK else INK, fontsize=8.5 if len(names) < 7 else 7,
            )  # fmt: skip
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_ylim(len(names) - 0.5, -0.5)
        long = max(map(len, names)) * len(names) > 40
        short = [text.shorten(one, 14) for one in names]
        places = range(len(names))
        axes.set_yticks(places, short)
        axes.set_xticks(places, short, rotation=90 if long else 0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_xlabel("predicted as")
        axes.set_ylabel("true class")

    height = 1.4 + 0.3 * len(names)
    title = f"Confusion matrix of the test nodes, {label}"
    svg = render(name, max(2.3, height), title, draw)
    what = "test nodes by true and predicted class; the stronger, the more of its row."
    return Figure(svg, f"{one_line(label)}: {what}")


def _bars(
    name: str, label: str, nodes: list[int], confused: list[list[int]], names: list[str],
    colour: str,
) -> Figure | None:  # fmt: skip
    largest = confused[:MOST_BARS]
    if not largest:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        rows = range(len(largest))
        axes.barh(rows, [number for *_, number in largest], height=BAR_HEIGHT, color=colour)
        for row, (true, predicted, number) in enumerate(largest):
            words = f"{text.shorten(names[true], 20)} as {text.shorten(names[predicted], 20)}: "
            label_above(axes, row, f"{words}{text.count(number)} of {text.count(nodes[true])}")
        axes.set_ylim(len(largest) - 0.5, -0.75)
        axes.set_yticks([])
        axes.grid(axis="y", visible=False)
        count_axis(axes.xaxis)
        axes.set_xlabel("test nodes")

    title = f"The largest confusions of classes, {label}: " + "; ".join(
        f"{names[true]} as {names[predicted]} {number}" for true, predicted, number in largest
    )
    svg = render(name, 0.85 + 0.42 * len(largest), title, draw)
    what = f"the {len(largest)} largest confusions of {len(nodes)} classes among the test nodes."
    return Figure(svg, f"{one_line(label)}: {what}")
