"""What needs no graph, as rows beside the methods that do."""

from __future__ import annotations

from typing import Any

from fastgat.check import InputError
from fastgat.report.comparison import Row
from fastgat.report.runs import Spread, TaskRuns


def baseline_rows(task: TaskRuns) -> list[Row]:
    """One row per label, means over the splits; none of records that were trained without."""
    found: dict[str, list[dict[str, Any]]] = {}
    try:
        for runs in task.methods:
            for run in runs.records:
                for one in run.pictures.get("baselines", ()):
                    found.setdefault(str(one["label"]), []).append(one)
        return [_row(task.name, label, alike) for label, alike in found.items()]
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"baselines of the runs on {task.name!r} cannot be shown: {error}; train again"
        ) from error


def _row(task: str, label: str, alike: list[dict[str, Any]]) -> Row:
    test, macro, seconds = (
        Spread.of(one[name] for one in alike) for name in ("test_f1", "test_macro_f1", "seconds")
    )
    return Row(
        task=task,
        label=label,
        num_runs=len(alike),
        test_f1=test.mean if test else None,
        test_f1_deviation=test.deviation if test else None,
        num_edges=0.0,
        num_edges_before=0.0,
        seconds_per_epoch=None,
        total_seconds=seconds.mean if seconds else 0.0,
        memory_bytes=None,
        kernel_speed_up=None,
        sparsifier_speed_up=None,
        is_reference=False,
        test_macro_f1=macro.mean if macro else None,
    )
