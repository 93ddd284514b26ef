"""Small graphs whose effective resistances are known exactly: for tests, doctests and examples.

>>> known = known_resistances()["cycle"]
>>> known.graph, float(known.resistance[0])
(Graph(num_nodes=5, num_edges=5), 0.8)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import check_count
from fastgat.graph.graph import Graph


@dataclass(frozen=True, eq=False)
class Known:
    """A graph and the exact effective resistance of each of its edges, in the graph's order."""

    graph: Graph
    resistance: NDArray[np.float64]


def path(num_nodes: int) -> Graph:
    """0 - 1 - ... - (n-1): every edge is a bridge, R = 1."""
    nodes = np.arange(check_count("num_nodes", num_nodes, 1), dtype=np.int32)
    return Graph.from_edges(nodes[:-1], nodes[1:], num_nodes=num_nodes)


def cycle(num_nodes: int) -> Graph:
    """A ring: 1 ohm beside n-1 in series, R = (n-1)/n.

    >>> cycle(4).source, cycle(4).target
    (array([0, 0, 1, 2], dtype=int32), array([1, 3, 2, 3], dtype=int32))
    """
    nodes = np.arange(check_count("num_nodes", num_nodes, 3), dtype=np.int32)
    return Graph.from_edges(nodes, np.roll(nodes, -1), num_nodes=num_nodes)


def complete(num_nodes: int) -> Graph:
    """Every pair of nodes: R = 2/n."""
    source, target = np.triu_indices(check_count("num_nodes", num_nodes, 1), k=1)
    return Graph.from_edges(source, target, num_nodes=num_nodes)


def star(num_nodes: int) -> Graph:
    """Node 0 joined to all others: R = 1."""
    leaves = np.arange(1, check_count("num_nodes", num_nodes, 1), dtype=np.int32)
    return Graph.from_edges(np.zeros_like(leaves), leaves, num_nodes=num_nodes)


def complete_bipartite(left: int, right: int) -> Graph:
    """Each of the first `left` nodes joined to each of the `right` others: R = (a+b-1)/(ab)."""
    left, right = check_count("left", left, 1), check_count("right", right, 1)
    source = np.repeat(np.arange(left), right)
    return Graph.from_edges(source, left + np.tile(np.arange(right), left))


def barbell(clique: int, bridge_length: int = 1) -> Graph:
    """Two complete graphs of `clique` nodes joined by a path of `bridge_length` edges.

    R = 2/clique in the cliques, 1 on the path.

    >>> barbell(3, bridge_length=2)
    Graph(num_nodes=7, num_edges=8)
    """
    clique = check_count("clique", clique, 2)
    bridge_length = check_count("bridge_length", bridge_length, 1)
    second = clique + bridge_length - 1  # first node of the second clique
    bridge = np.arange(clique - 1, second + 1)
    inner = complete(clique)
    return Graph.from_edges(
        np.concatenate([inner.source, bridge[:-1], second + inner.source]),
        np.concatenate([inner.target, bridge[1:], second + inner.target]),
    )


def two_components() -> Graph:
    """A triangle (R = 2/3) and, apart from it, a path of three nodes (R = 1)."""
    return Graph.from_edges([0, 0, 1, 3, 4], [1, 2, 2, 4, 5])


def hypercube(dimension: int) -> Graph:
    """2^d nodes, joined where their numbers differ in one bit: R = 2 (2^d - 1) / (d 2^d).

    All edges are alike, so each has an equal share of Foster's sum, nodes - 1.
    """
    nodes = np.arange(2 ** check_count("dimension", dimension))
    source = np.tile(nodes, dimension)
    target = source ^ np.repeat(1 << np.arange(dimension), nodes.size)
    upwards = source < target
    return Graph.from_edges(source[upwards], target[upwards], num_nodes=nodes.size)


def wheel(rim: int) -> Graph:
    """Node 0 joined to every node of a ring of `rim` nodes.

    Spokes have R = F(2n) / (L(2n) - 2) with Fibonacci and Lucas numbers; rim edges 1 - that.
    """
    ring = cycle(check_count("rim", rim, 3))
    spokes = np.arange(1, rim + 1)
    return Graph.from_edges(
        np.concatenate([np.zeros_like(spokes), ring.source + 1]),
        np.concatenate([spokes, ring.target + 1]),
    )


def known_resistances() -> dict[str, Known]:
    """One of each kind, by name, with the exact resistances.

    >>> for name, known in known_resistances().items():
    ...     print(f"{name:19}", np.unique(known.resistance.round(4)))
    path                [1.]
    cycle               [0.8]
    complete            [0.3333]
    star                [1.]
    complete_bipartite  [0.5]
    barbell             [0.5 1. ]
    two_components      [0.6667 1.    ]
    hypercube           [0.5833]
    wheel               [0.4545 0.5455]
    single_edge         [1.]
    single_node         []
    """
    bar, parts, spoked = barbell(4, bridge_length=3), two_components(), wheel(5)
    on_bridge = (bar.target > 3) & (bar.source < 6)  # cliques are 0..3 and 6..9
    return {
        "path": _alike(path(6), 1),
        "cycle": _alike(cycle(5), 4 / 5),
        "complete": _alike(complete(6), 2 / 6),
        "star": _alike(star(7), 1),
        "complete_bipartite": _alike(complete_bipartite(3, 4), 6 / 12),
        "barbell": Known(bar, np.where(on_bridge, 1, 2 / 4)),
        "two_components": Known(parts, np.where(parts.source < 3, 2 / 3, 1)),
        "hypercube": _alike(hypercube(3), 2 * 7 / (3 * 8)),
        "wheel": Known(spoked, np.where(spoked.source == 0, 55 / 121, 66 / 121)),  # F(10), L(10)-2
        "single_edge": _alike(complete(2), 1),
        "single_node": _alike(path(1), 0),
    }


def _alike(graph: Graph, resistance: float) -> Known:
    return Known(graph, np.full(graph.num_edges, float(resistance)))
