"""The verbs by name; a verb's module is imported when it is run or listed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from fastgat import __version__
from fastgat.cli.exit import say_why_stopped

# Each a function for typer; EXAMPLES in its module ends its help. Others may add theirs.
VERBS: dict[str, str] = {
    "datasets": "fastgat.cli.datasets:datasets",
    "resistances": "fastgat.cli.resistances:resistances",
    "sparsify": "fastgat.cli.sparsify:sparsify",
    "certify": "fastgat.cli.certify:certify",
    "train": "fastgat.cli.train:train",
    "compare": "fastgat.cli.compare:compare",
    "predict": "fastgat.cli.predict:predict",
    "report": "fastgat.cli.report:report",
}
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


def make_app(verbs: Iterable[str]) -> typer.Typer:
    """The command line with these verbs; plain help, which loads fast and reads well in a pipe."""
    app = typer.Typer(
        help=HELP,
        epilog=EXAMPLES,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_before_verbs)
    for verb in verbs:
        module_name, _, function = VERBS[verb].partition(":")
        module = import_module(module_name)
        command = app.command(verb, epilog=getattr(module, "EXAMPLES", None))
        command(say_why_stopped(getattr(module, function)))
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
