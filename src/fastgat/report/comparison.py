"""The rows of the comparison table: plain numbers, to be written by whoever shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastgat.report.runs import Runs, Spread, TaskRuns, group_records
from fastgat.train.record import RunRecord


@dataclass(frozen=True)
class Row:
    """One method on one task; means over its runs, None where the records do not tell."""

    task: str
    label: str
    num_runs: int
    test_f1: float | None  # micro-F1
    test_f1_deviation: float | None  # sample deviation; None of a single run
    num_edges: float  # trained on
    num_edges_before: float
    seconds_per_epoch: float | None
    total_seconds: float
    memory_bytes: float | None  # that training took, beyond what the process held before
    engine_speed_up: float | None  # of our full graph's epoch over PyG's full graph's
    sparsifier_speed_up: float | None  # of a sparsified epoch over our own full graph's
    is_reference: bool  # our full graph

    @property
    def edge_share(self) -> float | None:
        """Edges trained on, of all."""
        return self.num_edges / self.num_edges_before if self.num_edges_before else None


def comparison_rows(records: Sequence[RunRecord]) -> list[Row]:
    """One row per task and label: peers first, then our full graph, then sparser and sparser."""
    return [row for task in group_records(records) for row in task_rows(task)]


def task_rows(task: TaskRuns) -> list[Row]:
    """The rows of one task."""
    return [_row(task, runs) for runs in task.methods]


def _row(task: TaskRuns, runs: Runs) -> Row:
    records = runs.records
    test = runs.score("test")
    is_sparsified = not runs.is_full_graph and not runs.is_peer
    peer = task.peer_for(runs) if runs.is_reference else None
    reference = task.reference_for(runs) if is_sparsified else None
    return Row(
        task=task.name,
        label=runs.label,
        num_runs=len(records),
        test_f1=test.mean if test else None,
        test_f1_deviation=test.deviation if test else None,
        num_edges=_mean([run.edges["trained_on"] for run in records]) or 0.0,
        num_edges_before=_mean([run.edges["before"] for run in records]) or 0.0,
        seconds_per_epoch=epoch_seconds(runs),
        total_seconds=_mean([run.total_seconds for run in records]) or 0.0,
        memory_bytes=_mean([run.memory_bytes for run in records]),
        engine_speed_up=_speed_up(runs, peer),
        sparsifier_speed_up=_speed_up(runs, reference),
        is_reference=runs.is_reference,
    )


def epoch_seconds(runs: Runs) -> float | None:
    """Mean over the runs of their median epoch."""
    return _mean([run.seconds_per_epoch for run in runs.records])


def _speed_up(runs: Runs, slower: Runs | None) -> float | None:
    mine, theirs = epoch_seconds(runs), epoch_seconds(slower) if slower else None
    return theirs / mine if mine and theirs else None


def _mean(values: Sequence[float | None]) -> float | None:
    spread = Spread.of(values)
    return spread.mean if spread else None
