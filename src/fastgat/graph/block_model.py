"""Degree-corrected stochastic block model with an exact number of edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import (
    MAX_NODES,
    InputError,
    check_between,
    check_count,
    check_memory,
    check_seed,
)
from fastgat.graph.graph import Graph

# Largest over smallest propensity. With exponent 2.5 the largest expected degree is about 37 times
# the mean; in Reddit's graph it is 44 times.
_PROPENSITY_RATIO = 100.0
_CHUNK = 1 << 22  # arcs drawn at a time
_FEW_PAIRS = 1 << 21  # pairs that are cheap to list one by one


def block_model(
    num_nodes: int,
    num_edges: int,
    num_communities: int,
    *,
    seed: int = 0,
    mixing: float = 0.2,
    degree_exponent: float = 2.5,
) -> tuple[Graph, NDArray[np.int32]]:
    """A graph of exactly `num_edges` edges in communities of equal size, and each node's community.

    Edges are drawn until enough are distinct: one end by propensity, the other by propensity too,
    from the same community or from all nodes. Nodes may stay isolated.

    Args:
        num_nodes: of the graph.
        num_edges: exactly as many; refused where there are not so many pairs.
        num_communities: of equal size, up to one node.
        seed: the same seed gives the same graph.
        mixing: with which probability an edge's other end may be any node, whatever its community.
        degree_exponent: of the power law that propensities follow.

    >>> graph, community = block_model(1000, 5000, 4, seed=3)
    >>> graph, np.bincount(community)
    (Graph(num_nodes=1000, num_edges=5000), array([250, 250, 250, 250]))
    """
    num_nodes = check_count("num_nodes", num_nodes, 1)
    num_edges = check_count("num_edges", num_edges)
    num_communities = check_count("num_communities", num_communities, 1)
    mixing = check_between("mixing", mixing, 0, 1, closed=True)
    check_between("degree_exponent", degree_exponent, 1, 100, hint="2.5 is common")
    rng = np.random.default_rng(check_seed(seed))
    if num_nodes > MAX_NODES:
        raise InputError(f"num_nodes={num_nodes} must be at most {MAX_NODES}")
    if num_communities > num_nodes:
        raise InputError(f"num_communities={num_communities} must be at most num_nodes={num_nodes}")

    community = rng.permutation(np.arange(num_nodes, dtype=np.int32) % num_communities)
    pairs = _count_pairs(num_nodes, community, mixing)
    if num_edges > pairs:
        where = " within the communities, where mixing=0 keeps all edges" if mixing == 0 else ""
        raise InputError(f"num_edges={num_edges} must be at most the {pairs} pairs of nodes{where}")
    model = _Model.make(community, _power_law(num_nodes, degree_exponent, rng), mixing)
    if num_nodes * (num_nodes - 1) // 2 <= max(_FEW_PAIRS, 4 * num_edges):
        return model.draw_from_list(num_edges, rng), community
    return model.draw_until(num_edges, rng), community


def _count_pairs(num_nodes: int, community: NDArray[np.int32], mixing: float) -> int:
    """Pairs of nodes that can become an edge."""
    if mixing > 0:
        return num_nodes * (num_nodes - 1) // 2
    size = np.bincount(community)
    return int((size * (size - 1) // 2).sum())


def _power_law(size: int, exponent: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw from the density x^-exponent on [1, _PROPENSITY_RATIO], by inverting its integral."""
    power = 1.0 - exponent
    integral = 1.0 + rng.random(size) * (_PROPENSITY_RATIO**power - 1.0)
    propensity: NDArray[np.float64] = integral ** (1.0 / power)
    return propensity


