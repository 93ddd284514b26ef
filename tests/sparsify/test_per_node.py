"""Every node keeps its share: as many edges as asked for, the best of each node."""

import numpy as np
import pytest
from numpy.typing import NDArray

from fastgat import Graph, _core
from fastgat.graph.gallery import complete, star
from fastgat.graph.generators import block_model
from fastgat.sparsify.draws import BestEdges
from fastgat.sparsify.per_node import PerNodeDraws, node_share

BLOCKS = block_model(400, 6000, 4, seed=3)[0]


def scores(graph: Graph, seed: int = 1) -> NDArray[np.float64]:
    return np.random.default_rng(seed).random(graph.num_edges)


def ranks_by_definition(graph: Graph, score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of every edge at both ends, by sorting the edges of each node."""
    ranks = np.zeros((2, graph.num_edges), np.int64)
    for node in range(graph.num_nodes):
        mine = np.flatnonzero((graph.source == node) | (graph.target == node))
        for place, edge in enumerate(mine[np.argsort(-score[mine])]):
            ranks[int(graph.target[edge] == node), edge] = place
    return ranks


@pytest.mark.parametrize("threads", [1, 2])
def test_ranks_are_those_of_sorting(threads: int) -> None:
    before, score = _core.num_threads(), scores(BLOCKS)
    try:
        _core.set_num_threads(threads)
        found = _core.rank_edges(BLOCKS.adjacency, score, True, 0)
    finally:
        _core.set_num_threads(before)
    np.testing.assert_array_equal(found, ranks_by_definition(BLOCKS, score))


def test_ranks_of_a_draw_follow_the_scores() -> None:
    """Of two edges of a node, the one with thrice the score comes first three times of four."""
    graph, score = Graph.from_edges([0, 0], [1, 2]), np.array([3.0, 1.0])
    first = [_core.rank_edges(graph.adjacency, score, False, seed)[0][0] for seed in range(4000)]
    assert np.mean(np.equal(first, 0)) == pytest.approx(0.75, abs=0.03)


def test_equal_scores_are_ordered_at_random_and_zero_comes_last() -> None:
    graph = star(9)
    first = {int(np.argmin(_core.rank_edges(graph.adjacency, np.ones(8), True, seed)[0]))
             for seed in range(100)}  # fmt: skip
    assert first == set(range(8))
    score = np.array([0.0, *np.ones(7)])
    for seed in range(20):
        assert _core.rank_edges(graph.adjacency, score, False, seed)[0][0] == 7


@pytest.mark.parametrize("best_first", [True, False])
@pytest.mark.parametrize("expected", [40, 700, 3000, 5990, 6000])
def test_the_expected_number_is_met(expected: int, best_first: bool) -> None:
    draws = PerNodeDraws(BLOCKS, scores(BLOCKS), expected, best_first)
    counts = [draws.draw(seed).num_edges for seed in range(60)]
    error = np.std(counts) / np.sqrt(len(counts)) + 1e-9
    assert abs(np.mean(counts) - expected) <= 4 * error


def test_every_node_keeps_its_best() -> None:
    score = scores(BLOCKS)
    draws = PerNodeDraws(BLOCKS, score, 2500, best_first=True)
    sparse = draws.draw(5)
    ranks, exponent = draws._best
    share = node_share(np.diff(BLOCKS.adjacency.offset), exponent)
    assert sparse.num_lost == 0 and (share[BLOCKS.degree > 0] >= 1).all()
    kept = np.zeros(BLOCKS.num_edges, bool)
    kept[sparse.edge_id] = True
    certain = (ranks[0] < np.floor(share)[BLOCKS.source]) | (
        ranks[1] < np.floor(share)[BLOCKS.target]
    )
    possible = (ranks[0] < np.ceil(share)[BLOCKS.source]) | (
        ranks[1] < np.ceil(share)[BLOCKS.target]
    )
    assert kept[certain].all() and not kept[~possible].any()


def test_the_order_of_nodes_does_not_matter() -> None:
    order = np.random.default_rng(7).permutation(BLOCKS.num_nodes)
    moved = Graph.from_edges(order[BLOCKS.source], order[BLOCKS.target], num_nodes=400)
    ends = np.sort(np.stack([order[BLOCKS.source], order[BLOCKS.target]]), axis=0)
    place = np.lexsort((ends[1], ends[0]))  # where each edge of `moved` was
    score = scores(BLOCKS)
    one = PerNodeDraws(BLOCKS, score, 2500, best_first=True)._best
    other = PerNodeDraws(moved, score[place], 2500, best_first=True)._best
    assert other[1] == pytest.approx(one[1], abs=1e-9)
    pair, moved_pair = (np.sort(np.stack(ranks), axis=0) for ranks in (one[0], other[0]))
    np.testing.assert_array_equal(pair[:, place], moved_pair)


def test_shares_grow_from_nothing_to_everything() -> None:
    degree = np.array([0, 1, 2, 7, 1000])
    assert not node_share(degree, -0.5).any()
    np.testing.assert_array_equal(node_share(degree, 1.0), degree)
    grid = np.stack([node_share(degree, exponent) for exponent in np.linspace(-0.5, 1, 40)])
    assert (np.diff(grid, axis=0) >= 0).all()


def test_the_best_edges_of_all() -> None:
    graph, score = complete(10), scores(complete(10))
    sparse = BestEdges(graph, score, 7).draw(3)
    assert set(sparse.edge_id) == set(np.argsort(-score)[:7])
    np.testing.assert_array_equal(sparse.weight, graph.weight[sparse.edge_id])
