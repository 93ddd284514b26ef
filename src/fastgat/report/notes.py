"""What is to be known about a task's runs; what several of them share is said once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fastgat.check import one_line
from fastgat.report.comparison import Row
from fastgat.report.runs import TaskRuns
from fastgat.report.styles import is_fastgat


def notes(task: TaskRuns, rows: Sequence[Row]) -> Iterator[str]:
    """What the table's numbers are, and where they should not be trusted."""
    if any(row.sparsifier_speed_up for row in rows):
        yield "Speed-up by sparsifying: time per epoch against our own full graph."
    if any(row.kernel_speed_up for row in rows):
        yield "Kernel speed-up: time per epoch against PyG's layers, both on the full graph."
    if any(is_fastgat(runs) and "epsilon" in runs.label for runs in task.methods):
        yield "Epsilon is the density that a run was asked for: smaller keeps more edges."
    if any(row.measured_apart for row in rows):
        yield "Memory: the most that training took beyond the data, in a process of its own."
    mixed: dict[str, list[str]] = {}
    apart = []
    has_reference = any(row.is_reference for row in rows)
    for runs in task.methods:
        if runs.mixed_settings:
            names = ", ".join(map(one_line, runs.mixed_settings))
            mixed.setdefault(names, []).append(runs.label)
        sparsified = not runs.is_full_graph and not runs.is_peer
        if sparsified and has_reference and task.reference_for(runs) is None:
            apart.append(runs.label)
    for names, labels in mixed.items():
        yield (
            f"The runs of {_listed(labels)} differ in more than the seed ({names}), "
            "so their mean is not that of one method."
        )
    if apart:
        has = "has another architecture" if len(apart) == 1 else "have other architectures"
        yield (
            f"{_listed(apart)} {has} or ran on another machine than the full graph: "
            "no speed-up is given."
        )


def warnings(task: TaskRuns) -> list[str]:
    """Each once, with the methods that it is of; those that differ in numbers alone are one."""
    found: dict[str, dict[str, list[str]]] = {}  # by the words, then by the whole sentence
    for runs in task.methods:
        for run in runs.records:
            for warning in run.warnings:
                line = one_line(warning)
                alike = found.setdefault(re.sub(r"\d[\d,.]*\d|\d", "#", line), {})
                labels = alike.setdefault(line, [])
                if runs.label not in labels:
                    labels.append(runs.label)
    return [_warning(alike) for alike in found.values()]


def _warning(alike: dict[str, list[str]]) -> str:
    labels = list(dict.fromkeys(label for labels in alike.values() for label in labels))
    first, *others = alike
    more = f" ({len(others)} more like it, with other numbers)" if others else ""
    return f"{_listed(labels)}: {first}{more}"


def _listed(labels: Sequence[str]) -> str:
    lines = [one_line(label) for label in labels]
    return lines[0] if len(lines) == 1 else f"{', '.join(lines[:-1])} and {lines[-1]}"
