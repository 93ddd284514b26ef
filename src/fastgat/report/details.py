"""What sparsifying did to the graph: the pictures that one method's runs brought along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastgat.check import InputError, one_line
from fastgat.report.certificate import certificate_sentences
from fastgat.report.figures.adaptive import adaptive_figure
from fastgat.report.figures.canvas import Figure
from fastgat.report.figures.degrees import degrees_figure
from fastgat.report.figures.neighbourhood import NeighbourhoodFigures, neighbourhood_figures
from fastgat.report.figures.resistances import resistances_figure
from fastgat.report.runs import Runs, TaskRuns
from fastgat.report.styles import Style, Styles


@dataclass(frozen=True)
class Details:
    """One method's part of a page; each piece may be missing."""

    heading: str
    is_open: bool  # the others are folded,
    is_baseline: bool  # and baselines all into one
    certificate: list[str]
    figures: list[Figure]
    neighbourhood: NeighbourhoodFigures | None


def method_details(task: TaskRuns, name: str, chosen: Runs, styles: Styles) -> Iterator[Details]:
    """The details of every method that has any, the chosen one's first.

    Args:
        task: whose methods.
        name: begins the figures' names.
        chosen: the method that the page speaks of.
        styles: of the methods.
    """
    sparsified = [runs for runs in task.methods if not runs.is_full_graph] or list(task.methods)
    places = {runs.label: place for place, runs in enumerate(sparsified)}
    for runs in sorted(sparsified, key=lambda r: (r is not chosen, styles[r.label].is_baseline)):
        own = f"{name}-{places[runs.label]}"
        details = _details(runs, own, styles[runs.label], is_open=runs is chosen)
        if details.certificate or details.figures or details.neighbourhood:
            yield details


def _details(runs: Runs, name: str, style: Style, *, is_open: bool) -> Details:
    def picture(key: str, make: Callable[[Any], Any]) -> Any:
        found = runs.picture(key)
        return None if found is None else drawn(runs, key, lambda: make(found))

    colour, label = style.colour, runs.label
    classes = runs.first.task.get("class_names")
    figures = [
        picture("degrees", lambda p: degrees_figure(f"{name}-degrees", label, p, colour)),
        picture("resistances", lambda p: resistances_figure(f"{name}-resist", label, p, colour)),
        drawn(runs, "decisions", lambda: adaptive_figure(f"{name}-adaptive", runs, colour)),
    ]
    about = "A look at" if runs.is_full_graph else "What sparsifying did:"
    return Details(
        heading=f"{about} {one_line(label)}",
        is_open=is_open,
        is_baseline=style.is_baseline and not is_open,
        certificate=picture("certificate", certificate_sentences) or [],
        figures=[figure for figure in figures if figure is not None],
        neighbourhood=picture(
            "neighbourhood",
            lambda p: neighbourhood_figures(f"{name}-around", label, p, classes),
        ),
    )


def drawn(runs: Runs, key: str, make: Callable[[], Any]) -> Any:
    """What `make` gives; a record that was changed by hand is refused in one sentence."""
    try:
        return make()
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{key} of the run {runs.label!r} cannot be shown: {error}; train again"
        ) from error
