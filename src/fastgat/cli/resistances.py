"""`fastgat resistances`: effective resistances of a graph's edges."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from fastgat.check import InputError, check_between, check_count, check_seed
from fastgat.cli.arguments import EdgeFile, check_output, load_graph_argument
from fastgat.cli.console import Phases, show_facts
from fastgat.cli.exit import end_promptly
from fastgat.cli.options import (
    GraphArgument,
    HeaderOption,
    JsonOption,
    NamesOption,
    NoCacheOption,
    SeedOption,
    SourceColumnOption,
    TargetColumnOption,
    WeightColumnOption,
)
from fastgat.spectral.methods import Method, resistances_by
from fastgat.spectral.resistance_file import check_suffix, write_resistances

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
            help="By our sketch, by the paper's, without one (for small graphs), or "
            "1/degree + 1/degree.",
        ),
    ] = "smoothed",
    seed: SeedOption = 0,
    names: NamesOption = False,
    source_column: SourceColumnOption = None,
    target_column: TargetColumnOption = None,
    weight_column: WeightColumnOption = None,
    header: HeaderOption = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Estimate the effective resistance of every edge.

    It tells how much an edge is needed: 1/weight where there is no way around it, little where
    there are many.
    """
    _check_options(method, relative_error, columns)
    check_seed(seed)
    if out is not None:
        check_suffix(out)
        check_output(out, {"the graph itself": graph})
    phases = Phases()
    file = EdgeFile(names, source_column, target_column, weight_column, header)
    read = load_graph_argument(graph, phases, file=file)
    # An exact solution stays in foreign code for long.
    prompt = end_promptly() if method == "exact" else nullcontext()
    with phases.phase("resistances") as progress, prompt:
        found = resistances_by(
            method, read, relative_error=relative_error, sketch_columns=columns,
            seed=seed, cache=None if no_cache else True, progress=progress,
        )  # fmt: skip
    if out is not None:
        with phases.phase("write"):
            write_resistances(out, read, found.resistance)
    facts = {
        "graph": graph,
        "num_nodes": read.num_nodes,
        "num_edges": read.num_edges,
        "repairs": vars(read.repairs),
        **found.facts,
        "out": None if out is None else str(out),
    }
    show_facts(facts, phases, as_json=as_json)


def _check_options(method: Method, relative_error: float | None, columns: int | None) -> None:
    """Refuse options that exclude each other or that the method has no use for."""
    if relative_error is not None and columns is not None:
        raise InputError("--relative-error and --columns exclude each other: give one of them")
    if relative_error is not None:
        if method != "smoothed":
            raise InputError(f"--relative-error is for --method smoothed, not {method}")
        check_between("relative_error", relative_error, 0, 1, hint="0.02 is plenty for sampling")
    if columns is not None:
        if method not in ("smoothed", "plain"):
            raise InputError(f"--columns is for --method smoothed or plain, not {method}")
        check_count("columns", columns, 1, hint="16 make one block")
