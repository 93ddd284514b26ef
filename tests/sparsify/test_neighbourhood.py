"""Sparsifiers by common neighbours, against plain loops over nodes and sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fastgat import Graph
from fastgat.graph.gallery import star
from fastgat.graph.generators import block_model
from fastgat.sparsify import (
    JaccardSparsifier,
    LocalSimilaritySparsifier,
    LSparSparsifier,
    ScanSparsifier,
    edge_similarity,
)
from fastgat.sparsify.neighbourhood import exponent_score

GRAPH = block_model(120, 900, 3, seed=3)[0]
AROUND = [set(row) for row in np.split(GRAPH.adjacency.neighbor, GRAPH.adjacency.offset[1:-1])]
EDGES = list(zip(GRAPH.source.tolist(), GRAPH.target.tolist(), strict=True))


def kept_by_nodes(graph: Graph, ranks, number) -> set[int]:
    """Every node keeps `number(d)` of its d edges, those of lowest rank."""
    degree = np.bincount(np.r_[graph.source, graph.target], minlength=graph.num_nodes)
    kept = set()
    for edge in range(graph.num_edges):
        for rank, node in zip(ranks, (graph.source[edge], graph.target[edge]), strict=True):
            if rank[edge] < number(int(degree[node])):
                kept.add(edge)
    return kept


def random_ranks(graph: Graph, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """An order of the edges of every node."""
    ranks = np.zeros((2, graph.num_edges), np.int32)
    rng = np.random.default_rng(seed)
    for node in range(graph.num_nodes):
        mine = np.flatnonzero((graph.source == node) | (graph.target == node))
        for place, edge in enumerate(rng.permutation(mine)):
            ranks[int(graph.target[edge] == node), edge] = place
    return ranks[0], ranks[1]


def test_jaccard_keeps_the_highest_index() -> None:
    index = [len(AROUND[u] & AROUND[v]) / len(AROUND[u] | AROUND[v]) for u, v in EDGES]
    kept = JaccardSparsifier(keep=200).sparsify(GRAPH, seed=5).edge_id
    margin = sorted(index, reverse=True)[199]
    assert kept.size == 200
    assert set(np.flatnonzero(np.array(index) > margin)) <= set(kept)
    assert min(np.array(index)[kept]) == margin


def test_scan_by_its_formula() -> None:
    expected = [
        (len(AROUND[u] & AROUND[v]) + 1) / math.sqrt((len(AROUND[u]) + 1) * (len(AROUND[v]) + 1))
        for u, v in EDGES
    ]
    np.testing.assert_allclose(ScanSparsifier().score(GRAPH), expected, rtol=1e-15)


@pytest.mark.parametrize("exponent", [0.013, 0.31, 0.52, 0.77])
@pytest.mark.parametrize(("rounded_up", "rounded"), [(True, math.ceil), (False, math.floor)])
def test_a_score_above_one_minus_e_is_what_nodes_keep(exponent, rounded_up, rounded) -> None:
    ranks = random_ranks(GRAPH, 7)
    score = exponent_score(GRAPH, ranks, rounded_up=rounded_up)
    by_nodes = kept_by_nodes(GRAPH, ranks, lambda degree: rounded(degree**exponent))
    assert set(np.flatnonzero(score > 1 - exponent)) == by_nodes


@pytest.mark.parametrize("seed", [0, 5])
def test_l_spar_takes_the_most_similar_of_every_node(seed: int) -> None:
    """Equal neighbours come in any order, so each end is asked what it may and what it must."""
    score, exponent = LSparSparsifier().score(GRAPH, seed=seed), 0.4
    kept = set(np.flatnonzero(score > 1 - exponent))
    similarity = edge_similarity(GRAPH)
    may = set()
    for node, around in enumerate(AROUND):
        mine = np.flatnonzero((GRAPH.source == node) | (GRAPH.target == node))
        number = math.ceil(len(around) ** exponent)
        if not around:
            continue
        margin = np.sort(similarity[mine])[::-1][number - 1]
        assert set(mine[similarity[mine] > margin]) <= kept
        assert len(kept & set(mine)) >= number
        may |= set(mine[similarity[mine] >= margin])
    assert kept <= may


def test_local_similarity_by_its_formula() -> None:
    """The larger of 1 - log r / log d, with ranks of which equals have a range."""
    score, similarity = LocalSimilaritySparsifier().score(GRAPH, seed=3), edge_similarity(GRAPH)
    low, high = np.zeros(GRAPH.num_edges), np.zeros(GRAPH.num_edges)
    for edge, ends in enumerate(EDGES):
        for node in ends:
            mine = similarity[(GRAPH.source == node) | (GRAPH.target == node)]
            first = 1 + np.count_nonzero(mine > similarity[edge])
            last = np.count_nonzero(mine >= similarity[edge])
            scale = math.log(mine.size) if mine.size > 1 else 1
            high[edge] = max(high[edge], 1 - math.log(first) / scale)
            low[edge] = max(low[edge], 1 - math.log(last) / scale)
    assert (low - 1e-12 <= score).all() and (score <= high + 1e-12).all()
    assert np.count_nonzero(np.isclose(low, high)) > 100


def test_every_node_has_an_edge_where_nodes_choose() -> None:
    for kind in (LSparSparsifier, LocalSimilaritySparsifier):
        assert kind(keep=150).sparsify(GRAPH).num_lost == 0


@pytest.mark.parametrize("kind", [JaccardSparsifier, ScanSparsifier, LSparSparsifier])
def test_nothing_in_common(kind) -> None:
    assert kind(epsilon=0.9).sparsify(star(9)).num_edges >= 1
    assert kind(keep=3).sparsify(star(9)).num_edges == 3
