"""What every sparsifier promises, on the same graphs."""

from __future__ import annotations

import numpy as np
import pytest

from fastgat import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    Graph,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
    _core,
)
from fastgat.graph.gallery import complete, path, star, two_components
from fastgat.graph.generators import block_model


def weighted(graph: Graph) -> Graph:
    weight = np.random.default_rng(5).uniform(0.5, 2.0, graph.num_edges)
    return Graph.from_edges(graph.source, graph.target, weight, graph.num_nodes)


GRAPHS = {
    "complete": complete(12),
    "weighted": weighted(complete(12)),
    "path": path(9),
    "star": star(9),
    "components": two_components(),
    "blocks": block_model(300, 3000, 5, seed=3)[0],
}
SCORED = {
    f"{kind.__name__}-{sampling}{'-forest' * forest}": kind(
        keep=0.5, sampling=sampling, spanning_forest=forest
    )
    for kind in (EffectiveResistanceSparsifier, DegreeSparsifier, UniformSparsifier)
    for sampling in ("replacement", "independent")
    for forest in (False, True)
}
ALL = SCORED | {"k-neighbour": KNeighborSparsifier(keep=0.5), "2-nearest": KNeighborSparsifier(2)}

EACH_GRAPH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
EACH = pytest.mark.parametrize("sparsifier", ALL.values(), ids=ALL)


def prepare(sparsifier, graph):
    try:
        return sparsifier.prepare(graph)
    except InputError as refusal:  # half of a tree has not enough edges for a spanning forest
        assert "spanning forest" in str(refusal)
        pytest.skip(str(refusal))


@EACH
@EACH_GRAPH
def test_a_draw_is_a_subgraph_on_the_same_nodes(sparsifier, graph: Graph) -> None:
    sparse = prepare(sparsifier, graph).draw(7)
    assert sparse.num_nodes == graph.num_nodes
    assert 0 < sparse.num_edges <= graph.num_edges
    assert (np.diff(sparse.edge_id) > 0).all()
    np.testing.assert_array_equal(sparse.source, graph.source[sparse.edge_id])
    np.testing.assert_array_equal(sparse.target, graph.target[sparse.edge_id])
    assert (sparse.weight > 0).all()
    assert sparse.num_lost == sparse.num_isolated - graph.num_isolated >= 0
    assert not sparse.source.flags.writeable


@EACH
def test_same_seed_same_graph_for_any_number_of_threads(sparsifier) -> None:
    graph = block_model(3000, 60_000, 5, seed=3)[0]
    prepared = sparsifier.prepare(graph)
    threads = _core.num_threads()
    try:
        _core.set_num_threads(1)
        one = prepared.draw(7)
        _core.set_num_threads(2)
        two = prepared.draw(7)
    finally:
        _core.set_num_threads(threads)
    np.testing.assert_array_equal(one.edge_id, two.edge_id)
    np.testing.assert_array_equal(one.weight, two.weight)
    assert not np.array_equal(one.edge_id, prepared.draw(8).edge_id)


@pytest.mark.parametrize("sparsifier", SCORED.values(), ids=SCORED)
@pytest.mark.parametrize("name", ["complete", "weighted"])
def test_the_mean_laplacian_is_the_laplacian(sparsifier, name: str) -> None:
    """Every edge's mean weight over 3,000 draws is its weight, within 5 standard errors."""
    graph = GRAPHS[name]
    prepared = sparsifier.prepare(graph)
    total, squares = np.zeros(graph.num_edges), np.zeros(graph.num_edges)
    for seed in range(3000):
        sparse = prepared.draw(seed)
        total[sparse.edge_id] += sparse.weight
        squares[sparse.edge_id] += sparse.weight**2
    mean = total / 3000
    deviation = np.sqrt(np.maximum(squares / 3000 - mean**2, 0) / 3000)
    assert (np.abs(mean - graph.weight) <= 5 * deviation + 1e-12).all()


@EACH
def test_as_many_edges_as_asked_for(sparsifier) -> None:
    if sparsifier == KNeighborSparsifier(2):
        pytest.skip("asks for neighbours, not edges")
    graph = GRAPHS["blocks"]
    prepared = sparsifier.prepare(graph)
    counts = [prepared.draw(seed).num_edges for seed in range(30)]
    assert np.mean(counts) == pytest.approx(1500, abs=25)


@pytest.mark.parametrize("kind", [EffectiveResistanceSparsifier, UniformSparsifier])
@pytest.mark.parametrize("sampling", ["replacement", "independent"])
def test_a_spanning_forest_keeps_components(kind, sampling: str) -> None:
    graph = GRAPHS["blocks"]
    prepared = kind(keep=320, sampling=sampling, spanning_forest=True).prepare(graph)
    for seed in range(5):
        sparse = prepared.draw(seed)
        assert sparse.num_components == graph.num_components
        assert sparse.num_lost == 0


@EACH
def test_an_empty_graph_is_refused(sparsifier) -> None:
    with pytest.raises(InputError, match="the graph has no edges"):
        sparsifier.sparsify(Graph.from_edges([], [], num_nodes=3))


@pytest.mark.parametrize("kind", [EffectiveResistanceSparsifier, UniformSparsifier])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.5}, r"epsilon=1.5 must lie in \(0, 1\); 0.5 keeps accuracy on most graphs"),
        ({"epsilon": 0}, r"epsilon=0 must lie in \(0, 1\)"),
        ({"keep": 0}, "keep=0 must be at least one edge, or a fraction such as 0.3"),
        ({"keep": 1.5}, r"keep=1.5 must be a fraction in \(0, 1\] or a whole number of edges"),
        ({"keep": True}, "keep=True must be a fraction"),
        ({"epsilon": 0.5, "keep": 0.5}, "exclude each other"),
        ({"sampling": "greedy"}, "sampling='greedy' must be one of 'replacement', 'independent'"),
    ],
)
def test_bad_options(kind, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**options)


def test_more_edges_than_there_are() -> None:
    with pytest.raises(InputError, match="keep=100 is more than the graph's 66 edges"):
        UniformSparsifier(keep=100).prepare(GRAPHS["complete"])
