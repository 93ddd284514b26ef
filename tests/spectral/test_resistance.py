from collections.abc import Callable, Iterator

import numpy as np
import pytest

from fastgat import _core
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import (
    barbell,
    complete,
    cycle,
    known_resistances,
    path,
    star,
    two_components,
)
from fastgat.graph.generators import block_model, grid
from fastgat.spectral import (
    LaplacianSolver,
    effective_resistances,
    estimate_effective_resistances,
    exact_effective_resistances,
    plain_effective_resistances,
)

KNOWN = known_resistances()


@pytest.fixture
def threads() -> Iterator[None]:
    before = _core.num_threads()
    yield
    _core.set_num_threads(before)


def dense_graph(seed: int = 3) -> Graph:
    return block_model(1000, 20_000, 5, seed=seed)[0]


def sampled_resistances(graph: Graph, edges: np.ndarray) -> np.ndarray:
    """Resistances of some edges, by solving for each of them."""
    columns = np.arange(edges.size)
    b = np.zeros((graph.num_nodes, edges.size))
    b[graph.source[edges], columns] = 1
    b[graph.target[edges], columns] = -1
    solution = LaplacianSolver(graph, tolerance=1e-5).solve(b)
    assert solution.converged
    return solution.x[graph.source[edges], columns] - solution.x[graph.target[edges], columns]


def mean_error(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.abs(found / exact - 1).mean())


@pytest.mark.parametrize("name", KNOWN)
def test_known_graphs(name: str) -> None:
    graph, exact = KNOWN[name].graph, KNOWN[name].resistance
    estimate = estimate_effective_resistances(graph, sketch_columns=1024, seed=5)
    if graph.num_edges:
        # All edges of these graphs are alike, so that their errors do not average out.
        assert mean_error(estimate.resistance, exact) <= 4 * estimate.expected_error + 1e-3
        assert estimate.foster_ratio == pytest.approx(1, abs=5 * estimate.expected_error + 1e-3)
    assert estimate.resistance.shape == exact.shape


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_mean_error_is_the_expected_one(steps: int) -> None:
    graph = grid(24, 24)
    exact = exact_effective_resistances(graph, method="sparse")
    estimate = estimate_effective_resistances(
        graph, sketch_columns=64, smoothing_steps=steps, tolerance=1e-5, seed=7
    )
    assert estimate.smoothing_steps == steps
    assert mean_error(estimate.resistance, exact) == pytest.approx(
        estimate.expected_error, rel=0.25
    )
    assert estimate.foster_ratio == pytest.approx(1, abs=0.01)


def test_complete_graphs_and_cycles() -> None:
    np.testing.assert_allclose(effective_resistances(complete(50)), 2 / 50, rtol=0.01)
    assert mean_error(effective_resistances(cycle(200), seed=3), 199 / 200) < 0.03


@pytest.mark.parametrize("decades", [0, 16])
def test_bridges_are_exact(decades: float) -> None:
    rng = np.random.default_rng(3)
    base = barbell(6, bridge_length=9)
    weight = 10 ** (decades * (rng.random(base.num_edges) - 0.5))
    graph = Graph.from_edges(base.source, base.target, weight)
    on_bridge = (graph.target > 5) & (graph.source < 14)
    estimate = estimate_effective_resistances(graph)
    assert estimate.num_bridges == 9
    assert (estimate.resistance[on_bridge] == 1 / graph.weight[on_bridge]).all()


@pytest.mark.parametrize("graph", [path(40), star(40)], ids=["path", "star"])
def test_trees_are_exact(graph: Graph) -> None:
    estimate = estimate_effective_resistances(graph)
    assert (estimate.resistance == 1).all()
    assert estimate.foster_ratio == pytest.approx(1, rel=1e-12)
    assert estimate.expected_error == 0


@pytest.mark.parametrize("seed", [3, 5])
def test_foster_and_bounds(seed: int) -> None:
    graph = dense_graph(seed)
    estimate = estimate_effective_resistances(graph, seed=seed)
    assert estimate.foster_ratio == pytest.approx(1, abs=0.01)
    degree = graph.degree
    u, v, w = degree[graph.source], degree[graph.target], graph.weight
    assert (estimate.resistance >= (u + v - 2 * w) / (u * v - w**2) * (1 - 1e-12)).all()
    assert (estimate.resistance <= 1 / w).all()


def test_smaller_error_takes_more_columns_and_is_met() -> None:
    graph = grid(30, 30)
    exact = exact_effective_resistances(graph, method="sparse")
    columns = []
    for wanted in (0.05, 0.02, 0.01):
        estimates = [
            estimate_effective_resistances(graph, wanted, smoothing_steps=1, seed=seed)
            for seed in (1, 3, 5)
        ]
        columns.append(estimates[0].sketch_columns)
        error = np.mean([mean_error(each.resistance, exact) for each in estimates])
        assert error <= 1.1 * wanted
    assert columns == sorted(set(columns))


@pytest.mark.parametrize("name", ["cora", "pubmed", "photo"])
def test_promised_error_is_met(name: str, dataset: Callable[[str], Graph]) -> None:
    graph = dataset(name)
    edges = np.random.default_rng(3).choice(graph.num_edges, 160, replace=False)
    exact = sampled_resistances(graph, edges)
    error = np.mean(
        [mean_error(effective_resistances(graph, seed=seed)[edges], exact) for seed in (1, 3, 5)]
    )
    assert error <= 0.02


