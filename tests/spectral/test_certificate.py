from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from fastgat import EffectiveResistanceSparsifier, Graph, InputError, UniformSparsifier, certify
from fastgat.graph.gallery import complete, cycle, path, two_components
from fastgat.graph.generators import block_model
from fastgat.spectral import certificate
from fastgat.spectral.solver import LaplacianSolver, Solution

BLOCKS = block_model(200, 2000, 4, seed=3)[0]


def exact_spectrum(graph: Graph, sparse: Graph) -> np.ndarray:
    """Generalised eigenvalues of (L_sparse, L_graph) off the null space of L_graph."""
    values, vectors = np.linalg.eigh(graph.laplacian().toarray())
    root = vectors[:, graph.num_components :] / np.sqrt(values[graph.num_components :])
    return np.linalg.eigvalsh(root.T @ sparse.laplacian().toarray() @ root)


@pytest.mark.parametrize("keep", [0.6, 0.3, 0.12])
@pytest.mark.parametrize("seed", range(4))
def test_against_dense_eigenvalues(keep: float, seed: int) -> None:
    sparse = UniformSparsifier(keep=keep, sampling="independent").sparsify(BLOCKS, seed)
    exact = exact_spectrum(BLOCKS, sparse)
    for start in range(3):
        found = certify(BLOCKS, sparse, seed=start)
        assert found.upper == pytest.approx(exact[-1], rel=1e-4)
        assert found.lower_nonzero == pytest.approx(exact[exact > 1e-9][0], rel=1e-3)
        assert found.lower == pytest.approx(max(exact[0], 0), abs=1e-4)
        assert found.epsilon == pytest.approx(max(1 - exact[0], exact[-1] - 1), rel=1e-3)
    assert found.num_components == sparse.num_components
    assert found.isolated == sparse.num_isolated
    assert found.lost == sparse.num_lost


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
@pytest.mark.parametrize("seed", [3, 7])
def test_a_tight_tolerance_meets_no_noise(tolerance: float, seed: int) -> None:
    """Iterations until the vectors span all there is: nothing of the null space may get in."""
    rng = np.random.default_rng(seed)
    whole = complete(150)
    whole = Graph.from_edges(whole.source, whole.target, 0.1 + rng.random(whole.num_edges))
    half = rng.random(whole.num_edges) < 0.5
    sparse = Graph.from_edges(whole.source[half], whole.target[half], whole.weight[half])
    exact = exact_spectrum(whole, sparse)
    found = certify(whole, sparse, tolerance=tolerance, seed=seed)
    assert found.upper == pytest.approx(exact[-1], rel=10 * tolerance)
    assert found.lower == pytest.approx(exact[0], rel=10 * tolerance)
    assert found.error <= tolerance


def test_a_graph_certifies_itself() -> None:
    found = certify(BLOCKS, BLOCKS)
    assert (found.lower, found.upper) == (pytest.approx(1), pytest.approx(1))
    assert found.epsilon == pytest.approx(0, abs=1e-6)
    assert set(found.degree_quantiles.values()) == {1.0}


def test_scaling_scales() -> None:
    base = cycle(7)
    triple = Graph.from_edges(base.source, base.target, np.full(7, 3.0))
    found = certify(base, triple)
    assert (found.lower, found.upper) == (pytest.approx(3), pytest.approx(3))


def test_one_edge_less_in_a_cycle() -> None:
    """x'L_path x / x'L_cycle x is least where the missing edge carries most: 1 - (n - 1) / n."""
    whole = cycle(8)
    found = certify(whole, path(8))
    assert found.lower == pytest.approx(1 / 8, rel=1e-4)
    assert found.upper == pytest.approx(1, rel=1e-4)


def test_a_lost_node() -> None:
    graph = complete(6)
    kept = graph.target != 5
    found = certify(graph, Graph.from_edges(graph.source[kept], graph.target[kept], num_nodes=6))
    assert found.lower == 0
    assert found.lower_nonzero == pytest.approx(
        exact_spectrum(
            graph, Graph.from_edges(graph.source[kept], graph.target[kept], num_nodes=6)
        )[1]
    )
    assert (found.isolated, found.lost, found.num_components) == (1, 1, 2)
    assert found.degree_quantiles[0.0] == 0


def test_components_stay_apart() -> None:
    graph = two_components()
    found = certify(graph, graph)
    assert found.num_components == found.num_components_before == 2
    assert found.lower == pytest.approx(1)
    joined = Graph.from_edges([*graph.source, 0], [*graph.target, graph.num_nodes - 1])
    assert certify(graph, joined).upper == np.inf


def test_nothing_left() -> None:
    found = certify(cycle(5), Graph.from_edges([], [], num_nodes=5))
    assert (found.lower, found.upper, found.lower_nonzero, found.lost) == (0, 0, 0, 5)


def test_progress_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class TalkingSolver(LaplacianSolver):
        def solve(self, b: ArrayLike) -> Solution:
            for fraction in (0.1, 0.9) if self.progress is not None else ():
                self.progress(fraction)
            return super().solve(b)

    monkeypatch.setattr(certificate, "LaplacianSolver", TalkingSolver)
    fractions: list[float] = []
    sparse = UniformSparsifier(keep=0.3, sampling="independent").sparsify(BLOCKS, 3)
    certify(BLOCKS, sparse, progress=fractions.append)
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert 0.5 < fractions[-1] <= 1


def test_refusals() -> None:
    with pytest.raises(InputError, match="the graph has 5 nodes but the sparse one has 6"):
        certify(cycle(5), cycle(6))
    empty = Graph.from_edges([], [], num_nodes=5)
    with pytest.raises(InputError, match="nothing to certify"):
        certify(empty, cycle(5))


def test_epsilon_of_a_dense_graph_is_small() -> None:
    graph = complete(60)
    sparse = EffectiveResistanceSparsifier(keep=0.9, sampling="independent").sparsify(graph, 3)
    assert certify(graph, sparse).epsilon < 0.3
