"""Figures as files: PNG and PDF, in the report's colours, readable in print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgat.check import InputError
from fastgat.files import make_folder, write_atomically
from fastgat.report.figures.canvas import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf")
DOTS_PER_INCH = 200
PANEL = (3.0, 2.6)  # inches
MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # told apart without colour
LEGEND_WIDTH = 2.6  # inches of one entry


def draw_panels(
    folder: Path,
    name: str,
    titles: Sequence[str],
    draw: Callable[[Axes, str], None],
    *,
    columns: int = 3,
    panel: tuple[float, float] = PANEL,
) -> list[Path]:
    """One panel per title and one legend for all; gives the files.

    Args:
        folder: of the files; made if need be.
        name: of the files, without what they end in.
        titles: of the panels, in their order.
        draw: called with every panel's axes and title.
        columns: panels side by side.
        panel: width and height of one, in inches.
    """
    matplotlib = require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(columns, len(titles))
    lines = -(-len(titles) // columns)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**STYLE, "pdf.fonttype": 42})
        size = (panel[0] * columns, panel[1] * lines + 0.5)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        every = figure.subplots(lines, columns, squeeze=False).flatten().tolist()
        for axes, title in zip(every, titles, strict=False):
            draw(axes, title)
            axes.set_title(title, fontsize=9)
        for axes in every[len(titles) :]:
            axes.set_axis_off()
        _legend(figure, every)
        return save_figure(figure, folder, name)


def _legend(figure: Figure, every: Sequence[Axes]) -> None:
    found: dict[str, Any] = {}
    for axes in every:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        columns = max(1, int(figure.get_figwidth() / LEGEND_WIDTH))
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns)


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write every format; a folder that is not there is made."""
    make_folder(folder)
    files = [folder / f"{name}.{ending}" for ending in FORMATS]
    for file in files:
        # A PDF without a date: equal figures are equal files.
        metadata = {"CreationDate": None} if file.suffix == ".pdf" else {}
        with write_atomically(file) as temporary:
            figure.savefig(temporary, format=file.suffix[1:], dpi=DOTS_PER_INCH, metadata=metadata)
    return files


def require_matplotlib() -> Any:
    """The module, which not everyone needs."""
    try:
        import matplotlib
    except ImportError:
        raise InputError(
            "a figure needs matplotlib: install it with pip install 'fastgat-er[report]'"
        ) from None
    return matplotlib
