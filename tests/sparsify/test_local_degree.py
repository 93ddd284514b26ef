"""Local degree by its definition, and rank degree beside a plain walk."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastgat import Graph, InputError
from fastgat.graph.gallery import star
from fastgat.graph.generators import block_model
from fastgat.sparsify import LocalDegreeSparsifier, RankDegreeSparsifier
from fastgat.sparsify.local_degree import RankDegreeDraws

GRAPH = block_model(150, 1200, 3, seed=3)[0]
DEGREE = np.bincount(np.r_[GRAPH.source, GRAPH.target], minlength=150)


def edges_of(graph: Graph, node: int) -> np.ndarray:
    return np.flatnonzero((graph.source == node) | (graph.target == node))


@pytest.mark.parametrize("exponent", [0.2, 0.5, 0.8])
def test_every_node_keeps_the_edges_to_its_largest_neighbours(exponent: float) -> None:
    kept = set(np.flatnonzero(LocalDegreeSparsifier().score(GRAPH) > 1 - exponent))
    may: set[int] = set()
    for node in np.flatnonzero(DEGREE):
        mine = edges_of(GRAPH, node)
        size = DEGREE[GRAPH.source[mine] + GRAPH.target[mine] - node]
        margin = np.sort(size)[::-1][math.floor(DEGREE[node] ** exponent) - 1]
        assert set(mine[size > margin]) <= kept
        may |= set(mine[size >= margin])
    assert kept <= may


def test_a_hub_keeps_its_hub() -> None:
    """Two stars joined at their hubs: the edge between them is the first of both."""
    graph = Graph.from_edges([0, 0, 0, 0, 4, 4, 4], [1, 2, 3, 4, 5, 6, 7])
    joint = int(np.flatnonzero((graph.source == 0) & (graph.target == 4))[0])
    assert LocalDegreeSparsifier().score(graph).tolist() == [1.0] * 7
    assert RankDegreeSparsifier(keep=7).sparsify(graph).num_edges == 7
    prepared = RankDegreeSparsifier(keep=2).prepare(graph)
    assert all(joint in prepared.draw(seed).edge_id for seed in range(20))


def plain_walk(draws: RankDegreeDraws, seed: int) -> list[int]:
    """The same walk node by node, edge by edge."""
    graph, rng = draws.graph, np.random.default_rng(seed)
    taken: set[int] = set()
    nodes: list[int] = []

    def left(node: int) -> list[int]:
        row = draws.rows.edge[draws.rows.offset[node] : draws.rows.offset[node + 1]]
        return [int(edge) for edge in row if edge not in taken]

    while len(taken) < draws.num_edges:
        nodes = [node for node in nodes if left(node)]
        if not nodes:
            possible = np.array([node for node in range(graph.num_nodes) if left(node)])
            size = min(max(1, round(draws.seed_fraction * graph.num_nodes)), possible.size)
            nodes = rng.choice(possible, size, replace=False).tolist()
        chosen, reached = set(), set()
        for node in nodes:
            mine = left(node)
            for edge in mine[: max(1, math.ceil(draws.neighbor_fraction * len(mine)))]:
                chosen.add(edge)
                reached.add(int(graph.source[edge] + graph.target[edge] - node))
        missing = draws.num_edges - len(taken)
        if len(chosen) > missing:
            chosen = set(rng.choice(np.array(sorted(chosen)), missing, replace=False).tolist())
        taken |= chosen
        nodes = sorted(reached)
    return sorted(taken)


@pytest.mark.parametrize("keep", [3, 100, 700, 1200])
@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.6])
def test_rank_degree_beside_a_plain_walk(keep: int, fraction: float) -> None:
    draws = RankDegreeSparsifier(keep=keep, neighbor_fraction=fraction).prepare(GRAPH, seed=3)
    for seed in (1, 5):
        sparse = draws.draw(seed)
        assert sparse.edge_id.tolist() == plain_walk(draws, seed)
        assert sparse.num_edges == keep


def test_edges_of_a_node_are_to_its_largest_neighbours_first() -> None:
    rows = RankDegreeSparsifier().prepare(GRAPH).rows
    for node in range(GRAPH.num_nodes):
        row = rows.edge[rows.offset[node] : rows.offset[node + 1]]
        assert sorted(row) == edges_of(GRAPH, node).tolist()
        assert (np.diff(DEGREE[rows.other_end(row, np.full(row.size, node))]) <= 0).all()


def test_hubs_are_what_rank_degree_keeps() -> None:
    sparse = RankDegreeSparsifier(keep=0.2).sparsify(GRAPH, seed=3)
    after = np.bincount(np.r_[sparse.source, sparse.target], minlength=150)
    hubs = np.argsort(-DEGREE)[:15]
    assert after[hubs].sum() / after.sum() > DEGREE[hubs].sum() / DEGREE.sum()


def test_density_by_epsilon_and_bad_options() -> None:
    assert RankDegreeSparsifier(epsilon=0.9).sparsify(GRAPH).num_edges == 148
    assert RankDegreeSparsifier().sparsify(star(9)).num_edges <= 8
    with pytest.raises(InputError, match=r"neighbor_fraction=1.5 must lie in \[0, 1\]"):
        RankDegreeSparsifier(neighbor_fraction=1.5)
    with pytest.raises(InputError, match="exclude each other"):
        RankDegreeSparsifier(epsilon=0.5, keep=0.5)
