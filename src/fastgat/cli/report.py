"""`fastgat report`: one page about one or many runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastgat.cli.arguments import check_output
from fastgat.cli.needs import PAGE, require

EXAMPLES = """\b
Examples:
  fastgat report runs/photo
  fastgat report runs/photo runs/physics --out both.html
"""


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or of many of them.")
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The page to write; it needs no other file.")
    ] = Path("report.html"),
) -> None:
    """Write a page with what came of runs: accuracy, time, memory, and pictures of the graph."""
    require("report", *PAGE)
    from fastgat.report import write_report

    check_output(out)
    print(write_report(runs, out))
