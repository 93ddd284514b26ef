"""Where the time of a run goes: one bar per method in its colour, one shade per phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.figures.axes import BAR_HEIGHT, label_above
from fastgat.report.figures.canvas import GREY, PAPER, Figure, render
from fastgat.report.runs import Runs
from fastgat.report.styles import Styles
from fastgat.train import stopwatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PHASES = (*stopwatch.PHASES[1:], stopwatch.PHASES[0])  # preparation, which is short, comes last
SHADES = (0.9, 0.25, 0.65, 0.4, 0.8, 0.15, 0.5, 0.3)  # neighbours far apart
OUTSIDE = "inference"  # not part of the run's total
OTHER = "other"


def phases_figure(name: str, methods: Sequence[Runs], styles: Styles) -> Figure | None:
    """Mean seconds of the whole run, phase upon phase."""
    bars = {runs.label: _phases(runs) for runs in methods}
    used = [phase for phase in (*PHASES, OTHER) if any(phase in bar for bar in bars.values())]
    if not used:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        from matplotlib.patches import Patch

        starts = dict.fromkeys(bars, 0.0)
        colours = [styles[label].colour for label in bars]
        for phase, shade in zip(used, SHADES, strict=False):
            axes.barh(
                range(len(bars)), [bar.get(phase, 0.0) for bar in bars.values()],
                left=list(starts.values()), height=BAR_HEIGHT, edgecolor=PAPER, linewidth=0.6,
                color=[(colour, shade) for colour in colours],
            )  # fmt: skip
            starts = {label: start + bars[label].get(phase, 0) for label, start in starts.items()}
        for row, (label, total) in enumerate(starts.items()):
            label_above(axes, row, f"{text.shorten(label)}: {text.seconds(total)}")
        axes.set_ylim(len(bars) - 0.5, -0.75)
        axes.set_yticks([])
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("seconds, whole run")
        keys = [Patch(color=(GREY, shade)) for _, shade in zip(used, SHADES, strict=False)]
        canvas.legend(keys, used, loc="outside lower left", ncols=3, handlelength=1.4)

    title = "Seconds of the whole run by phase: " + "; ".join(
        f"{one_line(label)} {text.seconds(sum(bar.values()))}" for label, bar in bars.items()
    )
    shades = " Shades are phases, in the order of the legend."
    over = " (mean over the seeds)" if any(len(runs.records) > 1 for runs in methods) else ""
    peers = " with PyG's layers" if all(runs.is_peer for runs in methods) else ""
    svg = render(name, 1.15 + 0.5 * len(bars), title, draw)
    return Figure(svg, f"Where the time of a whole run{peers} goes{over}.{shades}")


def _phases(runs: Runs) -> dict[str, float]:
    """Mean seconds by phase; what this page has no colour for is taken together."""
    found: dict[str, float] = {}
    for run in runs.records:
        for phase, seconds in run.seconds.items():
            if phase != OUTSIDE and seconds > 0:
                known = phase if phase in PHASES else OTHER
                found[known] = found.get(known, 0.0) + seconds / len(runs.records)
    return found
