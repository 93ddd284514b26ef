"""One look for all figures, and figures as text to be put into a page.

Colours become variables of the page's style sheet, so that figures are dark where the page is.
Text stays text, so that it can be read out and searched; the names of users are never taken for
formulas.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgat.check import one_line
from fastgat.report.figures.axes import part_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

WIDTH = 4.4  # inches: letters keep 9 pixels on a telephone
INK, GREY, PALE, GRID, PAPER = "#1b1f24", "#6b7280", "#c9ced6", "#e5e7eb", "#ffffff"
# Okabe and Ito's colours, told apart by the colour-blind; yellow is left out: too pale on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
# The names that the style sheet has for colours; it gives them other values in the dark.
VARIABLES = {
    INK: "--ink", GREY: "--soft", PALE: "--pale", GRID: "--grid", PAPER: "--card",
    **{colour.lower(): f"--c{place}" for place, colour in enumerate(PALETTE)},
}  # fmt: skip
STYLE: Any = {
    "font.size": 9, "axes.labelsize": 9, "xtick.labelsize": 8.5, "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5, "legend.frameon": False, "legend.borderpad": 0.2,
    "text.color": INK, "axes.labelcolor": INK, "xtick.color": GREY, "ytick.color": GREY,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "axes.edgecolor": GREY, "axes.linewidth": 0.8, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": GRID, "grid.linewidth": 0.7,
    "axes.spines.top": False, "axes.spines.right": False,
    "text.parse_math": False, "svg.fonttype": "none",
}  # fmt: skip
SEE_THROUGH: Any = {
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A picture with what it shows, in words for those who do not see it."""

    svg: str
    caption: str


def render(name: str, height: float, title: str, draw: Callable[[Canvas, Axes], None]) -> str:
    """Draw a picture and give it as text.

    Args:
        name: the figure's own on the page: equal names would make equal ids.
        height: in inches.
        title: what it shows, in words for those who do not see it.
        draw: draws on a canvas and its axes.
    """
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that matplotlib's font lacks are the browser's to draw.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        matplotlib.rcdefaults()  # whatever the user has set for figures of their own
        matplotlib.rcParams.update({**STYLE, **SEE_THROUGH})
        matplotlib.rcParams["svg.hashsalt"] = name
        canvas = Canvas(figsize=(WIDTH, height), layout="constrained")
        axes = canvas.add_subplot()
        draw(canvas, axes)
        part_labels(canvas, axes)
        stored = io.StringIO()
        canvas.savefig(stored, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(stored.getvalue(), name, title)


def variable(colour: str) -> str:
    """A colour as the page writes it.

    >>> variable("#0072B2")
    'var(--c0)'
    """
    name = VARIABLES.get(colour.lower())
    return colour if name is None else f"var({name})"


def method_styles(labels: list[str]) -> dict[str, tuple[str, str]]:
    """A colour and a line for each method: the line changes too, for prints without colour."""
    return {
        label: (PALETTE[place % len(PALETTE)], DASHES[place % len(DASHES)])
        for place, label in enumerate(labels)
    }


def legend_below(canvas: Canvas, axes: Axes, columns: int = 1) -> None:
    """The legend under the axes, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower left", ncols=columns, handlelength=2.4)


def _inline(svg: str, name: str, title: str) -> str:
    """The picture without what only a file of its own needs, its ids made the page's own."""
    root = ET.fromstring(svg)
    used = {
        value.split("#", 1)[1].rstrip(")")
        for element in root.iter()
        for value in element.attrib.values()
        if "#" in value and ("url(#" in value or value.startswith("#"))
    }
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith("}metadata"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            key.rpartition("}")[2]: _themed(value) if key == "style" else value
            for key, value in element.attrib.items()
            if key != "id" or value in used
        }
    return _labelled(root, name, title)


def _themed(style: str) -> str:
    return re.sub("#[0-9a-fA-F]{6}", lambda found: variable(found[0]), style)


def _labelled(root: ET.Element, name: str, title: str) -> str:
    size = root.attrib["viewBox"]
    root.attrib = {"viewBox": size, "role": "img", "aria-labelledby": f"{name}-title"}
    heading = ET.Element("title", {"id": f"{name}-title"})
    heading.text = one_line(title)
    root.insert(0, heading)
    return ET.tostring(root, encoding="unicode")
