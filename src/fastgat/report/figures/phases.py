"""Where the time of a run goes: one bar per method, one colour per phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgat.report import text
from fastgat.report.figures.axes import BAR_HEIGHT, label_above
from fastgat.report.figures.canvas import GREY, PALETTE, Figure, legend_below, render
from fastgat.report.runs import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PHASES = (
    "resistances",
    "sampling",
    "forward",
    "backward",
    "optimiser",
    "evaluation",
    "preparation",
)
COLOURS = dict(zip(PHASES, PALETTE, strict=False))
OUTSIDE = "inference"  # not part of the run's total
OTHER = "other"


def phases_figure(name: str, methods: Sequence[Runs]) -> Figure | None:
    """Mean seconds of the whole run, phase upon phase."""
    bars = {runs.label: _phases(runs) for runs in methods}
    used = [phase for phase in (*PHASES, OTHER) if any(phase in bar for bar in bars.values())]
    if not used:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        starts = dict.fromkeys(bars, 0.0)
        for phase in used:
            axes.barh(
                range(len(bars)), [bar.get(phase, 0.0) for bar in bars.values()],
                left=list(starts.values()), height=BAR_HEIGHT, edgecolor="white", linewidth=0.6,
                color=COLOURS.get(phase, GREY), label=phase,
            )  # fmt: skip
            starts = {label: start + bars[label].get(phase, 0) for label, start in starts.items()}
        for row, (label, total) in enumerate(starts.items()):
            label_above(axes, row, f"{text.shorten(label)}: {text.seconds(total)}")
        axes.set_ylim(len(bars) - 0.5, -0.75)
        axes.set_yticks([])
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("seconds, whole run")
        legend_below(canvas, axes, columns=3)

    title = "Seconds of the whole run by phase: " + "; ".join(
        f"{text.one_line(label)} {text.seconds(sum(bar.values()))}" for label, bar in bars.items()
    )
    over = " (mean over the seeds)" if any(len(runs.records) > 1 for runs in methods) else ""
    peers = " with PyG's layers" if all(runs.is_peer for runs in methods) else ""
    svg = render(name, 1.15 + 0.5 * len(bars), title, draw)
    return Figure(svg, f"Where the time of a whole run{peers} goes{over}.")


def _phases(runs: Runs) -> dict[str, float]:
    """Mean seconds by phase; what this page has no colour for is taken together."""
    found: dict[str, float] = {}
    for run in runs.records:
        for phase, seconds in run.seconds.items():
            if phase != OUTSIDE and seconds > 0:
                known = phase if phase in PHASES else OTHER
                found[known] = found.get(known, 0.0) + seconds / len(runs.records)
    return found
