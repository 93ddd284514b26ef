"""What every sparsifier promises, on the same graphs; two of them are made here, by strangers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

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
from fastgat.sparsify import (
    SPARSIFIERS,
    ForestFireSparsifier,
    GuidedSparsifier,
    JaccardSparsifier,
    LocalDegreeSparsifier,
    LocalSimilaritySparsifier,
    LSparSparsifier,
    PreparedSparsifier,
    RankDegreeSparsifier,
    ScanSparsifier,
    ScoreSparsifier,
    SimilaritySparsifier,
    SpannerSparsifier,
    SpanningForestSparsifier,
    SparsifiedGraph,
    Sparsifier,
    subgraph,
)
from fastgat.sparsify.draws import BestEdges


@dataclass(frozen=True)
class HeavySparsifier(ScoreSparsifier):
    """A stranger's: a score is all it has of its own."""

    def score(self, graph: Graph, **options: Any) -> NDArray[np.float64]:
        return graph.weight**2


@dataclass(frozen=True)
class HalfSparsifier:
    """A stranger's from scratch: half of the edges, with twice their weight."""

    def prepare(self, graph: Graph, **options: Any) -> HalfDraws:
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        return HalfDraws(graph)


@dataclass(frozen=True)
class HalfDraws:
    graph: Graph

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        count = self.graph.num_edges
        kept = np.random.default_rng(seed).permutation(count)[: max(1, round(0.5 * count))]
        return subgraph(self.graph, kept, 2 * self.graph.weight[kept])


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
    for kind in (
        EffectiveResistanceSparsifier,
        DegreeSparsifier,
        UniformSparsifier,
        HeavySparsifier,
    )
    for sampling in ("replacement", "independent")
    for forest in (False, True)
}
UNBIASED = SCORED | {"half": HalfSparsifier()}
# Edges keep their weights where every node keeps its share, and where the best are kept.
PER_NODE = {
    f"{kind.__name__}-{sampling}-per-node{'-forest' * forest}": kind(
        keep=0.5, sampling=sampling, spanning_forest=forest, per_node=True
    )
    for kind in (EffectiveResistanceSparsifier, HeavySparsifier)
    for sampling in ("independent", "best")
    for forest in (False, True)
}
# They say themselves how many edges a graph needs.
WITHOUT_KEEP = {
    "spanner": SpannerSparsifier(),
    "5-spanner": SpannerSparsifier(5),
    "spanning-forest": SpanningForestSparsifier(),
    "2-nearest": KNeighborSparsifier(2),
}
KEEPS_WEIGHTS = (
    PER_NODE
    | WITHOUT_KEEP
    | {
        kind.__name__: kind(keep=0.5)
        for kind in (
            ForestFireSparsifier,
            JaccardSparsifier,
            LocalDegreeSparsifier,
            LocalSimilaritySparsifier,
            LSparSparsifier,
            RankDegreeSparsifier,
            ScanSparsifier,
        )
    }
    | {
        "similarity": SimilaritySparsifier(keep=0.5),
        "best": UniformSparsifier(keep=0.5, sampling="best"),
        "k-neighbour": KNeighborSparsifier(keep=0.5),
    }
)
ALL = UNBIASED | KEEPS_WEIGHTS

EACH_GRAPH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
EACH = pytest.mark.parametrize("sparsifier", ALL.values(), ids=ALL)


def prepare(sparsifier: Sparsifier, graph: Graph) -> PreparedSparsifier:
    try:
        return sparsifier.prepare(graph)
    except InputError as refusal:  # half of a tree has not enough edges for a spanning forest
        assert "spanning forest" in str(refusal)
        pytest.skip(str(refusal))


def leaves_a_choice(prepared: PreparedSparsifier) -> bool:
    """Whether draws differ: of the best edges only equals at the margin do."""
    if not isinstance(prepared, BestEdges):
        return True
    score = np.sort(prepared.score)[::-1]
    return bool(score[prepared.count - 1] == score[prepared.count])


def test_every_registered_sparsifier_is_in_this_test() -> None:
    # Guided edges need predictions, of which these graphs have none: tests/sparsify/test_guided.py.
    tested = {type(sparsifier) for sparsifier in ALL.values()} | {GuidedSparsifier}
    assert set(SPARSIFIERS.values()) <= tested


@EACH
def test_what_prepare_takes(sparsifier: Sparsifier) -> None:
    assert isinstance(sparsifier, Sparsifier)
    graph, told = GRAPHS["blocks"], list[float]()
    prepared = sparsifier.prepare(graph, seed=7, cache=None, progress=told.append)
    assert prepared.graph is graph
    assert all(0 <= fraction <= 1 for fraction in told)
    again = sparsifier.prepare(graph, seed=7)
    np.testing.assert_array_equal(prepared.draw(3).edge_id, again.draw(3).edge_id)


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
    assert np.array_equal(one.edge_id, prepared.draw(8).edge_id) != leaves_a_choice(prepared)


