"""What sparsifying did to the graph: the pictures that one method's runs brought along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastgat.check import InputError
from fastgat.report import text
from fastgat.report.certificate import certificate_sentences
from fastgat.report.figures.adaptive import adaptive_figure
from fastgat.report.figures.canvas import Figure
from fastgat.report.figures.degrees import degrees_figure
from fastgat.report.figures.neighbourhood import Neighbourhood, draw_neighbourhood
from fastgat.report.figures.resistances import resistances_figure
from fastgat.report.runs import Runs, TaskRuns


@dataclass(frozen=True)
class Details:
    """One method's part of a page; each piece may be missing."""

    heading: str
    certificate: list[str]
    figures: list[Figure]
    neighbourhood: Neighbourhood | None


def method_details(task: TaskRuns, name: str) -> Iterator[Details]:
    """The details of every method that has any; `name` begins the figures' names."""
    sparsified = [runs for runs in task.methods if not runs.is_full_graph]
    for place, runs in enumerate(sparsified or task.methods):
        details = _details(runs, f"{name}-{place}")
        if details.certificate or details.figures or details.neighbourhood:
            yield details


def _details(runs: Runs, name: str) -> Details:
    def picture(key: str, make: Callable[[Any], Any]) -> Any:
        found = runs.picture(key)
        return None if found is None else _drawn(runs, key, lambda: make(found))

    label = text.one_line(runs.label)
    classes = runs.first.task.get("class_names")
    figures = [
        picture("degrees", lambda p: degrees_figure(f"{name}-degrees", runs.label, p)),
        picture("resistances", lambda p: resistances_figure(f"{name}-resistances", runs.label, p)),
        _drawn(runs, "decisions", lambda: adaptive_figure(f"{name}-adaptive", runs)),
    ]
    return Details(
        heading=f"{'A look at' if runs.is_full_graph else 'What sparsifying did:'} {label}",
        certificate=picture("certificate", certificate_sentences) or [],
        figures=[figure for figure in figures if figure is not None],
        neighbourhood=picture(
            "neighbourhood",
            lambda p: draw_neighbourhood(f"{name}-around", runs.label, p, classes),
        ),
    )


def _drawn(runs: Runs, key: str, make: Callable[[], Any]) -> Any:
    """What `make` gives; a record that was changed by hand is refused in one sentence."""
    try:
        return make()
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{key} of the run {runs.label!r} cannot be shown: {error}; train again"
        ) from error
