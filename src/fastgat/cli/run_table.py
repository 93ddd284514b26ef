"""The table of runs: what each method keeps of the accuracy, and what it costs."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fastgat.cli.output import printable

if TYPE_CHECKING:
    from fastgat.report import Row
    from fastgat.train import RunRecord

LEGEND = """\
test F1: share of the test nodes that are labelled right (micro-F1){spread}
edges: what the model was trained on; memory: what training took beyond the data
engine: how much faster than PyG's layer on the same edges
sparsifying: how much faster than the same engine on all edges"""


def show_runs(
    records: Sequence[RunRecord], *, as_json: bool, folders: Sequence[Path], report: Path | None
) -> None:
    """Print one row per method, or one JSON object."""
    from fastgat.report import comparison_rows

    rows = comparison_rows(records)
    if as_json:
        facts = {
            "rows": [dataclasses.asdict(row) for row in rows],
            "folders": [str(folder) for folder in folders],
            "report": None if report is None else str(report),
        }
        print(json.dumps(facts))
        return
    from rich.console import Console

    width = None if sys.stdout.isatty() else 500  # lines for programs are not broken
    console = Console(markup=False, highlight=False, width=width)
    console.print(_table(rows))
    seeds = max(row.num_runs for row in rows)
    spread = f", mean and deviation of {seeds} seeds" if seeds > 1 else ""
    if len(rows) > 1:
        console.print("\n" + LEGEND.format(spread=spread))
    where = [f"runs in {_common(folders)}"] + ([] if report is None else [f"report in {report}"])
    console.print("\n" + printable(", ".join(where)))


def _table(rows: Sequence[Row]) -> object:
    from rich.table import Table

    from fastgat.report import text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    names = sorted({row.task for row in rows})
    table.add_column(printable(", ".join(names)))
    with_engine = any(row.engine_speed_up is not None for row in rows)
    with_sparsifier = any(row.sparsifier_speed_up is not None for row in rows)
    columns = ["test F1", "edges", "kept", "s/epoch", "whole run s", "memory MB"]
    columns += ["engine"] * with_engine + ["sparsifying"] * with_sparsifier
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        cells = [
            "" if row.test_f1 is None else text.score(row.test_f1, row.test_f1_deviation),
            f"{row.num_edges:,.0f}",
            "" if row.edge_share is None else f"{100 * row.edge_share:.0f} %",
            _number(row.seconds_per_epoch, ".4f"),
            _number(row.total_seconds, ".1f"),
            _number(None if row.memory_bytes is None else row.memory_bytes / 1e6, ".0f"),
        ]
        cells += [_number(row.engine_speed_up, ".1f", "x")] * with_engine
        cells += [_number(row.sparsifier_speed_up, ".2f", "x")] * with_sparsifier
        table.add_row(printable(row.label), *cells)
    return table


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "" if value is None else f"{value:{form}}{unit}"


def _common(folders: Sequence[Path]) -> Path:
    """The folder that all lie in."""
    if len(folders) == 1:
        return folders[0]
    import os

    return Path(os.path.commonpath(folders))
