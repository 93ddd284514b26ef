"""`fastgat sparsify`: a graph of fewer edges on the same nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastgat.check import check_seed
from fastgat.cli.arguments import EdgeFile, check_output, load_graph_argument, make_sparsifier
from fastgat.cli.certify import certificate_facts
from fastgat.cli.console import Phases, show_facts
from fastgat.cli.options import (
    EpsilonOption,
    GraphArgument,
    HeaderOption,
    JsonOption,
    KeepOption,
    MethodOption,
    NamesOption,
    NoCacheOption,
    PerNodeOption,
    SamplingOption,
    SeedOption,
    SourceColumnOption,
    TargetColumnOption,
    WeightColumnOption,
)
from fastgat.graph import write_graph
from fastgat.graph.formats import format_of

EXAMPLES = """\b
Examples:
  fastgat sparsify photo photo-sparse.npz --epsilon 0.5
  fastgat sparsify roads.csv roads-sparse.csv --keep 0.8 --spanning-forest
  fastgat sparsify friends.tsv few.tsv --names --keep 20000 --sampling independent --certify
  fastgat sparsify web.mtx web-sparse.mtx --method k-neighbor --neighbors 5 --json
"""


def sparsify(
    graph: GraphArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="Where to write the sparse graph: .npz, .parquet, .mtx, .csv, .tsv or .txt.",
        ),
    ],
    epsilon: EpsilonOption = None,
    keep: KeepOption = None,
    neighbors: Annotated[
        int | None,
        typer.Option("--neighbors", help="Edges that every node keeps (--method k-neighbor)."),
    ] = None,
    method: MethodOption = "resistance",
    sampling: SamplingOption = None,
    per_node: PerNodeOption = None,
    spanning_forest: Annotated[
        bool,
        typer.Option("--spanning-forest", help="Keep a spanning forest too: nothing falls apart."),
    ] = False,
    certify: Annotated[
        bool, typer.Option("--certify", help="Measure how well the spectrum was kept.")
    ] = False,
    seed: SeedOption = 0,
    names: NamesOption = False,
    source_column: SourceColumnOption = None,
    target_column: TargetColumnOption = None,
    weight_column: WeightColumnOption = None,
    header: HeaderOption = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a sparse graph that keeps the spectrum of a graph.

    Edges that are hard to get around are kept most; the weights of the others grow to make up for
    what is left out. Give --epsilon or --keep.
    """
    sparsifier = make_sparsifier(
        method, epsilon=epsilon, keep=keep, neighbors=neighbors,
        sampling=sampling, spanning_forest=spanning_forest, per_node=per_node,
    )  # fmt: skip
    check_seed(seed)
    format_of(out)
    check_output(out, {"the graph itself": graph})
    phases = Phases()
    file = EdgeFile(names, source_column, target_column, weight_column, header)
    dense = load_graph_argument(graph, phases, file=file)
    with phases.phase("prepare") as progress:
        cache = None if no_cache else True
        prepared = sparsifier.prepare(dense, seed=seed, cache=cache, progress=progress)
    with phases.phase("draw"):
        sparse = prepared.draw(seed)
    with phases.phase("write"):
        write_graph(sparse, out)
    facts: dict[str, object] = {
        "graph": graph,
        "out": str(out),
        "method": method,
        "num_nodes": dense.num_nodes,
        "num_edges_before": dense.num_edges,
        "num_edges_after": sparse.num_edges,
        "num_draws": sparse.num_draws,
        "num_isolated": sparse.num_isolated,
        "num_lost": sparse.num_lost,
        "repairs": vars(dense.repairs),
    }
    if certify:
        facts["certificate"] = certificate_facts(dense, sparse, phases, seed=seed)
    show_facts(facts, phases, as_json=as_json)