@dataclass(frozen=True, eq=False)
class _Model:
    """The law of one arc. Nodes are ranked by community, so that a community is one interval."""

    node: NDArray[np.int32]  # node of every rank
    member: NDArray[np.int32]  # community of every rank
    propensity: NDArray[np.float64]  # of every rank; sums to 1
    start: NDArray[np.int64]  # first rank of every community, and the number of nodes
    mixing: float

    @classmethod
    def make(
        cls, community: NDArray[np.int32], propensity: NDArray[np.float64], mixing: float
    ) -> _Model:
        node = np.argsort(community, kind="stable").astype(np.int32)
        start = np.concatenate([[0], np.cumsum(np.bincount(community))])
        ranked = propensity[node] / propensity.sum()
        return cls(node, community[node], ranked, start, mixing)

    def draw_from_list(self, num_edges: int, rng: np.random.Generator) -> Graph:
        """The first `num_edges` distinct edges of an endless draw, from a list of all pairs.

        An edge of rate r first turns up after an exponential time of mean 1/r: take the earliest.
        """
        num_nodes = self.node.size
        check_memory(
            f"a block model of num_nodes={num_nodes} this dense",
            32 * num_nodes * num_nodes,
            hint="ask for fewer edges",
        )
        u, v = np.triu_indices(num_nodes, k=1)
        mass = np.add.reduceat(self.propensity, self.start[:-1])[self.member]
        inside = (self.member[u] == self.member[v]) / mass[u]
        rate = self.propensity[u] * self.propensity[v]
        rate *= (1.0 - self.mixing) * inside + self.mixing
        with np.errstate(divide="ignore"):  # a pair that cannot be drawn comes never
            time = rng.standard_exponential(u.size) / rate
        first = np.argsort(time, kind="stable")[:num_edges]
        return Graph.from_edges(self.node[u[first]], self.node[v[first]], num_nodes=num_nodes)

    def draw_until(self, num_edges: int, rng: np.random.Generator) -> Graph:
        """Draw arcs until `num_edges` are distinct, then drop a random surplus."""
        drawn, limit = num_edges, 64 * max(num_edges, 64)  # few edges may all be loops at first
        graph = Graph.from_edges(*self.draw_arcs(num_edges, rng), num_nodes=self.node.size)
        # Share of the last arcs that were new edges, never 0.
        fresh = max(graph.num_edges, 1) / max(num_edges, 1)
        while graph.num_edges < num_edges:
            missing = num_edges - graph.num_edges
            count = min(int(1.01 * missing / fresh) + 64, 4 * num_edges)
            drawn += count
            if drawn > limit:
                raise InputError(
                    f"num_edges={num_edges} do not fit: after {limit} draws {missing} are missing; "
                    f"raise mixing={self.mixing} or degree_exponent, or ask for fewer edges"
                )
            before = graph.num_edges
            source, target = self.draw_arcs(count, rng, graph)
            del graph  # its arrays are in the arcs: at Reddit's size this halves the peak
            graph = Graph.from_edges(source, target, num_nodes=self.node.size)
            fresh = max(graph.num_edges - before, 1) / count
        kept = np.ones(graph.num_edges, bool)
        surplus = graph.num_edges - num_edges
        kept[rng.choice(graph.num_edges, size=surplus, replace=False, shuffle=False)] = False
        source, target = graph.source[kept], graph.target[kept]
        for array in (source, target):
            array.setflags(write=False)
        return Graph(graph.num_nodes, source, target)

    def draw_arcs(
        self, count: int, rng: np.random.Generator, before: Graph | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The edges of `before`, then `count` independent arcs ordered by their source's rank."""
        kept = 0 if before is None else before.num_edges
        source, target = np.empty((2, kept + count), np.int32)
        if before is not None:
            source[:kept], target[:kept] = before.source, before.target
        # How often each node is drawn, all at once: the same law as one by one, and much cheaper.
        times = rng.multinomial(count, self.propensity)
        end = np.cumsum(times)
        cumulative = np.concatenate([[0.0], np.cumsum(self.propensity)])
        cumulative[-1] = 1.0
        for begin in range(0, count, _CHUNK):
            place = np.arange(begin, min(begin + _CHUNK, count))
            tail = np.searchsorted(end, place, side="right")
            head = self._draw_heads(tail, cumulative, rng)
            source[kept + place[0] : kept + place[-1] + 1] = self.node[tail]
            target[kept + place[0] : kept + place[-1] + 1] = self.node[head]
        return source, target

    def _draw_heads(
        self, tail: NDArray[np.int64], cumulative: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The other end of every arc, by propensity in the tail's community or everywhere."""
        anywhere = rng.random(tail.size) < self.mixing
        member = self.member[tail]
        first = np.where(anywhere, 0, self.start[member])
        stop = np.where(anywhere, self.node.size, self.start[member + 1])
        low, high = cumulative[first], cumulative[stop]
        head = np.searchsorted(cumulative, low + rng.random(tail.size) * (high - low), "right") - 1
        return np.clip(head, first, stop - 1)  # rounding may step over an interval's end