@pytest.mark.parametrize(("name", "gain"), [("cora", 3), ("photo", 20)])
def test_smoothing_beats_the_plain_sketch(
    name: str, gain: float, dataset: Callable[[str], Graph]
) -> None:
    graph = dataset(name)
    edges = np.random.default_rng(5).choice(graph.num_edges, 160, replace=False)
    exact = sampled_resistances(graph, edges)
    plain = mean_error(plain_effective_resistances(graph, 16, seed=7)[edges], exact)
    smooth = mean_error(effective_resistances(graph, sketch_columns=16, seed=7)[edges], exact)
    assert smooth * gain < plain


def test_gain_on_a_dense_graph() -> None:
    graph = dense_graph()
    exact = exact_effective_resistances(graph)
    plain = mean_error(plain_effective_resistances(graph, 16, seed=7), exact)
    smooth = mean_error(effective_resistances(graph, sketch_columns=16, seed=7), exact)
    assert smooth * 20 < plain


def test_same_seed_same_bits() -> None:
    graph = dense_graph()
    first, again, other = (effective_resistances(graph, seed=seed) for seed in (9, 9, 11))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    "graph", [block_model(20_000, 100_000, 5, seed=3)[0], grid(60, 60)], ids=["block_model", "grid"]
)
@pytest.mark.usefixtures("threads")
def test_bits_do_not_depend_on_threads(graph: Graph) -> None:
    found = []
    for count in (1, 2):
        _core.set_num_threads(count)
        found.append(effective_resistances(graph, relative_error=0.05, seed=3).tobytes())
    assert found[0] == found[1]


def test_wide_weights() -> None:
    rng = np.random.default_rng(5)
    source = np.concatenate([np.arange(399), rng.integers(400, size=1600)])
    target = np.concatenate([np.arange(1, 400), rng.integers(400, size=1600)])
    graph = Graph.from_edges(source, target, 10 ** rng.uniform(-8, 8, source.size))
    estimate = estimate_effective_resistances(graph, seed=3)
    assert mean_error(estimate.resistance, exact_effective_resistances(graph)) < 0.03


@pytest.mark.parametrize("decades", [4, 8, 12])
def test_weak_cuts(decades: float) -> None:
    """Strong pairs joined by weak edges in a ring."""
    nodes = np.arange(40)
    weight = 10 ** (decades * np.where(nodes % 2, 0.5, -0.5))
    graph = Graph.from_edges(nodes, np.roll(nodes, -1), weight)
    estimate = estimate_effective_resistances(graph, seed=3)
    assert mean_error(estimate.resistance, exact_effective_resistances(graph)) < 0.03


def test_scaling_weights_scales_resistances() -> None:
    base = two_components()
    for scale in (1e-8, 1e8):
        graph = Graph.from_edges(base.source, base.target, np.full(5, scale))
        found = effective_resistances(graph, sketch_columns=16) * scale
        np.testing.assert_allclose(found, effective_resistances(base, sketch_columns=16), rtol=1e-5)


@pytest.mark.parametrize(
    "graph",
    [path(1), Graph.from_edges([], [], num_nodes=0), Graph.from_edges([], [], num_nodes=3)],
)
def test_no_edges(graph: Graph) -> None:
    estimate = estimate_effective_resistances(graph)
    assert estimate.resistance.shape == (0,)
    assert estimate.expected_error == 0


def test_single_edge_and_two_components() -> None:
    assert effective_resistances(Graph.from_edges([0], [1], [4.0])).tolist() == [0.25]
    estimate = estimate_effective_resistances(two_components(), sketch_columns=2048, seed=3)
    np.testing.assert_allclose(estimate.resistance, [2 / 3] * 3 + [1] * 2, rtol=0.05)
    assert estimate.num_bridges == 2


@pytest.mark.parametrize("columns", [1, 5, 16, 17, 40])
def test_given_columns_are_used(columns: int) -> None:
    estimate = estimate_effective_resistances(dense_graph(), sketch_columns=np.int64(columns))
    assert estimate.sketch_columns == columns


def test_progress_is_called_and_may_stop_the_work() -> None:
    seen: list[float] = []
    graph = grid(30, 30)
    effective_resistances(graph, 0.01, smoothing_steps=1, progress=seen.append)
    assert len(seen) > 1
    assert seen[-1] == 1
    assert all(0 <= fraction <= 1 for fraction in seen)

    def interrupt(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        effective_resistances(graph, 0.01, smoothing_steps=1, progress=interrupt)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"relative_error": 0}, r"relative_error=0 must lie in \(0, 1\); 0.02 is plenty"),
        ({"relative_error": "1"}, "relative_error='1' must be a number"),
        ({"sketch_columns": 0}, "sketch_columns=0 must be a whole number of at least 1"),
        ({"smoothing_steps": 0}, "smoothing_steps=0 must be a whole number of at least 1"),
        ({"smoothing_steps": 7}, "smoothing_steps=7 must be at most 6"),
        ({"tolerance": 1}, r"tolerance=1 must lie in \(0, 1\)"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
        ({"cache": 3}, "cache=3 must be True, None or a folder"),
    ],
)
def test_bad_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        effective_resistances(cycle(4), **options)
