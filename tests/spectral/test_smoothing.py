from itertools import pairwise

import numpy as np
import pytest

from fastgat import _core
from fastgat.graph import Graph
from fastgat.graph.gallery import (
    barbell,
    complete,
    cycle,
    hypercube,
    path,
    star,
    two_components,
    wheel,
)
from fastgat.graph.generators import grid
from fastgat.spectral.sketch import WIDTH, SketchSolver
from fastgat.spectral.smoothing import (
    Smoothing,
    best_polynomial,
    estimate_moments,
    exact_coefficients,
    one_step,
    several_steps,
    sketched_fraction,
)


def random_graph() -> Graph:
    """Weights over four powers of ten, several components, isolated nodes."""
    rng = np.random.default_rng(3)
    source, target = rng.integers(50, size=(2, 120))
    return Graph.from_edges(source, target, 10 ** rng.uniform(-2, 2, 120), num_nodes=55)


GRAPHS = {
    "path": path(6),
    "cycle": cycle(7),
    "complete": complete(6),
    "star": star(7),
    "barbell": barbell(4, bridge_length=3),
    "two_components": two_components(),
    "hypercube": hypercube(4),
    "wheel": wheel(9),
    "grid": grid(5, 6),
    "single_edge": complete(2),
    "random": random_graph(),
}
EACH_GRAPH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
STEPS = pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])


def walk_matrix(graph: Graph) -> np.ndarray:
    """P = D⁻¹A, zero at isolated nodes."""
    with np.errstate(divide="ignore"):
        inverse = np.where(graph.degree > 0, 1 / graph.degree, 0)
    return inverse[:, None] * graph.to_scipy().toarray()


def slow_walk_terms(graph: Graph, steps: int) -> np.ndarray:
    """b' Pⁱ D⁻¹ b for every edge, b = e_u - e_v: the twin of the core's."""
    walk, power = walk_matrix(graph), np.eye(graph.num_nodes)
    difference = np.zeros((graph.num_edges, graph.num_nodes))
    edges = np.arange(graph.num_edges)
    difference[edges, graph.source], difference[edges, graph.target] = 1, -1
    scaled = difference / np.where(graph.degree > 0, graph.degree, 1)
    terms = np.empty((graph.num_edges, 2 * steps))
    for i in range(2 * steps):
        terms[:, i] = np.einsum("ei,ij,ej->e", difference, power, scaled)
        power = power @ walk
    return terms


def other_eigenvalues(graph: Graph) -> np.ndarray:
    """Eigenvalues of P without one 1 for every component that has an edge, and without the zeros
    of isolated nodes."""
    touched = graph.degree > 0
    root = np.sqrt(graph.degree[touched])
    matrix = graph.to_scipy().toarray()[np.ix_(touched, touched)] / np.outer(root, root)
    values = np.linalg.eigvalsh(matrix)
    return values[: values.size - (graph.num_components - graph.num_isolated)]


def true_moments(graph: Graph, highest: int) -> np.ndarray:
    values = other_eigenvalues(graph)
    return np.array([(values**i).sum() for i in range(highest + 1)])


def exact_sketch(graph: Graph) -> list[np.ndarray]:
    """Z = L⁺ B' W^½ with the identity for a sketch: Z_u - Z_v is exact, in blocks of columns."""
    inverse = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)
    root = np.sqrt(graph.weight)
    columns = root * (inverse[:, graph.source] - inverse[:, graph.target])
    columns = np.pad(columns, ((0, 0), (0, -columns.shape[1] % WIDTH)))
    return [
        np.ascontiguousarray(columns[:, c : c + WIDTH]) for c in range(0, columns.shape[1], WIDTH)
    ]


