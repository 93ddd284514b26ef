"""A node and those around it, before and after sparsifying: lines as wide as attention is high."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgat.report import text
from fastgat.report.figures.canvas import GREY, INK, PALETTE, PAPER, Figure, render, variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = PALETTE[:6]
MARKERS = ("o", "s", "^", "D", "v", "P")
GLYPHS = ("●", "■", "▲", "◆", "▼", "✚")  # the same shapes, for the page's legend
NAME_LENGTH = 40
MOST_LETTERS = 14  # of a name in the picture
OTHER = len(COLOURS)  # the style of every class beyond the most frequent


@dataclass(frozen=True)
class LegendEntry:
    """A shape in its colour, and the class it stands for."""

    glyph: str
    colour: str
    name: str


@dataclass(frozen=True)
class NeighbourhoodFigures:
    """Two pictures on one layout, and the legend of both."""

    figures: tuple[Figure, ...]
    legend: tuple[LegendEntry, ...]
    has_wrong: bool  # whether a node is predicted as another class than its own


def neighbourhood_figures(
    name: str, label: str, picture: dict[str, Any], class_names: Any
) -> NeighbourhoodFigures | None:
    """Before and after, or one picture if they are the same; None without nodes.

    Args:
        name: of the figures on the page.
        label: of the method.
        picture: the run's `neighbourhood`, as `fastgat.report.pictures` collects it.
        class_names: by number, where the task has them.
    """
    nodes = picture["nodes"]
    if not nodes:
        return None
    counts = Counter(node["class"] for node in nodes if node["class"] is not None)
    by_frequency = sorted(counts, key=lambda known: (-counts[known], known))
    style = {known: min(place, OTHER) for place, known in enumerate(by_frequency)}
    times = ("before", "after") if picture["before"] != picture["after"] else ("after",)
    figures = tuple(_figure(f"{name}-{time}", label, picture, time, style) for time in times)
    wrong = any(_is_wrong(node) for node in nodes)
    return NeighbourhoodFigures(figures, _legend(by_frequency, nodes, class_names), wrong)


def _figure(
    name: str, label: str, picture: dict[str, Any], time: str, style: dict[int, int]
) -> Figure:
    nodes, center = picture["nodes"], picture["nodes"][picture["center"]]

    def draw(canvas: Canvas, axes: Axes) -> None:
        for start, end, attention in picture[time]:
            ends = nodes[start], nodes[end]
            axes.plot(
                [node["x"] for node in ends], [node["y"] for node in ends], color=GREY,
                lw=0.35 + 3.5 * attention, alpha=0.75, solid_capstyle="round", zorder=1,
            )  # fmt: skip
        for node in nodes:
            _draw_node(axes, node, style.get(node["class"], OTHER), node is center)
        if any(node.get("name") for node in nodes):
            _draw_names(axes, nodes, picture["before"], center)
        axes.set_axis_off()
        axes.margins(0.06)

    what = "with all edges" if time == "before" else "with the edges trained on"
    number = text.count(len(picture[time]))
    middle = text.shorten(center.get("name") or center["id"], NAME_LENGTH)
    words = f"Around node {middle} {what}: {len(nodes)} nodes, {number} edges"
    return Figure(render(name, 3.6, f"{words}, {label}", draw), f"{words}.")


def _draw_node(axes: Axes, node: dict[str, Any], style: int, is_center: bool) -> None:
    colour = COLOURS[style] if style < OTHER else GREY
    face = PAPER if _is_wrong(node) else colour
    size = 8.0 if is_center else 5.5
    marker = MARKERS[style] if style < OTHER else "o"
    if is_center:
        axes.plot(node["x"], node["y"], "o", ms=15, mfc=PAPER, mec=INK, mew=1.1, zorder=2)
    axes.plot(node["x"], node["y"], marker, ms=size, mfc=face, mec=colour, mew=1.3, zorder=3)


def _draw_names(
    axes: Axes, nodes: list[dict[str, Any]], edges: list[list[Any]], center: dict[str, Any]
) -> None:
    """Names of the node in the middle and of those at `edges` of it: for all there is no room."""
    middle = nodes.index(center)
    near = {middle, *(i + j - middle for i, j, _ in edges if middle in (i, j))}
    for place in near:
        node = nodes[place]
        below = node["y"] < center["y"]
        gap = 11 if place == middle else 6
        axes.annotate(
            text.shorten(node.get("name") or node["id"], MOST_LETTERS), (node["x"], node["y"]),
            xytext=(0, -gap if below else gap), textcoords="offset points", ha="center",
            va="top" if below else "bottom", fontsize=7.5 if place == middle else 6.5,
            fontweight="bold" if place == middle else "normal", zorder=4, annotation_clip=False,
        )  # fmt: skip


def _is_wrong(node: dict[str, Any]) -> bool:
    return node["class"] is not None and node["predicted"] != node["class"]


def _legend(
    by_frequency: list[int], nodes: list[dict[str, Any]], class_names: Any
) -> tuple[LegendEntry, ...]:
    entries = [
        LegendEntry(glyph, variable(colour), text.class_name(known, class_names))
        for known, glyph, colour in zip(by_frequency, GLYPHS, COLOURS, strict=False)
    ]
    if len(by_frequency) > OTHER:
        entries.append(LegendEntry(GLYPHS[0], variable(GREY), "other classes"))
    elif any(node["class"] is None for node in nodes):
        entries.append(LegendEntry(GLYPHS[0], variable(GREY), "class unknown, or several"))
    return tuple(entries)
