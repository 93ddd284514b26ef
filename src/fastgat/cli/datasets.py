"""`fastgat datasets`: what there is, how large it is, and whether it is here."""

from __future__ import annotations

from typing import Annotated

import typer

from fastgat.cli.console import show_json, show_table
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
    undirected. The datasets like Reddit and PPI, and synthetic, are generated, in any size.
    """
    from fastgat.data.download import data_folder

    rows = [row for row in list_datasets() if row["here"] or not here]
    if as_json:
        show_json({"folder": str(data_folder()), "datasets": rows})
        return
    headings = ["name", *(column.removeprefix("num_") for column in COLUMNS), "here"]
    show_table(headings, [_cells(row) for row in rows], left=("here",))


def list_datasets() -> list[dict[str, object]]:
    """One row per dataset; features and classes are 0 for a graph alone."""
    from fastgat.data import missing_file
    from fastgat.data.catalogue import CATALOGUE

    rows: list[dict[str, object]] = []
    for name, entry in CATALOGUE.items():
        absent = missing_file(name)
        where = {"here": absent is None, "missing": absent}
        rows.append({"name": name, "title": entry.title, **vars(entry.sizes), **where})
    return rows


def _cells(row: dict[str, object]) -> list[str]:
    sizes = [f"{row[column]:,}" if row[column] else "-" for column in COLUMNS]
    return [str(row["name"]), *sizes, "yes" if row["here"] else f"no {row['missing']}"]
