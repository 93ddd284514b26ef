"""What needs no graph, as rows beside the methods that do."""

from __future__ import annotations

from fastgat.check import InputError
from fastgat.report.comparison import Row, baseline_rows
from fastgat.report.runs import TaskRuns
from fastgat.train.baselines import Baseline


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
