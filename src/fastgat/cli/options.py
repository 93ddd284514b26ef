"""Arguments and options that verbs share."""

from __future__ import annotations

from typing import Annotated

import typer

GraphArgument = Annotated[
    str, typer.Argument(metavar="GRAPH", help="A graph file, or the name of a dataset.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed, the same result.")]
NamesOption = Annotated[
    bool, typer.Option("--names", help="Nodes are names, any text, instead of numbers.")
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep resistances computed before.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.")
]
