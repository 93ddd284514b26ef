"""How many edges adaptive density trained on, epoch by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.figures.axes import count_axis
from fastgat.report.figures.canvas import DASHES, Figure, legend_below, render
from fastgat.report.runs import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def adaptive_figure(name: str, runs: Runs, colour: str) -> Figure | None:
    """A staircase per run, a dot at each decision; None where density was fixed.

    Args:
        name: of the figure on the page.
        runs: of the method.
        colour: of the method.
    """
    # A choice of guided edges says which, not how many.
    records = [
        run
        for run in runs.records
        if run.history and not all("chosen" in decision for decision in run.decisions)
    ]
    if not records:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        for place, run in enumerate(records):
            dash = DASHES[place % len(DASHES)]
            seed = text.shorten(run.config.get("seed", place), 20)
            epochs, edges = zip(*((e.epoch, e.num_edges) for e in run.history), strict=True)
            axes.step(epochs, edges, dash, where="post", color=colour, lw=1.4, label=f"seed {seed}")
            # A decision holds from the next epoch on, and one after the last epoch for none.
            decided = [(d["epoch"] + 1, d["num_edges"]) for d in run.decisions if "chosen" not in d]
            for epoch, number in decided:
                if epoch <= epochs[-1]:
                    axes.plot(epoch, number, "o", color=colour, ms=3.5)
        count_axis(axes.yaxis)
        axes.set_xlabel("epoch (a dot: the number was decided anew)")
        axes.set_ylabel("edges trained on")
        legend_below(canvas, axes, columns=3)

    label = one_line(runs.label)
    counts = [line.num_edges for run in records for line in run.history]
    title = f"Edges over epochs, {label}: {min(counts)} to {max(counts)}"
    svg = render(name, 2.6, title, draw)
    return Figure(svg, "Edges that adaptive density trained on: more when learning slows down.")
