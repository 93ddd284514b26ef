"""How many neighbours nodes have, whatever the weights, before and after sparsifying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastgat.report.figures.axes import count_axis
from fastgat.report.figures.canvas import PALE, Figure, legend_below, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MOST_RANGES = 6  # beyond them there is room for where each begins only


def degrees_figure(name: str, label: str, picture: dict[str, Any], colour: str) -> Figure | None:
    """Number of nodes by number of neighbours; None if sparsifying changed nothing.

    Args:
        name: of the figure on the page.
        label: of the method.
        picture: the run's `degrees`, as `fastgat.report.pictures` collects it.
        colour: of the method.
    """
    bins, before, after = picture["bins"], picture["before"], picture["after"]
    if before == after or not bins:
        return None
    names = [_bin_name(bins, place) for place in range(len(bins))]

    def draw(canvas: Canvas, axes: Axes) -> None:
        places = range(len(bins))
        axes.bar([p - 0.2 for p in places], before, 0.4, color=PALE, label="before")
        axes.bar([p + 0.2 for p in places], after, 0.4, color=colour, label="after")
        short = [_short(low) for low in bins]
        has_room = len(bins) <= MOST_RANGES
        axes.set_xticks(list(places), names if has_room else short)
        axes.grid(axis="x", visible=False)
        count_axis(axes.yaxis)
        axes.set_xlabel("neighbours of a node" + ("" if has_room else ": at least"))
        axes.set_ylabel("nodes")
        legend_below(canvas, axes, columns=2)

    counts = (f"{n}: {b} to {a}" for n, b, a in zip(names, before, after, strict=True))
    title = f"Nodes by number of neighbours, before and after, {label}. {'; '.join(counts)}"
    svg = render(name, 2.6, title, draw)
    return Figure(svg, "Number of nodes by number of neighbours, before and after sparsifying.")


def _bin_name(bins: list[int], place: int) -> str:
    """A bin reaches to below the next one's lower bound; the last has no end."""
    low = bins[place]
    if place + 1 == len(bins):
        return f"{low}+"
    high = bins[place + 1] - 1
    return f"{low}" if high <= low else f"{low}-{high}"


def _short(number: int) -> str:
    """1024 as 1k: the bins are powers of two."""
    for unit, size in (("M", 2**20), ("k", 2**10)):
        if number >= size:
            return f"{number // size}{unit}"
    return str(number)
