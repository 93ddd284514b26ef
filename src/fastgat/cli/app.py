"""The verbs put together; what they compute with is imported when they run."""

from __future__ import annotations

from typing import Annotated

import typer

from fastgat import __version__
from fastgat.cli import (
    certify,
    compare,
    datasets,
    predict,
    report,
    resistances,
    sparsify,
    train,
)

HELP = "Attention on the few edges of a graph that carry its spectrum: train, compare, predict."
EXAMPLES = """\b
Examples:
  fastgat datasets
  fastgat resistances roads.csv --out resistances.parquet
  fastgat sparsify photo photo-sparse.npz --keep 0.3 --certify
  fastgat certify photo photo-sparse.npz
  fastgat train photo --epsilon 0.5 --out runs/photo
  fastgat compare digits
  fastgat predict runs/photo --out predictions.parquet
  fastgat report runs/photo
"""


def make_app() -> typer.Typer:
    """Every verb with its examples; plain help, which loads fast and reads well in a pipe."""
    app = typer.Typer(
        help=HELP,
        epilog=EXAMPLES,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_before_verbs)
    app.command("datasets", epilog=datasets.EXAMPLES)(datasets.datasets)
    app.command("resistances", epilog=resistances.EXAMPLES)(resistances.resistances)
    app.command("sparsify", epilog=sparsify.EXAMPLES)(sparsify.sparsify)
    app.command("certify", epilog=certify.EXAMPLES)(certify.certify)
    app.command("train", epilog=train.EXAMPLES)(train.train)
    app.command("compare", epilog=compare.EXAMPLES)(compare.compare)
    app.command("predict", epilog=predict.EXAMPLES)(predict.predict)
    app.command("report", epilog=report.EXAMPLES)(report.report)
    return app


def _before_verbs(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if version:
        typer.echo(f"fastgat {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
