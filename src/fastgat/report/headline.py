"""What the records say in a few plain sentences, and nothing that they do not support."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.comparison import Row, task_rows
from fastgat.report.runs import Runs, Spread, TaskRuns
from fastgat.report.styles import is_fastgat


@dataclass(frozen=True)
class Statement:
    """A number with its name, and the sentence that says what it means."""

    title: str
    value: str
    sentence: str


def headline(task: TaskRuns) -> list[Statement]:
    """Accuracy, speed and memory: compared where there is something to compare with."""
    rows = {row.label: row for row in task_rows(task)}
    chosen = chosen_runs(task)
    full = task.reference_for(chosen)
    if chosen.is_full_graph or full is None:
        statements = list(_alone(rows[chosen.label]))
    else:
        statements = [
            *_accuracy_kept(chosen, full, rows[chosen.label]),
            *_sparsifier_speed(rows[chosen.label], rows[full.label]),
            *_memory(rows[chosen.label], rows[full.label]),
        ]
    on_all = full or chosen
    peer = task.peer_for(on_all) if on_all.is_reference else None
    if peer:
        statements += _kernel_speed(rows[on_all.label], rows[peer.label])
    return statements


def headline_subject(task: TaskRuns) -> str:
    """Which methods the statements are about."""
    chosen = chosen_runs(task)
    full = task.reference_for(chosen)
    name = one_line(chosen.label)
    if chosen.is_full_graph or full is None:
        return name
    return f"{name} against {one_line(full.label)}"


def chosen_runs(task: TaskRuns) -> Runs:
    """The method to speak of: sparsified our way if any, best on validation.

    Never best on test: choosing by what is then reported would flatter it.
    """
    ours = [runs for runs in task.methods if not runs.is_peer] or list(task.methods)
    sparsified = [runs for runs in ours if not runs.is_full_graph]
    our_way = [runs for runs in sparsified if is_fastgat(runs)]
    return max(our_way or sparsified or ours, key=_validation)


def _validation(runs: Runs) -> float:
    score = runs.score("validation")
    return score.mean if score else -math.inf


def _accuracy_kept(chosen: Runs, full: Runs, row: Row) -> Iterator[Statement]:
    mine, theirs = chosen.score("test"), full.score("test")
    if mine is None or theirs is None or theirs.mean <= 0:
        return
    yield Statement(
        "Accuracy kept",
        f"{100 * mine.mean / theirs.mean:.1f} %",
        f"Micro-F1 on the test nodes is {text.score(mine.mean)} with "
        f"{text.percent(row.edge_share)} of the edges and {text.score(theirs.mean)} with all of "
        f"them{_certainty(mine, theirs)}.",
    )


def _certainty(mine: Spread, theirs: Spread) -> str:
    """How much two means may differ by chance, as far as the runs can tell."""
    if mine.deviation is None or theirs.deviation is None:
        return "; from single runs, a small difference may be chance"
    return ", a difference no larger than between seeds" if mine.is_near(theirs) else ""


def _sparsifier_speed(row: Row, full: Row) -> Iterator[Statement]:
    if row.sparsifier_speed_up is not None:
        yield Statement(
            "Speed-up by sparsifying",
            text.times(row.sparsifier_speed_up),
            f"An epoch takes {text.seconds(row.seconds_per_epoch)} instead of "
            f"{text.seconds(full.seconds_per_epoch)} on our own full graph; the whole run, "
            f"resistances included, {text.seconds(row.total_seconds)} instead of "
            f"{text.seconds(full.total_seconds)}.",
        )


def _kernel_speed(ours: Row, peer: Row) -> Iterator[Statement]:
    if ours.kernel_speed_up is not None:
        yield Statement(
            "Kernel speed-up",
            text.times(ours.kernel_speed_up),
            f"An epoch on all edges takes {text.seconds(ours.seconds_per_epoch)}; "
            f"with PyG's layers it takes {text.seconds(peer.seconds_per_epoch)}.",
        )


def _memory(row: Row, full: Row) -> Iterator[Statement]:
    if row.memory_bytes and full.memory_bytes:
        yield Statement(
            "Memory",
            text.megabytes(row.memory_bytes),
            f"Training took {text.megabytes(row.memory_bytes)} at most, beyond what the process "
            f"held before, and {text.megabytes(full.memory_bytes)} on the full graph.",
        )


def _alone(row: Row) -> Iterator[Statement]:
    """Without a full graph to compare with, the bare figures."""
    name = one_line(row.label)
    if row.test_f1 is not None:
        yield Statement(
            "Accuracy",
            text.score(row.test_f1),
            f"Micro-F1 on the test nodes of {name}, "
            f"trained on {text.percent(row.edge_share)} of the edges.",
        )
    if row.seconds_per_epoch is not None:
        yield Statement(
            "Time",
            text.seconds(row.seconds_per_epoch),
            f"per epoch; the whole run took {text.seconds(row.total_seconds)}.",
        )
    if row.memory_bytes:
        yield Statement(
            "Memory",
            text.megabytes(row.memory_bytes),
            "is the most that training took, beyond what the process held before.",
        )
