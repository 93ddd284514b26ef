"""Graphs of any size: grids, road-like graphs, block models; the same seed, the same graph."""

from __future__ import annotations

import math

import numpy as np

from fastgat import _core
from fastgat.check import MAX_NODES, InputError, check_count, check_seed
from fastgat.graph.block_model import block_model
from fastgat.graph.graph import Graph

__all__ = ["block_model", "grid", "road_like"]

# World highways: mean degree 2.935. Keeping 85 % of a grid's edges, then making 36 % of all nodes
# bends inside an edge, gives 2 (2 * 0.85 * 0.64 + 0.36) = 2.9.
_KEPT_STREETS = 0.85
_JUNCTIONS = 0.64


def grid(rows: int, columns: int) -> Graph:
    """A rectangle of nodes, numbered row by row, joined to their four neighbours.

    >>> grid(3, 4)
    Graph(num_nodes=12, num_edges=17)
    """
    rows, columns = check_count("rows", rows, 1), check_count("columns", columns, 1)
    if rows * columns > MAX_NODES:
        raise InputError(f"rows={rows} by columns={columns} must be at most {MAX_NODES} nodes")
    nodes = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    source = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()])
    target = np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()])
    return Graph.from_edges(source, target, num_nodes=nodes.size)


def road_like(num_nodes: int, seed: int = 0) -> Graph:
    """A connected planar graph shaped like a road map: mean degree about 2.9, long detours.

    A grid that lost 15 % of its edges (never its connection), with chains of degree-2 nodes
    in the edges that are left.

    >>> roads = road_like(10_000, seed=7)
    >>> roads.num_components, round(2 * roads.num_edges / roads.num_nodes, 1)
    (1, 2.9)
    """
    num_nodes = check_count("num_nodes", num_nodes, 1)
    rng = np.random.default_rng(check_seed(seed))
    rows = max(1, math.isqrt(int(_JUNCTIONS * num_nodes)))
    columns = min(num_nodes, max(2, int(_JUNCTIONS * num_nodes / rows)))
    streets = _thin(grid(rows, columns), rng)
    return _bend(streets, num_nodes - streets.num_nodes, rng)


def _thin(graph: Graph, rng: np.random.Generator) -> Graph:
    """Keep a random spanning tree and as many other edges as the density asks for."""
    score = rng.random(graph.num_edges)
    kept = np.zeros(graph.num_edges, bool)
    kept[_core.maximum_spanning_forest(graph.num_nodes, graph.source, graph.target, score)] = True
    wanted = round(_KEPT_STREETS * graph.num_edges) - int(np.count_nonzero(kept))
    others = np.flatnonzero(~kept)
    kept[rng.choice(others, size=max(0, wanted), replace=False)] = True
    return Graph.from_edges(graph.source[kept], graph.target[kept], num_nodes=graph.num_nodes)


def _bend(graph: Graph, num_bends: int, rng: np.random.Generator) -> Graph:
    """Split random edges by `num_bends` new nodes of degree 2."""
    if num_bends == 0:
        return graph
    host = np.sort(rng.integers(graph.num_edges, size=num_bends))  # the edge each bend lies in
    bend = np.arange(graph.num_nodes, graph.num_nodes + num_bends, dtype=np.int32)
    first = np.flatnonzero(np.diff(host, prepend=-1))  # of the bends of one edge
    after_source = graph.target.copy()
    after_source[host[first]] = bend[first]
    last = np.append(first[1:], num_bends) - 1
    after_bend = bend + 1
    after_bend[last] = graph.target[host[last]]
    return Graph.from_edges(
        np.concatenate([graph.source, bend]), np.concatenate([after_source, after_bend])
    )
