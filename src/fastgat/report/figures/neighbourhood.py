"""A node and those around it, before and after sparsifying: lines as wide as attention is high."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgat.report import text
from fastgat.report.figures.canvas import GREY, INK, PALETTE, Figure, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = PALETTE[:6]
MARKERS = ("o", "s", "^", "D", "v", "P")
GLYPHS = ("●", "■", "▲", "◆", "▼", "✚")  # the same shapes, for the page's legend
OTHER = len(COLOURS)  # the style of every class beyond the most frequent


@dataclass(frozen=True)
class LegendEntry:
    """A shape in its colour, and the class it stands for."""

    glyph: str
    colour: str
    name: str


@dataclass(frozen=True)
class Neighbourhood:
    """Two pictures on one layout, and the legend of both."""

    figures: tuple[Figure, ...]
    legend: tuple[LegendEntry, ...]
    has_wrong: bool  # whether a node is predicted as another class than its own


def draw_neighbourhood(
    name: str, label: str, picture: dict[str, Any], class_names: Any
) -> Neighbourhood | None:
    """Before and after, or one picture if they are the same; None without nodes."""
    nodes = picture["nodes"]
    if not nodes:
        return None
    counts = Counter(node["class"] for node in nodes if node["class"] is not None)
    by_frequency = sorted(counts, key=lambda known: (-counts[known], known))
    style = {known: min(place, OTHER) for place, known in enumerate(by_frequency)}
    times = ("before", "after") if picture["before"] != picture["after"] else ("after",)
    figures = tuple(_figure(f"{name}-{time}", label, picture, time, style) for time in times)
    wrong = any(_is_wrong(node) for node in nodes)
    return Neighbourhood(figures, _legend(by_frequency, nodes, class_names), wrong)


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
        axes.set_axis_off()
        axes.margins(0.06)

    what = "with all edges" if time == "before" else "with the edges trained on"
    number = text.count(len(picture[time]))
    words = f"Around node {center['id']} {what}: {len(nodes)} nodes, {number} edges"
    return Figure(render(name, 3.6, f"{words}, {label}", draw), f"{words}.")


def _draw_node(axes: Axes, node: dict[str, Any], style: int, is_center: bool) -> None:
    colour = COLOURS[style] if style < OTHER else GREY
    face = "white" if _is_wrong(node) else colour
    size = 8.0 if is_center else 5.5
    marker = MARKERS[style] if style < OTHER else "o"
    if is_center:
        axes.plot(node["x"], node["y"], "o", ms=15, mfc="white", mec=INK, mew=1.1, zorder=2)
    axes.plot(node["x"], node["y"], marker, ms=size, mfc=face, mec=colour, mew=1.3, zorder=3)


def _is_wrong(node: dict[str, Any]) -> bool:
    return node["class"] is not None and node["predicted"] != node["class"]


def _legend(
    by_frequency: list[int], nodes: list[dict[str, Any]], class_names: Any
) -> tuple[LegendEntry, ...]:
    entries = [
        LegendEntry(glyph, colour, _class_name(known, class_names))
        for known, glyph, colour in zip(by_frequency, GLYPHS, COLOURS, strict=False)
    ]
    if len(by_frequency) > OTHER:
        entries.append(LegendEntry(GLYPHS[0], GREY, "other classes"))
    elif any(node["class"] is None for node in nodes):
        entries.append(LegendEntry(GLYPHS[0], GREY, "class unknown, or several"))
    return tuple(entries)


def _class_name(known: int, class_names: Any) -> str:
    if isinstance(class_names, list) and 0 <= known < len(class_names):
        return text.one_line(class_names[known])
    return f"class {known}"
