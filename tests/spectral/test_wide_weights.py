"""Weights of any size are computed with; what cannot be resolved is refused, never reported."""

from collections.abc import Callable

import numpy as np
import pytest

from fastgat import (
    Graph,
    InputError,
    LaplacianSolver,
    certify,
    degree_effective_resistances,
    effective_resistances,
    exact_effective_resistances,
    plain_effective_resistances,
)
from fastgat.graph.generators import block_model

METHODS = [
    effective_resistances,
    plain_effective_resistances,
    exact_effective_resistances,
    degree_effective_resistances,
]
every_method = pytest.mark.parametrize("method", METHODS)
Method = Callable[[Graph], np.ndarray]


def times(graph: Graph, factor: float) -> Graph:
    return Graph.from_edges(graph.source, graph.target, factor * graph.weight, graph.num_nodes)


def ring(spread: float) -> Graph:
    """400 nodes in a ring, weights from 10^-spread to 10^spread."""
    nodes = np.arange(400)
    weight = 10.0 ** np.random.default_rng(1).uniform(-spread, spread, nodes.size)
    return Graph.from_edges(nodes, (nodes + 1) % nodes.size, weight)


def cliques(inside: float, across: float) -> Graph:
    """Two cliques of 40 nodes, joined by two edges."""
    one = np.array([(u, v) for u in range(40) for v in range(u)])
    edges = np.concatenate([one, one + 40, [(0, 40), (1, 41)]])
    weight = np.repeat([inside, across], [2 * len(one), 2])
    return Graph.from_edges(edges[:, 0], edges[:, 1], weight)


@pytest.mark.parametrize("graph", [ring(6), ring(8), cliques(1e8, 1e-8), cliques(1, 1e-12)])
def test_a_certificate_is_right_or_refused(graph: Graph) -> None:
    try:
        certificate = certify(graph, graph)
    except InputError as error:
        assert "cannot resolve weights from" in str(error)
    else:
        assert certificate.lower == pytest.approx(1, abs=0.01)
        assert certificate.upper == pytest.approx(1, abs=0.01)


def test_moderate_weights_are_certified() -> None:
    certificate = certify(cliques(1, 1e-4), cliques(1, 1e-4))
    assert (certificate.lower, certificate.upper) == (pytest.approx(1, abs=1e-3),) * 2


@every_method
@pytest.mark.parametrize("exponent", [-990, -300, 300, 990])
def test_resistances_scale_with_the_inverse_of_the_weights(method: Method, exponent: int) -> None:
    """A power of four changes no digit."""
    base = block_model(60, 200, 3, seed=3)[0]
    base = times(base, np.random.default_rng(5).uniform(0.5, 2, base.num_edges))
    found = method(times(base, 2.0**exponent))
    np.testing.assert_allclose(np.ldexp(found, exponent), method(base), rtol=1e-12)


@every_method
@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_a_triangle_of_any_weight(method: Method, weight: float) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], [weight] * 3)
    leverage = graph.weight * method(graph)
    assert leverage.min() > 0.2 and leverage.max() < 3


@pytest.mark.parametrize("weight", [1e308, 1e-320])
def test_weights_without_inverses_or_sums_are_refused(weight: float) -> None:
    graph = times(cliques(1, 1), weight)
    for call in (*METHODS, LaplacianSolver, lambda g: certify(g, g)):
        with pytest.raises(
            InputError, match=r"^weight=1e.* must lie in \[1e-300, 1e\+300\].*; mul"
        ):
            call(graph)


@pytest.mark.parametrize("spread", [9, 14])
def test_wide_weights_are_sketched(spread: float) -> None:
    """Where rounding leaves the sketch without energy, too."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        ends = rng.integers(12, size=(2, 20))
        graph = Graph.from_edges(*ends, 10.0 ** rng.choice([-spread, spread], 20), 12)
        error = effective_resistances(graph) / exact_effective_resistances(graph) - 1
        assert np.abs(error).mean() < 0.1


@pytest.mark.parametrize("method", [effective_resistances, plain_effective_resistances])
def test_weights_too_far_apart_for_a_sketch_are_refused(method: Method) -> None:
    with pytest.raises(InputError, match=r"weights from 1e-40 to 1e\+40 are too far apart .*dense"):
        method(cliques(1e40, 1e-40))
