"""What fastgat does, shown on real data in a few seconds: `python -m fastgat.demo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastgat import (
    Certificate,
    EffectiveResistanceSparsifier,
    Graph,
    SparsifiedGraph,
    UniformSparsifier,
    certify,
    estimate_resistances,
)
from fastgat.data import load_graph
from fastgat.data.digits import NEIGHBORS

if TYPE_CHECKING:
    from rich.table import Table

    from fastgat.sparsify import PreparedSparsifier

KEEP = 0.4  # of the edges
DRAWS = 10  # every number is a mean over as many sparse graphs
SEED = 7

MEANING = """\
Whatever numbers the nodes carry, the sum of their squared differences along
the edges lies between "at least" and "at most" times that of the whole graph;
epsilon is the larger distance from 1, and "at least" is 0 where a graph falls
apart. With as many edges, {random:.1f} nodes lost every neighbour when edges were kept
at random, {resistance:.1f} by effective resistance, and {forest:.1f} with a spanning forest."""


@dataclass(frozen=True)
class Measured:
    """Sparse graphs drawn in one way, with their certificates."""

    graphs: list[SparsifiedGraph]
    certificates: list[Certificate]

    def graph_mean(self, name: str) -> float:
        """Mean of an attribute of the graphs."""
        return float(np.mean([getattr(graph, name) for graph in self.graphs]))

    def mean(self, name: str) -> float:
        """Mean of an attribute of the certificates."""
        return float(np.mean([getattr(certificate, name) for certificate in self.certificates]))


def main() -> None:
    """Sparsify one graph in three ways, and measure what each has kept."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, width=80)
    graph = digits_graph()
    estimate = estimate_resistances(graph, seed=SEED)
    resistance = estimate.resistance
    console.print(
        f"{graph.num_nodes} handwritten digits, each joined to the {NEIGHBORS} that look most "
        f"like it:\n{graph.num_edges} edges. Their effective resistances, where 1 means that there "
        f"is no way\naround an edge: {resistance.min():.3f} to {resistance.max():.3f}, mean "
        f"{resistance.mean():.3f}, known to about {100 * estimate.expected_error:.1f} %.\n"
    )
    ways = {name: measure(graph, draws) for name, draws in prepare(graph).items()}
    console.print(comparison(graph, ways))
    lost = [way.graph_mean("num_lost") for way in ways.values()]
    console.print("\n" + MEANING.format(random=lost[0], resistance=lost[1], forest=lost[2]))


def digits_graph() -> Graph:
    """Every digit of scikit-learn's set with its nearest neighbours, as an undirected graph."""
    return load_graph("digits")


def prepare(graph: Graph) -> dict[str, PreparedSparsifier]:
    """Three ways to keep the same number of edges, but for chance."""
    at_random = UniformSparsifier(keep=KEEP, sampling="independent")
    by_resistance = EffectiveResistanceSparsifier(keep=KEEP, sampling="independent")
    with_forest = EffectiveResistanceSparsifier(
        keep=KEEP, sampling="independent", spanning_forest=True
    )
    return {
        "at random": at_random.prepare(graph),
        "by resistance": by_resistance.prepare(graph, seed=SEED),
        "+ spanning forest": with_forest.prepare(graph, seed=SEED),
    }


def measure(graph: Graph, draws: PreparedSparsifier) -> Measured:
    """Draw and certify."""
    graphs = [draws.draw(seed) for seed in range(SEED, SEED + DRAWS)]
    return Measured(graphs, [certify(graph, sparse, seed=SEED) for sparse in graphs])


def comparison(graph: Graph, ways: dict[str, Measured]) -> Table:
    """A column for every way, beside one for the graph itself."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(f"means of {DRAWS} draws")
    for column in ("whole graph", *ways):
        table.add_column(column, justify="right")
    all_ways = ways.values()
    table.add_row("nodes", *[str(graph.num_nodes)] * (1 + len(ways)))
    table.add_row(
        "edges", str(graph.num_edges), *(f"{way.graph_mean('num_edges'):.0f}" for way in all_ways)
    )
    table.add_row(
        "nodes left alone",
        "0",
        *(f"{way.graph_mean('num_lost'):.1f}" for way in all_ways),
    )
    table.add_row(
        "separate pieces",
        str(graph.num_components),
        *(f"{way.mean('num_components'):.1f}" for way in all_ways),
    )
    rows = {"lower": "at least", "upper": "at most", "epsilon": "epsilon, measured"}
    for name, label in rows.items():
        whole = "0" if name == "epsilon" else "1"
        table.add_row(label, whole, *(f"{way.mean(name):.3f}" for way in all_ways))
    return table


if __name__ == "__main__":
    main()
