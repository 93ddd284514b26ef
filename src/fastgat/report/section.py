"""Everything a page says about one task, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any

from fastgat.report import text
from fastgat.report.comparison import Row, task_rows
from fastgat.report.details import Details, method_details
from fastgat.report.figures.accuracy import accuracy_figure
from fastgat.report.figures.canvas import Figure
from fastgat.report.figures.edges import edges_figure
from fastgat.report.figures.phases import phases_figure
from fastgat.report.headline import Statement, headline, headline_subject
from fastgat.report.runs import TaskRuns

HEADINGS = (
    "Method", "Test micro-F1", "Runs", "Edges trained on", "Time per epoch", "Whole run",
    "Memory", "Sparsifier's speed-up", "Engine's speed-up",
)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """The part of a page that one task has."""

    anchor: str
    name: str
    facts: str
    subject: str  # of the statements
    statements: list[Statement]
    headings: list[str]
    table: list[list[tuple[str, str]]]  # of every row the headings with their cells
    notes: list[str]
    figures: list[Figure]
    details: list[Details]
    warnings: list[str]


def task_section(task: TaskRuns, anchor: str) -> Section:
    """Figures are named after the section's anchor."""
    rows = task_rows(task)
    headings, table = _table(rows)
    return Section(
        anchor=anchor,
        name=text.one_line(task.name),
        facts=_facts(task.facts),
        subject=headline_subject(task),
        statements=headline(task),
        headings=headings,
        table=table,
        notes=list(_notes(task, rows)),
        figures=list(_figures(task, rows, anchor)),
        details=list(method_details(task, anchor)),
        warnings=_warnings(task),
    )


def _table(rows: list[Row]) -> tuple[list[str], list[list[tuple[str, str]]]]:
    """Headings and rows, without columns that no record has anything for."""
    cells = [list(_cells(row)) for row in rows]
    filled = [any(cell != text.NOTHING for cell in column) for column in zip(*cells, strict=True)]
    headings = list(compress(HEADINGS, filled))
    return headings, [list(zip(headings, compress(row, filled), strict=True)) for row in cells]


def _cells(row: Row) -> Iterator[str]:
    yield text.one_line(row.label)
    yield text.score(row.test_f1, row.test_f1_deviation)
    yield str(row.num_runs)
    yield f"{text.count(row.num_edges)} ({text.percent(row.edge_share)})"
    yield text.seconds(row.seconds_per_epoch)
    yield text.seconds(row.total_seconds)
    yield text.megabytes(row.memory_bytes)
    yield "reference" if row.is_reference else text.times(row.sparsifier_speed_up)
    yield text.times(row.engine_speed_up)


def _notes(task: TaskRuns, rows: list[Row]) -> Iterator[str]:
    """What the table's numbers are, and where they should not be trusted."""
    if any(row.sparsifier_speed_up for row in rows):
        yield "Sparsifier's speed-up: time per epoch against our own full graph."
    if any(row.engine_speed_up for row in rows):
        yield "Engine's speed-up: our full graph against PyG's full graph."
    has_reference = any(row.is_reference for row in rows)
    for runs in task.methods:
        label = text.one_line(runs.label)
        if runs.mixed_settings:
            names = ", ".join(map(text.one_line, runs.mixed_settings))
            yield f"The runs of {label} differ in more than the seed ({names}): means mix them."
        sparsified = not runs.is_full_graph and not runs.is_peer
        if sparsified and has_reference and task.reference_for(runs) is None:
            yield (
                f"{label} has another architecture or ran on another machine than the full graph: "
                "no speed-up is given."
            )


def _figures(task: TaskRuns, rows: list[Row], name: str) -> Iterator[Figure]:
    ours = [runs for runs in task.methods if not runs.is_peer]
    peers = [runs for runs in task.methods if runs.is_peer]
    figures = (
        accuracy_figure(f"{name}-epochs", task.methods, "epochs"),
        accuracy_figure(f"{name}-seconds", task.methods, "seconds"),
        phases_figure(f"{name}-phases", ours),
        edges_figure(f"{name}-edges", rows),
        # On one axis with peers, our bars might be too short to be seen.
        phases_figure(f"{name}-peers", peers),
    )
    yield from (figure for figure in figures if figure is not None)


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


def _warnings(task: TaskRuns) -> list[str]:
    """Each once, with the method that it is of."""
    found = (
        f"{text.one_line(runs.label)}: {text.one_line(warning)}"
        for runs in task.methods
        for run in runs.records
        for warning in run.warnings
    )
    return list(dict.fromkeys(found))
