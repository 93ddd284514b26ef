"""The comparison: a row of numbers per method, and the rows as a table of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastgat.check import InputError
from fastgat.report import text
from fastgat.report.runs import Runs, Spread, TaskRuns, group_records
from fastgat.train.baselines import Baseline
from fastgat.train.record import RunRecord

LEGEND = """\
test F1: share of the test nodes that are labelled right (micro-F1){spread}
macro-F1: mean over the classes of their F1, rare ones as much as common ones
edges: what the model was trained on; memory: what training took beyond the data{apart}
kernel speed-up: how much faster than PyG's layers on the same edges
sparsifying: how much faster than our own layers on all edges"""
APART = ", resistances included,\n  at most, in the first epochs of a run in a process of its own"


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
    kernel_speed_up: float | None  # of our layers over PyG's, both on the full graph
    sparsifier_speed_up: float | None  # of a sparsified epoch over one on our own full graph
    is_reference: bool  # our full graph
    test_macro_f1: float | None = None
    measured_apart: bool = False  # memory is that of a short run in a process of its own

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


@dataclass(frozen=True)
class RunTable:
    """One row per method; the legend is empty where there is nothing to compare."""

    headings: list[str]
    rows: list[list[str]]
    legend: str


def run_table(rows: Sequence[Row], baselines: Sequence[Baseline] = ()) -> RunTable:
    """The table of comparison rows; columns of speed-ups only where there are any.

    Below them stand baselines without a graph, one line per label, means over what has it.
    """
    with_kernel = any(row.kernel_speed_up is not None for row in rows)
    with_sparsifier = any(row.sparsifier_speed_up is not None for row in rows)
    tasks = ", ".join(sorted({row.task for row in rows}))
    headings = [
        tasks, "test F1", "macro-F1", "edges", "kept", "s/epoch", "whole run s", "memory MB"
    ]  # fmt: skip
    headings += ["kernel speed-up"] * with_kernel + ["sparsifying"] * with_sparsifier
    cells = []
    graph_free = baseline_rows(tasks, baselines)
    for row in (*rows, *graph_free):
        line = [
            row.label,
            "" if row.test_f1 is None else text.score(row.test_f1, row.test_f1_deviation),
            _number(row.test_macro_f1, ".3f"),
            "" if row in graph_free else f"{row.num_edges:,.0f}",
            "" if row.edge_share is None else f"{100 * row.edge_share:.0f} %",
            _number(row.seconds_per_epoch, ".4f"),
            _number(row.total_seconds, ".1f"),
            _number(None if row.memory_bytes is None else row.memory_bytes / 1e6, ".0f"),
        ]
        line += [_number(row.kernel_speed_up, ".1f", "x")] * with_kernel
        line += [_number(row.sparsifier_speed_up, ".2f", "x")] * with_sparsifier
        cells.append(line)
    seeds = max(row.num_runs for row in rows)
    spread = f", mean and deviation of {seeds} seeds" if seeds > 1 else ""
    apart = APART if all(row.measured_apart for row in rows) else ""
    legend = LEGEND.format(spread=spread, apart=apart) if len(rows) > 1 else ""
    return RunTable(headings, cells, legend)


def graph_free_rows(task: TaskRuns) -> list[Row]:
    """One row per label, means over the splits; none of records that were trained without."""
    try:
        found = [
            Baseline(str(one["label"]), one["test_f1"], one["test_macro_f1"], one["seconds"])
            for runs in task.methods
            for run in runs.records
            for one in run.pictures.get("baselines", ())
        ]
        return baseline_rows(task.name, found)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"baselines of the runs on {task.name!r} cannot be shown: {error}; train again"
        ) from error


def baseline_rows(task: str, baselines: Sequence[Baseline]) -> list[Row]:
    """One row per label, means over what has it; what needs no graph has no edges."""
    alike: dict[str, list[Baseline]] = {}
    for one in baselines:
        alike.setdefault(one.label, []).append(one)
    rows = []
    for label, ones in alike.items():
        test = Spread.of(one.test_f1 for one in ones)
        rows.append(
            Row(
                task=task,
                label=label,
                num_runs=len(ones),
                test_f1=test.mean if test else None,
                test_f1_deviation=test.deviation if test else None,
                num_edges=0.0,
                num_edges_before=0.0,
                seconds_per_epoch=None,
                total_seconds=_mean([one.seconds for one in ones]) or 0.0,
                memory_bytes=None,
                kernel_speed_up=None,
                sparsifier_speed_up=None,
                is_reference=False,
                test_macro_f1=_mean([one.test_macro_f1 for one in ones]),
            )
        )
    return rows


def _row(task: TaskRuns, runs: Runs) -> Row:
    records = runs.records
    test, macro = runs.score("test"), runs.score("test_macro_f1")
    apart = [run for run in records if run.measured_apart]  # the others' depends on what ran before
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
        memory_bytes=_mean([run.memory_bytes for run in apart or records]),
        kernel_speed_up=_speed_up(runs, peer),
        sparsifier_speed_up=_speed_up(runs, reference),
        is_reference=runs.is_reference,
        test_macro_f1=macro.mean if macro else None,
        measured_apart=bool(apart),
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


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"
