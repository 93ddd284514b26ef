"""The page's first sentence: whether sparsifying pays, and what it keeps and saves."""

from __future__ import annotations

from collections.abc import Iterable

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.comparison import Row
from fastgat.report.runs import Runs, TaskRuns
from fastgat.report.styles import sparsifier_kind

KEPT = 0.98  # of the accuracy, from which it counts as kept
FASTER = 1.1  # a gain below it may be chance
EQUAL = 1.03  # a ratio of times below it is not worth a number


def conclusion(task: TaskRuns, chosen: Runs, rows: Iterable[Row]) -> str | None:
    """One sentence; None where there is nothing to compare with.

    Args:
        task: what was learnt.
        chosen: the method to speak of.
        rows: of all methods.
    """
    full = task.reference_for(chosen)
    if full is None or chosen.is_full_graph:
        return None
    of = {row.label: row for row in rows}
    mine, theirs = of[chosen.label], of[full.label]
    if mine.test_f1 is None or not theirs.test_f1 or mine.sparsifier_speed_up is None:
        return None
    keeps = mine.test_f1 / theirs.test_f1
    judged = _judged(keeps, _within_seeds(chosen, full), mine, theirs)
    name = one_line(chosen.label)
    told = (
        f"{name} keeps {100 * keeps:.1f} % of the full graph's accuracy "
        f"({text.score(mine.test_f1)} of {text.score(theirs.test_f1)}) with "
        f"{text.percent(mine.edge_share)} of the edges; an epoch is "
        f"{_pace(mine.sparsifier_speed_up)} than on our own full graph"
    )
    if mine.total_seconds and theirs.total_seconds:
        told += f", the whole run {_pace(theirs.total_seconds / mine.total_seconds)}"
    if mine.memory_bytes and theirs.memory_bytes:
        memory, before = text.megabytes(mine.memory_bytes), text.megabytes(theirs.memory_bytes)
        than = "in both cases" if memory == before else f"instead of {before}"
        told += f", and training takes {memory} of memory {than}"
    return f"{judged}: {told}."


def _judged(keeps: float, within_seeds: bool, mine: Row, full: Row) -> str:
    faster = (mine.sparsifier_speed_up or 0.0) >= FASTER
    whole = mine.total_seconds * FASTER <= full.total_seconds
    smaller = bool(
        mine.memory_bytes and full.memory_bytes and mine.memory_bytes * FASTER <= full.memory_bytes
    )
    if not faster:
        what = "saves memory but no time" if smaller else "does not pay"
        return f"Sparsifying {what} here"
    if keeps < KEPT and not within_seeds:
        return "Sparsifying costs accuracy here"
    return "Sparsifying pays here" if whole else "Sparsifying pays here in longer runs only"


def _pace(speed_up: float) -> str:
    """A ratio of times in words.

    >>> _pace(2.0), _pace(1.01), _pace(0.8)
    ('2.00x faster', 'no faster', '1.25x slower')
    """
    if 1 / EQUAL < speed_up < EQUAL:
        return "no faster"
    is_faster = speed_up > 1
    ratio = text.times(speed_up if is_faster else 1 / speed_up)
    return f"{ratio} {'faster' if is_faster else 'slower'}"


def _within_seeds(chosen: Runs, full: Runs) -> bool:
    mine, theirs = chosen.score("test"), full.score("test")
    return mine is not None and theirs is not None and mine.is_near(theirs)


def beside(task: TaskRuns, chosen: Runs, rows: Iterable[Row], lines: Iterable[Row]) -> str:
    """What the conclusion's accuracy is to be seen beside: as many other edges, and no graph.

    Args:
        task: what was learnt.
        chosen: the method to speak of.
        rows: of all methods.
        lines: of what needs no graph.
    """
    full = task.reference_for(chosen)
    if full is None or chosen.is_full_graph:
        return ""
    of = {row.label: row for row in rows}
    others = [
        of[runs.label]
        for runs in task.methods
        if not runs.is_peer
        and not runs.is_full_graph
        and sparsifier_kind(runs) != sparsifier_kind(chosen)
        and _same_count(of[runs.label], of[chosen.label])
    ]
    scores = [
        f"{one_line(row.label)}: {text.score(row.test_f1)}"
        for row in (*others, *lines)
        if row.test_f1 is not None
    ]
    return f"Beside it, {'; '.join(scores)}." if scores else ""


def _same_count(row: Row, chosen: Row) -> bool:
    return abs(row.num_edges - chosen.num_edges) <= 0.05 * chosen.num_edges
