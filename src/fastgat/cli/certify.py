"""`fastgat certify`: how well a sparse graph keeps the spectrum."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from fastgat.check import InputError, check_seed
from fastgat.cli.arguments import EdgeFile, load_graph_argument
from fastgat.cli.console import Phases, show_facts
from fastgat.cli.options import (
    GraphArgument,
    HeaderOption,
    JsonOption,
    NamesOption,
    SeedOption,
    SourceColumnOption,
    TargetColumnOption,
    WeightColumnOption,
)
from fastgat.graph import Graph

EXAMPLES = """\b
Examples:
  fastgat certify photo photo-sparse.npz
  fastgat certify friends.tsv few.tsv --names --json
"""


def certify(
    graph: GraphArgument,
    sparse: Annotated[
        str, typer.Argument(metavar="SPARSE", help="A graph file on the same nodes.")
    ],
    seed: SeedOption = 0,
    names: NamesOption = False,
    source_column: SourceColumnOption = None,
    target_column: TargetColumnOption = None,
    weight_column: WeightColumnOption = None,
    header: HeaderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how well a sparse graph keeps a graph's spectrum.

    For every vector x, the sparse graph's energy x'Lx lies between lower and upper times the
    graph's: 1 and 1 for equal graphs. A node that lost all its edges makes lower 0; lower nonzero
    leaves such directions out. Degree quantiles are of the nodes' degrees, after over before.
    """
    check_seed(seed)
    phases = Phases()
    file = EdgeFile(names, source_column, target_column, weight_column, header)
    dense = load_graph_argument(graph, phases, file=file, phase="read graph")
    few = load_graph_argument(sparse, phases, file=EdgeFile(names), phase="read sparse")
    few = _on_same_nodes(dense, few, graph, sparse)
    facts: dict[str, object] = {
        "graph": graph,
        "sparse": sparse,
        "num_nodes": dense.num_nodes,
        "num_edges_before": dense.num_edges,
        "num_edges_after": few.num_edges,
    }
    facts |= certificate_facts(dense, few, phases, seed=seed)
    show_facts(facts, phases, as_json=as_json)


def certificate_facts(
    graph: Graph, sparse: Graph, phases: Phases, *, seed: int
) -> dict[str, object]:
    """What the certificate of a sparse graph says, by the names that are shown.

    Args:
        graph: The graph.
        sparse: What was kept of it.
        phases: Take down what certifying costs.
        seed: Of the iteration's first vectors.
    """
    from fastgat import spectral

    with phases.phase("certify") as progress:
        certificate = spectral.certify(graph, sparse, seed=seed, progress=progress)
    quantiles = {f"{q:g}": ratio for q, ratio in certificate.degree_quantiles.items()}
    return {"epsilon": certificate.epsilon, **vars(certificate), "degree_quantiles": quantiles}


def _on_same_nodes(graph: Graph, sparse: Graph, graph_file: str, sparse_file: str) -> Graph:
    """The sparse graph with the graph's node numbers: files of names number as they like."""
    if graph.names is not None and sparse.names is not None:
        return _renumbered(graph, sparse, graph_file, sparse_file)
    if sparse.num_nodes != graph.num_nodes:
        sizes = f"{sparse_file} has {sparse.num_nodes} nodes, but {graph_file} {graph.num_nodes}"
        hint = f"; if its last nodes have no edges, begin it with # num_nodes={graph.num_nodes}"
        raise InputError(sizes + hint * (sparse.num_nodes < graph.num_nodes))
    return sparse


def _renumbered(graph: Graph, sparse: Graph, graph_file: str, sparse_file: str) -> Graph:
    assert graph.names is not None
    assert sparse.names is not None
    if np.array_equal(graph.names, sparse.names):
        return sparse
    named, times = np.unique(graph.names[graph.names != ""], return_counts=True)
    if (times > 1).any():
        twice = str(named[np.argmax(times > 1)])
        raise InputError(
            f"{graph_file} has two nodes named {twice!r}; give every node its own name"
        )
    number = {name: node for node, name in enumerate(graph.names.tolist())}
    place = np.zeros(sparse.num_nodes, np.int32)
    for node in np.unique(np.concatenate([sparse.source, sparse.target])).tolist():
        name = str(sparse.names[node])
        if name not in number:
            raise InputError(f"{sparse_file} has a node {name!r}, but {graph_file} has not")
        place[node] = number[name]
    return Graph.from_edges(
        place[sparse.source], place[sparse.target], sparse.stored_weight, graph.num_nodes
    )
