from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from fastgat import check
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import complete, cycle, hypercube, known_resistances, path
from fastgat.graph.generators import grid, road_like
from fastgat.spectral import exact_dense, exact_effective_resistances, exact_sparse

KNOWN = known_resistances()
METHODS = pytest.mark.parametrize("method", ["dense", "sparse", "auto"])


def pseudo_inverse_resistances(graph: Graph) -> np.ndarray:
    inverse = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)
    u, v = graph.source, graph.target
    return inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]


def random_graph(seed: int, decades: float = 0) -> Graph:
    """Several components, isolated nodes, bridges and cycles."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(90, size=(2, 160))
    weight = 10 ** (decades * (rng.random(160) - 0.5))
    return Graph.from_edges(source, target, weight, num_nodes=100)


def ring(weight: np.ndarray) -> tuple[Graph, np.ndarray]:
    """A ring and its resistances, r (sum of the others) / (sum of all), in exact arithmetic."""
    nodes = np.arange(weight.size)
    graph = Graph.from_edges(nodes, np.roll(nodes, -1), weight)
    ohms = [1 / Fraction(float(w)) for w in graph.weight]
    total = sum(ohms)
    return graph, np.array([float(r * (total - r) / total) for r in ohms])


@METHODS
@pytest.mark.parametrize("name", KNOWN)
def test_known_graphs(name: str, method: str) -> None:
    found = exact_effective_resistances(KNOWN[name].graph, method=method)
    np.testing.assert_allclose(found, KNOWN[name].resistance, rtol=1e-13)


@METHODS
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_agrees_with_pseudo_inverse(seed: int, method: str) -> None:
    graph = random_graph(seed, decades=2)
    found = exact_effective_resistances(graph, method=method)
    np.testing.assert_allclose(found, pseudo_inverse_resistances(graph), rtol=1e-9)


@METHODS
def test_foster(method: str) -> None:
    graph = random_graph(11)
    leverage = graph.weight * exact_effective_resistances(graph, method=method)
    assert leverage.sum() == pytest.approx(graph.num_nodes - graph.num_components, rel=1e-12)


@METHODS
def test_no_edges(method: str) -> None:
    for graph in (path(1), Graph.from_edges([], [], num_nodes=0), Graph.from_edges([2], [2])):
        assert exact_effective_resistances(graph, method=method).shape == (0,)


@METHODS
def test_paths_of_any_weights_are_bridges(method: str) -> None:
    weight = np.where(np.arange(30) % 2, 1e-8, 1e8)
    graph = Graph.from_edges(np.arange(30), np.arange(1, 31), weight)
    assert (exact_effective_resistances(graph, method=method) == 1 / weight).all()


@pytest.mark.parametrize("low", [1e-2, 1e-4, 1e-8])
def test_dense_is_accurate_for_any_weights(low: float) -> None:
    graph, resistance = ring(np.where(np.arange(60) % 2, low, 1 / low))
    np.testing.assert_allclose(
        exact_effective_resistances(graph, method="dense"), resistance, rtol=1e-12
    )
    mixed = random_graph(13, decades=-2 * np.log10(low))
    leverage = mixed.weight * exact_effective_resistances(mixed, method="dense")
    assert leverage.sum() == pytest.approx(mixed.num_nodes - mixed.num_components, rel=1e-12)
    assert (leverage > 0).all()
    assert (leverage <= 1 + 1e-12).all()


def test_sparse_refuses_what_rounding_would_spoil() -> None:
    graph, resistance = ring(np.where(np.arange(60) % 2, 1e-2, 1e2))
    found = exact_effective_resistances(graph, method="sparse")
    np.testing.assert_allclose(found, resistance, rtol=1e-9)
    graph, _ = ring(np.where(np.arange(60) % 2, 1e-8, 1e8))
    with pytest.raises(InputError, match=r"weights from 1\.0e-08 to 1\.0e\+08 leave .*'dense'"):
        exact_effective_resistances(graph, method="sparse")


def test_blocks_of_elimination_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, batches and matrix products are for speed only."""
    graphs = [grid(9, 9), complete(40), hypercube(6), random_graph(17, decades=6)]
    whole = [exact_effective_resistances(graph, method="dense") for graph in graphs]
    monkeypatch.setattr(exact_dense, "BLOCK", 7)
    monkeypatch.setattr(exact_dense, "BATCH", 50)
    for gain in (0, 1e9):
        monkeypatch.setattr(exact_dense, "PRODUCT_GAIN", gain)
        for graph, expected in zip(graphs, whole, strict=True):
            found = exact_effective_resistances(graph, method="dense")
            np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_more_nodes_than_a_block() -> None:
    graph = cycle(2 * exact_dense.BLOCK + 3)
    share = 1 - 1 / graph.num_nodes
    np.testing.assert_allclose(exact_effective_resistances(graph, method="dense"), share)


def test_batches_of_columns_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = road_like(300, seed=3)
    dense = exact_effective_resistances(graph, method="dense")
    monkeypatch.setattr(exact_sparse, "BATCH_BYTES", 8 * 300 * 5)
    found = exact_effective_resistances(graph, method="sparse")
    np.testing.assert_allclose(found, dense, rtol=1e-10)


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_methods_agree_on_datasets(name: str, dataset: Callable[[str], Graph]) -> None:
    graph = dataset(name)
    dense = exact_effective_resistances(graph, method="dense")
    sparse = exact_effective_resistances(graph, method="sparse")
    np.testing.assert_allclose(dense, sparse, rtol=1e-11)
    foster = (graph.weight * dense).sum()
    assert foster == pytest.approx(graph.num_nodes - graph.num_components, rel=1e-12)


def test_too_large_is_refused_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "available_memory", lambda: 1e9)
    monkeypatch.setattr("fastgat.spectral.exact.available_memory", lambda: 1e9)
    graph = cycle(100_000)
    with pytest.raises(InputError, match=r"100000 nodes .* needs 80\.\d GB .* method='sparse'"):
        exact_effective_resistances(graph, method="dense")


def test_auto_turns_to_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastgat.spectral.exact.DENSE_NODES", 10)
    called = []

    def sparse(*arguments: object) -> np.ndarray:
        called.append(arguments[0])
        return exact_sparse.sparse_resistances(*arguments)

    monkeypatch.setattr("fastgat.spectral.exact.sparse_resistances", sparse)
    np.testing.assert_allclose(exact_effective_resistances(cycle(10)), 0.9)
    assert not called
    np.testing.assert_allclose(exact_effective_resistances(cycle(11)), 10 / 11)
    assert called == [11]


@METHODS
def test_progress_rises_to_one_and_may_interrupt(method: str) -> None:
    graph = grid(20, 20)
    seen: list[float] = []
    exact_effective_resistances(graph, method=method, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1

    def interrupt(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exact_effective_resistances(graph, method=method, progress=interrupt)


def test_bad_method_is_refused() -> None:
    with pytest.raises(InputError, match="method='lu' must be one of 'auto', 'dense', 'sparse'"):
        exact_effective_resistances(path(3), method="lu")  # type: ignore[arg-type]
