"""Everything a page says about one task, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.certificate import PanelTable, panel_table
from fastgat.report.classes import ClassTable, class_table
from fastgat.report.comparison import Row, graph_free_rows, task_rows
from fastgat.report.conclusion import beside, conclusion
from fastgat.report.details import Details, drawn, method_details
from fastgat.report.figures.accuracy import accuracy_figure
from fastgat.report.figures.canvas import Figure
from fastgat.report.figures.confusion import confusion_figure
from fastgat.report.figures.edges import edges_figure
from fastgat.report.figures.loss import loss_figure
from fastgat.report.figures.phases import phases_figure
from fastgat.report.headline import Statement, chosen_runs, headline, headline_subject
from fastgat.report.notes import notes, warnings
from fastgat.report.runs import Runs, TaskRuns
from fastgat.report.settings import settings
from fastgat.report.styles import Style, Styles, main_methods, styles_of

HEADINGS = (
    "Method", "Test micro-F1", "Macro-F1", "Runs", "Edges trained on", "Time per epoch",
    "Whole run", "Memory", "Speed-up by sparsifying", "Kernel speed-up",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A row of a table: the headings with their cells, and the method's key."""

    cells: list[tuple[str, str]]
    style: Style | None  # None of what needs no graph


@dataclass(frozen=True)
class Table:
    """Methods side by side."""

    headings: list[str]
    lines: list[Line]


@dataclass(frozen=True)
class Section:
    """The part of a page that one task has."""

    anchor: str
    name: str
    facts: str
    conclusion: str | None
    beside: str
    subject: str  # of the statements
    statements: list[Statement]
    table: Table
    baselines: Table | None
    kept: PanelTable | None  # what every sparse graph keeps
    notes: list[str]
    legend: list[tuple[str, Style]]  # the keys of baselines are in their table
    figures: list[Figure]
    more_figures: list[Figure]  # of baselines
    confusions: list[Figure]
    classes: ClassTable | None
    settings: list[tuple[str, str]]
    details: list[Details]
    warnings: list[str]


def task_section(task: TaskRuns, anchor: str) -> Section:
    """Figures are named after the section's anchor."""
    rows, graph_free = task_rows(task), graph_free_rows(task)
    styles, main, chosen = styles_of(task), main_methods(task), chosen_runs(task)
    shown = [row for row in rows if not styles[row.label].is_baseline]
    folded = [*(row for row in rows if styles[row.label].is_baseline), *graph_free]
    full = task.reference_for(chosen)
    return Section(
        anchor=anchor,
        name=one_line(task.name),
        facts=_facts(task.facts),
        conclusion=conclusion(task, chosen, rows),
        beside=beside(task, chosen, rows, graph_free),
        subject=headline_subject(task),
        statements=headline(task),
        table=_table(shown, styles),
        baselines=_table(folded, styles) if folded else None,
        kept=panel_table(task),
        notes=list(notes(task, rows)),
        legend=[(one_line(runs.label), styles[runs.label]) for runs in main],
        figures=_figures(task, main, shown, anchor, styles),
        more_figures=_more_figures(task, folded, anchor, styles),
        confusions=_confusions(chosen, full, anchor, styles),
        classes=class_table(chosen, [full] if full and full is not chosen else []),
        settings=settings(task),
        details=list(method_details(task, anchor, chosen, styles)),
        warnings=warnings(task),
    )


def _table(rows: list[Row], styles: Styles) -> Table:
    """Headings and rows, without columns that no record has anything for."""
    cells = [list(_cells(row)) for row in rows]
    filled = [any(cell != text.NOTHING for cell in column) for column in zip(*cells, strict=True)]
    headings = list(compress(HEADINGS, filled))
    lines = [
        Line(list(zip(headings, compress(line, filled), strict=True)), styles.get(row.label))
        for row, line in zip(rows, cells, strict=True)
    ]
    return Table(headings, lines)


def _cells(row: Row) -> Iterator[str]:
    has_graph = row.num_edges_before > 0
    yield one_line(row.label)
    yield text.score(row.test_f1, row.test_f1_deviation)
    yield text.score(row.test_macro_f1)
    yield str(row.num_runs)
    share = f"{text.count(row.num_edges)} ({text.percent(row.edge_share)})"
    yield share if has_graph else text.NOTHING
    yield text.seconds(row.seconds_per_epoch)
    yield text.seconds(row.total_seconds)
    yield text.megabytes(row.memory_bytes)
    yield "reference" if row.is_reference else text.times(row.sparsifier_speed_up)
    yield text.times(row.kernel_speed_up)


def _figures(
    task: TaskRuns, main: list[Runs], rows: list[Row], name: str, styles: Styles
) -> list[Figure]:
    figures = (
        accuracy_figure(f"{name}-epochs", task.methods, "epochs", styles),
        accuracy_figure(f"{name}-seconds", task.methods, "seconds", styles),
        loss_figure(f"{name}-loss", main, styles),
        phases_figure(f"{name}-phases", main, styles),
        edges_figure(f"{name}-edges", rows, styles),
    )
    return [figure for figure in figures if figure is not None]


def _more_figures(task: TaskRuns, rows: list[Row], name: str, styles: Styles) -> list[Figure]:
    """The bars of baselines; those of peers apart, beside which others might be too short."""
    folded = [runs for runs in task.methods if styles[runs.label].is_baseline]
    figures = (
        phases_figure(f"{name}-others", [runs for runs in folded if not runs.is_peer], styles),
        edges_figure(f"{name}-other-edges", [row for row in rows if row.label in styles], styles),
        phases_figure(f"{name}-peers", [runs for runs in folded if runs.is_peer], styles),
    )
    return [figure for figure in figures if figure is not None]


def _confusions(chosen: Runs, full: Runs | None, name: str, styles: Styles) -> list[Figure]:
    """Of the method that the page speaks of, and of the full graph."""
    figures = []
    for place, runs in enumerate([chosen] + [full] * (full is not None and full is not chosen)):
        assert runs is not None
        found = runs.picture("confusion")
        if found is not None:
            names, colour = runs.first.task.get("class_names"), styles[runs.label].colour
            own = f"{name}-confusion-{place}"
            draw = partial(confusion_figure, own, runs.label, found, names, colour)
            figures.append(drawn(runs, "confusion", draw))
    return [figure for figure in figures if figure is not None]


def _facts(task: dict[str, Any]) -> str:
    """Size and split in one sentence, as far as they are known."""
    sizes = [
        f"{text.count(task[name])} {name.removeprefix('num_')}"
        for name in ("num_nodes", "num_edges", "num_features", "num_classes")
        if isinstance(task.get(name), int)
    ]
    parts = [
        f"{text.count(task[part])} for {'training' if part == 'train' else part}"
        for part in ("train", "validation", "test")
        if isinstance(task.get(part), int)
    ]
    graphs = task.get("num_graphs")
    several = f"{text.count(graphs)} graphs" if isinstance(graphs, int) and graphs > 1 else ""
    kind = "several classes per node" if task.get("is_multi_label") else ""
    split = ", ".join(parts).replace(" for", " nodes for", 1)
    return "; ".join(filter(None, [", ".join(sizes), several, kind, split]))
