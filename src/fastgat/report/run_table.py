"""The comparison as text: what each method keeps of the accuracy, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastgat.report import text
from fastgat.report.comparison import Row

LEGEND = """\
test F1: share of the test nodes that are labelled right (micro-F1){spread}
edges: what the model was trained on; memory: what training took beyond the data
kernel speed-up: how much faster than PyG's layers on the same edges
sparsifying: how much faster than our own layers on all edges"""


@dataclass(frozen=True)
class RunTable:
    """One row per method; the legend is empty where there is nothing to compare."""

    headings: list[str]
    rows: list[list[str]]
    legend: str


def run_table(rows: Sequence[Row]) -> RunTable:
    """The table of comparison rows; columns of speed-ups only where there are any."""
    with_kernel = any(row.engine_speed_up is not None for row in rows)
    with_sparsifier = any(row.sparsifier_speed_up is not None for row in rows)
    tasks = ", ".join(sorted({row.task for row in rows}))
    headings = [tasks, "test F1", "edges", "kept", "s/epoch", "whole run s", "memory MB"]
    headings += ["kernel speed-up"] * with_kernel + ["sparsifying"] * with_sparsifier
    cells = []
    for row in rows:
        line = [
            row.label,
            "" if row.test_f1 is None else text.score(row.test_f1, row.test_f1_deviation),
            f"{row.num_edges:,.0f}",
            "" if row.edge_share is None else f"{100 * row.edge_share:.0f} %",
            _number(row.seconds_per_epoch, ".4f"),
            _number(row.total_seconds, ".1f"),
            _number(None if row.memory_bytes is None else row.memory_bytes / 1e6, ".0f"),
        ]
        line += [_number(row.engine_speed_up, ".1f", "x")] * with_kernel
        line += [_number(row.sparsifier_speed_up, ".2f", "x")] * with_sparsifier
        cells.append(line)
    seeds = max(row.num_runs for row in rows)
    spread = f", mean and deviation of {seeds} seeds" if seeds > 1 else ""
    return RunTable(headings, cells, LEGEND.format(spread=spread) if len(rows) > 1 else "")


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"
