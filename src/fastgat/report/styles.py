"""One colour per method, in every chart and table; baselines step back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastgat.report.figures.canvas import DASHES, INK, PALETTE, variable
from fastgat.report.runs import Runs, TaskRuns

OUR_WAYS = ("EffectiveResistanceSparsifier", "GuidedSparsifier")  # the others are baselines
FULL_GRAPH = INK  # not black, which matplotlib leaves unsaid
OURS = (PALETTE[0], PALETTE[1], PALETTE[2])
BASELINES = (PALETTE[3], PALETTE[4], PALETTE[5], PALETTE[2], PALETTE[1])
WIDE, THIN = 1.9, 0.8  # points


@dataclass(frozen=True)
class Style:
    """How a method is drawn."""

    colour: str  # hexadecimal, for charts
    dash: str
    width: float
    is_baseline: bool

    @property
    def on_page(self) -> str:
        """The colour as the page writes it, which follows dark mode."""
        return variable(self.colour)

    @property
    def key(self) -> str:
        """The line beside the method's name, as the border of an element."""
        kind = {"-": "solid", ":": "dotted"}.get(self.dash, "dashed")
        return f"{1.6 if self.is_baseline else 4}px {kind} {self.on_page}"


Styles = Mapping[str, Style]  # by label


def styles_of(task: TaskRuns) -> dict[str, Style]:
    """Our full graph in ink, FastGAT in strong colours, everything else in thin lines."""
    main = main_methods(task)
    found: dict[str, Style] = {}
    for colours, methods in (
        ((FULL_GRAPH,), [runs for runs in main if runs.is_reference]),
        (OURS, [runs for runs in main if not runs.is_reference]),
        (BASELINES, [runs for runs in task.methods if runs not in main]),
    ):
        for place, runs in enumerate(methods):
            dash = DASHES[place // len(colours) % len(DASHES)]
            thin = runs not in main
            colour = colours[place % len(colours)]
            found[runs.label] = Style(colour, dash, THIN if thin else WIDE, thin)
    return found


def main_methods(task: TaskRuns) -> list[Runs]:
    """Our full graph and what is sparsified our way; the others are baselines.

    Where nothing is, it is everything of ours, or all there is.
    """
    ours = [runs for runs in task.methods if not runs.is_peer]
    our_way = [runs for runs in ours if is_fastgat(runs)]
    if not our_way:
        return ours or list(task.methods)
    return [runs for runs in ours if runs.is_reference or runs in our_way]


def is_fastgat(runs: Runs) -> bool:
    """Whether edges are chosen by effective resistance or guided, with our own layers."""
    return not runs.is_peer and not runs.is_full_graph and sparsifier_kind(runs) in OUR_WAYS


def sparsifier_kind(runs: Runs) -> object:
    """The name of the sparsifier's class; None on the full graph."""
    settings = runs.first.config.get("sparsifier")
    return settings.get("kind") if isinstance(settings, dict) else None
