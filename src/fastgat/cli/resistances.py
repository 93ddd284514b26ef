"""`fastgat resistances`: effective resistances of a graph's edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastgat.check import check_seed
from fastgat.cli.arguments import check_output, load_argument
from fastgat.cli.options import GraphArgument, JsonOption, NamesOption, NoCacheOption, SeedOption
from fastgat.cli.output import phase, show
from fastgat.cli.phases import Phases
from fastgat.cli.resistance_methods import Method, check_options, compute
from fastgat.cli.resistance_table import check_suffix, write_resistances

EXAMPLES = """\b
Examples:
  fastgat resistances roads.csv
  fastgat resistances photo --out photo.parquet
  fastgat resistances friends.tsv --names --out resistances.csv --relative-error 0.01
  fastgat resistances small.mtx --method exact --json
"""


def resistances(
    graph: GraphArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write source, target, weight, resistance and leverage of every edge to a "
            ".parquet, .csv, .tsv, .txt (text also .gz) or .npz file.",
        ),
    ] = None,
    relative_error: Annotated[
        float | None,
        typer.Option("--relative-error", help="Mean relative error to reach; 0.02 unless told."),
    ] = None,
    columns: Annotated[
        int | None,
        typer.Option("--columns", help="Columns of the sketch, instead of an error to reach."),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="smoothed: our sketch; plain: the paper's; exact: for small graphs; "
            "degree: 1/degree + 1/degree.",
        ),
    ] = Method.smoothed,
    seed: SeedOption = 0,
    names: NamesOption = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Estimate the effective resistance of every edge.

    It tells how much an edge is needed: 1/weight where there is no way around it, little where
    there are many.
    """
    check_options(method, relative_error, columns)
    check_seed(seed)
    if out is not None:
        check_suffix(out)
        check_output(out)
    phases = Phases()
    read = load_argument(graph, phases, names=names)
    with phase(phases, "resistances") as progress:
        resistance, facts = compute(
            read, method, relative_error, columns,
            seed=seed, cache=None if no_cache else True, progress=progress,
        )  # fmt: skip
    if out is not None:
        with phase(phases, "write"):
            write_resistances(out, read, resistance)
    about = {
        "graph": graph,
        "num_nodes": read.num_nodes,
        "num_edges": read.num_edges,
        "repairs": vars(read.repairs),
        **facts,
        "out": None if out is None else str(out),
    }
    show(about, phases, as_json=as_json)