@STEPS
@EACH_GRAPH
def test_walk_terms_agree_with_their_slow_twin(graph: Graph, steps: int) -> None:
    terms = _core.walk_terms(graph.adjacency, steps)
    scale = slow_walk_terms(graph, 1)[:, :1]  # 1/d_u + 1/d_v
    np.testing.assert_allclose(terms / scale, slow_walk_terms(graph, steps) / scale, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
def test_walk_terms_on_many_nodes(threads: int) -> None:
    """Several batches of nodes, by one thread and by two."""
    graph, before = grid(40, 40), _core.num_threads()
    _core.set_num_threads(threads)
    try:
        terms = _core.walk_terms(graph.adjacency, 3)
    finally:
        _core.set_num_threads(before)
    walk = graph.to_scipy() / graph.degree[:, None]
    power, edge = np.eye(1600)[:, [0, 1]], np.array([1.0, -1.0])
    for i in range(6):  # edge 0 is (0, 1)
        value = edge @ (power / graph.degree[[0, 1]])[[0, 1]] @ edge
        assert terms[0, i] == pytest.approx(value, rel=1e-12)
        power = walk @ power


@STEPS
@EACH_GRAPH
def test_the_split_is_an_identity(graph: Graph, steps: int) -> None:
    """With an exact Z the smoothed formula gives the exact resistances."""
    adjacency = graph.adjacency
    smoothing = one_step(graph, graph.num_components)
    if steps > 1:
        smoothing = several_steps(graph, graph.num_components, _core.walk_terms(adjacency, steps))
    distance = np.zeros(graph.num_edges)
    for block in exact_sketch(graph):
        _core.add_edge_distances(adjacency, smoothing.smooth(adjacency, block), distance)
    foster, share = _core.finish_estimate(
        adjacency, smoothing.local, smoothing.shift, None, 1.0, distance
    )
    inverse = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)
    u, v = graph.source, graph.target
    exact = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    np.testing.assert_allclose(distance, exact, rtol=1e-10)
    assert foster == pytest.approx(graph.num_nodes - graph.num_components, rel=1e-10)
    assert -1e-9 <= share <= graph.num_edges


@EACH_GRAPH
def test_any_polynomial_through_one_splits_exactly(graph: Graph) -> None:
    polynomial = np.array([0.3, -0.5, 0.2, 1.0])
    smoothing = Smoothing(polynomial, slow_walk_terms(graph, 3) @ exact_coefficients(polynomial))
    distance = np.zeros(graph.num_edges)
    for block in exact_sketch(graph):
        smooth = smoothing.smooth(graph.adjacency, block)
        distance += ((smooth[graph.source] - smooth[graph.target]) ** 2).sum(axis=1)
    inverse = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)
    u, v = graph.source, graph.target
    exact = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    assert smoothing.local is not None
    np.testing.assert_allclose(smoothing.local + distance, exact, rtol=1e-10)


@EACH_GRAPH
def test_one_step_by_either_way(graph: Graph) -> None:
    terms = _core.walk_terms(graph.adjacency, 1)
    general = several_steps(graph, graph.num_components, terms)
    np.testing.assert_allclose(
        one_step(graph, graph.num_components).polynomial, general.polynomial, atol=1e-10
    )


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_best_polynomial_leaves_least(degree: int) -> None:
    values = other_eigenvalues(random_graph())
    moments = true_moments(random_graph(), 2 * degree)
    best = best_polynomial(moments)
    assert best.sum() == pytest.approx(1)
    left = (np.polynomial.Polynomial(best)(values) ** 2).sum()
    assert sketched_fraction(moments) == pytest.approx(left / values.size, rel=1e-6)
    rng = np.random.default_rng(5)
    for _ in range(20):
        other = best + 0.01 * rng.standard_normal(best.size)
        if degree == 1 and other[0] < 0:
            continue  # a negative shift is not used
        other /= other.sum()
        assert (np.polynomial.Polynomial(other)(values) ** 2).sum() >= left * (1 - 1e-9)


def test_more_steps_leave_less() -> None:
    for graph in GRAPHS.values():
        left = [sketched_fraction(true_moments(graph, 2 * k)) for k in range(1, 6)]
        assert all(b <= a + 1e-9 for a, b in pairwise(left))


def test_as_many_steps_as_eigenvalues_leave_nothing() -> None:
    for graph, distinct in ((complete(2), 1), (complete(6), 1), (star(5), 2), (hypercube(3), 3)):
        assert np.unique(other_eigenvalues(graph).round(9)).size == distinct
        left = sketched_fraction(true_moments(graph, 2 * distinct))
        assert left == pytest.approx(0, abs=1e-9)


def test_exact_coefficients_divide_exactly() -> None:
    polynomial = np.array([0.25, -1.0, 1.5, 0.25])
    quotient = exact_coefficients(polynomial)
    x = np.linspace(-1, 0.9, 11)
    p, q = np.polynomial.Polynomial(polynomial)(x), np.polynomial.Polynomial(quotient)(x)
    np.testing.assert_allclose(q * (1 - x), 1 - p**2, atol=1e-14)


def test_moments_are_estimated_from_a_block() -> None:
    graph = grid(16, 16)
    block = SketchSolver(graph, tolerance=1e-4, seed=7).solve_block(0)
    estimate = estimate_moments(graph, 255, block, 8)
    np.testing.assert_allclose(estimate, true_moments(graph, 8), atol=0.1 * 256)
    assert estimate[0] == pytest.approx(255)
