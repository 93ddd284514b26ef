"""`fastgat datasets`: what there is, how large it is, and whether it is here."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from fastgat.cli.options import JsonOption

EXAMPLES = """\b
Examples:
  fastgat datasets --here
  fastgat datasets --json
"""
COLUMNS = ("num_nodes", "num_edges", "num_features", "num_classes")


def datasets(
    here: Annotated[
        bool, typer.Option("--here", help="Only those whose files are here, or need none.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the datasets with their sizes, and whether their files are here.

    Files are looked for in the folder that FASTGAT_DATA names, then in the cache. Edges are
    undirected. The datasets like Reddit and PPI, and synthetic, are made, in any size.
    """
    from fastgat.data.locate import data_folder

    rows = [row for row in list_datasets() if row["here"] or not here]
    if as_json:
        print(json.dumps({"folder": str(data_folder()), "datasets": rows}))
        return
    _show(rows)


def list_datasets() -> list[dict[str, object]]:
    """One row per dataset; features and classes are 0 for a graph alone."""
    from fastgat.data import missing_file
    from fastgat.data.catalogue import CATALOGUE, MADE, Entry, Made

    rows: list[dict[str, object]] = []
    entries: list[tuple[str, Entry | Made]] = [*CATALOGUE.items(), *MADE.items()]
    for name, entry in entries:
        absent = missing_file(name)
        where = {"here": absent is None, "missing": absent}
        rows.append({"name": name, "title": entry.title, **vars(entry.sizes), **where})
    return rows


def _show(rows: list[dict[str, object]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from fastgat.cli.output import printable

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("name")
    for column in COLUMNS:
        table.add_column(column.removeprefix("num_"), justify="right")
    table.add_column("here")
    for row in rows:
        sizes = [f"{row[column]:,}" if row[column] else "-" for column in COLUMNS]
        where = "yes" if row["here"] else f"no {row['missing']}"
        table.add_row(str(row["name"]), *sizes, printable(where))
    width = None if sys.stdout.isatty() else 500  # lines for programs are not broken
    Console(markup=False, highlight=False, width=width).print(table)