@pytest.mark.parametrize("sparsifier", UNBIASED.values(), ids=UNBIASED)
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


@pytest.mark.parametrize("sparsifier", KEEPS_WEIGHTS.values(), ids=KEEPS_WEIGHTS)
def test_edges_keep_their_weights(sparsifier) -> None:
    graph = GRAPHS["weighted"]
    sparse = prepare(sparsifier, graph).draw(7)
    np.testing.assert_array_equal(sparse.weight, graph.weight[sparse.edge_id])


@EACH
def test_as_many_edges_as_asked_for(sparsifier) -> None:
    if sparsifier in WITHOUT_KEEP.values():
        pytest.skip("asks for neighbours, distances or components, not for edges")
    graph = GRAPHS["blocks"]
    prepared = sparsifier.prepare(graph)
    counts = [prepared.draw(seed).num_edges for seed in range(30)]
    assert np.mean(counts) == pytest.approx(1500, abs=25)


@pytest.mark.parametrize("kind", [EffectiveResistanceSparsifier, UniformSparsifier])
@pytest.mark.parametrize(
    "options",
    [
        {"sampling": "replacement"},
        {"sampling": "independent"},
        {"sampling": "best"},
        {"sampling": "best", "per_node": True},
    ],
)
def test_a_spanning_forest_keeps_components(kind, options: dict) -> None:
    graph = GRAPHS["blocks"]
    prepared = kind(keep=320, spanning_forest=True, **options).prepare(graph)
    for seed in range(5):
        sparse = prepared.draw(seed)
        assert sparse.num_components == graph.num_components
        assert sparse.num_lost == 0


@EACH
def test_an_empty_graph_is_refused(sparsifier) -> None:
    with pytest.raises(InputError, match="the graph has no edges"):
        sparsifier.prepare(Graph.from_edges([], [], num_nodes=3))


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
        ({"per_node": True, "sampling": "replacement"}, "per_node=True and sampling"),
    ],
)
def test_bad_options(kind, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(**options)


def test_more_edges_than_there_are() -> None:
    with pytest.raises(InputError, match="keep=100 is more than the graph's 66 edges"):
        UniformSparsifier(keep=100).prepare(GRAPHS["complete"])


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (np.ones(65), r"score has shape \(65,\), but the number of edges is 66"),
        (np.r_[np.ones(65), np.nan], r"score\[65\]=nan must be 0 or more, and finite"),
        (np.r_[-1.0, np.ones(65)], r"score\[0\]=-1.0 must be 0 or more, and finite"),
        (np.r_[np.inf, np.ones(65)], r"score\[0\]=inf must be 0 or more, and finite"),
    ],
)
def test_a_strangers_score_is_checked(score: NDArray[np.float64], message: str) -> None:
    class Given(ScoreSparsifier):
        def score(self, graph: Graph, **options: Any) -> NDArray[np.float64]:
            return score

    with pytest.raises(InputError, match=message):
        Given(keep=0.5).prepare(GRAPHS["complete"])


def test_subgraphs() -> None:
    graph = GRAPHS["weighted"]
    sparse = subgraph(graph, np.array([5, 2, 9]), [1.0, 2.0, 3.0])
    assert sparse.edge_id.tolist() == [2, 5, 9]
    assert sparse.weight.tolist() == [2.0, 1.0, 3.0]
    np.testing.assert_array_equal(subgraph(graph, np.array([9, 2])).weight, graph.weight[[2, 9]])
    with pytest.raises(InputError, match="edges names edge 4 twice"):
        subgraph(graph, np.array([4, 2, 4]))
    with pytest.raises(InputError, match=r"weight\[1\]=-1.0 must be positive"):
        subgraph(graph, np.array([4, 2]), [1.0, -1.0])


@pytest.mark.parametrize("sparsifier", [HalfSparsifier(), HeavySparsifier(keep=0.5)], ids=repr)
@pytest.mark.parametrize("resample", ["const", "layer", "head"])
def test_a_strangers_sparsifier_trains(sparsifier: Sparsifier, resample: Any) -> None:
    from fastgat import TrainConfig, fit, load_dataset
    from fastgat.nn import FastGAT

    task = load_dataset("synthetic", num_nodes=200, seed=3)
    model = FastGAT(task.num_features, 4, task.num_classes, heads=2, resample=resample)
    record = fit(model, task, TrainConfig(sparsifier=sparsifier, epochs=5, seed=3))
    assert record.edges["trained_on"] == pytest.approx(0.5 * task.graph.num_edges, rel=0.2)
