"""Spanners keep distances, spanning forests connections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree

from fastgat import Graph, InputError
from fastgat.graph.gallery import complete, complete_bipartite, path, two_components
from fastgat.graph.generators import block_model
from fastgat.sparsify import SpannerSparsifier, SpanningForestSparsifier, spanner

BLOCKS = block_model(300, 6000, 5, seed=3)[0]
RNG = np.random.default_rng(5)


def weighted(graph: Graph) -> Graph:
    weight = 10 ** RNG.uniform(-3, 3, graph.num_edges)
    return Graph.from_edges(graph.source, graph.target, weight, graph.num_nodes)


GRAPHS = {
    "blocks": BLOCKS,
    "weighted": weighted(BLOCKS),
    "complete": complete(40),
    "weighted-complete": weighted(complete(40)),
    "bipartite": complete_bipartite(20, 30),
    "components": two_components(),
    "path": path(9),
    "one-edge": path(2),
}
EACH_GRAPH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def most_stretched(graph: Graph, sparse: Graph) -> float:
    """The largest of distance over length; of edges it is that of all pairs of nodes."""
    lengths = sparse.to_scipy()
    lengths.data = 1 / lengths.data
    return float((dijkstra(lengths)[graph.source, graph.target] * graph.weight).max())


@EACH_GRAPH
@pytest.mark.parametrize("stretch", [3, 5, 7])
def test_no_distance_grows_by_more_than_the_stretch(graph: Graph, stretch: int) -> None:
    prepared = SpannerSparsifier(stretch).prepare(graph)
    for seed in range(8):
        assert most_stretched(graph, prepared.draw(seed)) <= stretch * (1 + 1e-12)


def test_blocks_of_nodes_change_nothing(monkeypatch) -> None:
    whole = SpannerSparsifier(5).sparsify(GRAPHS["weighted"], seed=3)
    monkeypatch.setattr(spanner, "BLOCK", 700)
    parts = SpannerSparsifier(5).sparsify(GRAPHS["weighted"], seed=3)
    np.testing.assert_array_equal(whole.edge_id, parts.edge_id)


def test_the_larger_the_stretch_the_fewer_edges() -> None:
    graph = complete(200)
    counts = [
        np.mean([SpannerSparsifier(stretch).sparsify(graph, seed).num_edges for seed in range(9)])
        for stretch in (3, 5, 7)
    ]
    assert counts[0] > counts[1] > counts[2]
    for rounds, count in zip((2, 3, 4), counts, strict=True):
        assert count <= rounds * 200 ** (1 + 1 / rounds)


def test_a_tree_stays_whole() -> None:
    assert SpannerSparsifier(7).sparsify(path(30), seed=3).num_edges == 29


@pytest.mark.parametrize(
    ("stretch", "message"),
    [
        (4, "stretch=4 must be odd, such as 3"),
        (1, "stretch=1 must be a whole number of at least 3"),
        (3.5, "stretch=3.5 must be a whole number"),
    ],
)
def test_bad_stretches(stretch: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SpannerSparsifier(stretch)


@EACH_GRAPH
def test_a_forest_connects_what_was_connected_with_the_greatest_weight(graph: Graph) -> None:
    sparse = SpanningForestSparsifier().sparsify(graph, seed=3)
    assert sparse.num_components == graph.num_components
    assert sparse.num_edges == graph.num_nodes - graph.num_components
    plain = minimum_spanning_tree(-graph.to_scipy())
    assert sparse.weight.sum() == pytest.approx(-plain.sum(), rel=1e-12)


def test_equal_edges_are_chosen_at_random() -> None:
    prepared = SpanningForestSparsifier().prepare(complete(4))
    often = np.zeros(6)
    for seed in range(600):
        often[prepared.draw(seed).edge_id] += 1
    np.testing.assert_allclose(often / 600, 0.5, atol=0.1)
