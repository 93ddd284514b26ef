"""Theorem 1, where its assumptions hold and where they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.matrices import (
    adjacency,
    measured_epsilon,
    reweight,
    spectral_norm,
    symmetric_laplacian,
)
from experiments.theorems.theorem_1 import PAPER_LIMIT, theorem_1
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.block_model import block_model
from fastgat.graph.gallery import barbell, complete, cycle, path, star, wheel
from fastgat.sparsify import UniformSparsifier

SMALL = [path(3), path(8), cycle(7), star(20), wheel(9), barbell(5, 2), complete(9)]
DENSE = [complete(100), block_model(100, 4200, 4, seed=3, mixing=0.5, degree_exponent=20.0)[0]]


def test_the_paper_limit_is_the_root_of_its_condition() -> None:
    assert pytest.approx(PAPER_LIMIT) == 3 * PAPER_LIMIT**2 + PAPER_LIMIT**3
    assert round(PAPER_LIMIT, 3) == 0.303


@pytest.mark.parametrize("features", ["random", "worst"])
@pytest.mark.parametrize("activation", ["relu", "elu"])
@pytest.mark.parametrize("graph", DENSE, ids=repr)
def test_it_holds_on_samples_of_dense_graphs(graph: Graph, activation, features) -> None:
    sparse = paper_sparsifier(keep=0.9, estimator="exact").sparsify(graph, 17)
    assert sparse.num_edges < graph.num_edges
    check = theorem_1(graph, sparse, seed=3, activation=activation, features=features)
    assert check.assumptions_hold
    assert check.verdict == "holds"
    assert 0 < check.observed <= check.proven_bound < check.bound


@given(
    graph=st.sampled_from(SMALL),
    epsilon=st.floats(0.01, 0.99),
    seed=st.integers(0, 999),
    loop=st.sampled_from([0.0, 1.0]),
)
def test_the_laplacians_differ_by_at_most_the_proven_bound(graph, epsilon, seed, loop) -> None:
    sparse = reweight(graph, epsilon, seed=seed)
    full, thin = (symmetric_laplacian(adjacency(g, loop)) for g in (graph, sparse))
    norm, measured = spectral_norm(full), measured_epsilon(graph, sparse)
    difference = spectral_norm(full - thin)
    assert difference <= 2 * measured / (1 - measured) * norm * (1 + 1e-9)
    if measured <= 0.5:
        assert difference <= 4 * measured * norm * (1 + 1e-9)


@pytest.mark.parametrize("seed", [3, 17, 101])
@pytest.mark.parametrize("graph", [*SMALL, *DENSE], ids=repr)
def test_without_loops_it_holds_for_every_epsilon(graph: Graph, seed: int) -> None:
    """|L_sym| > 1 and |L_sym - L_sym,s| <= 2, so beyond eps = 1/2 the bound says nothing."""
    sparse = UniformSparsifier(keep=0.2).sparsify(graph, seed)
    check = theorem_1(graph, sparse, features="worst")
    assert check.epsilon > PAPER_LIMIT
    assert check.verdict == "holds outside its assumptions"


def test_a_smaller_constant_would_be_refuted() -> None:
    """The check can fail: what is seen is not below every bound."""
    graph = complete(100)
    sparse = paper_sparsifier(keep=0.9, estimator="exact").sparsify(graph, 17)
    check = theorem_1(graph, sparse, features="worst")
    assert check.ratio > 0.05
    assert replace(check, bound=0.99 * check.ratio * check.bound).verdict == "fails"
    assert replace(check, bound=check.bound / 4 / 4).verdict == "fails"  # eps / 4 instead of 4 eps


def test_the_worst_features_are_worse() -> None:
    graph, sparse = complete(60), reweight(complete(60), 0.2, seed=3)
    random = [theorem_1(graph, sparse, seed=seed).observed for seed in (3, 17, 101)]
    assert theorem_1(graph, sparse, features="worst").observed > max(random)


def test_the_seed_decides() -> None:
    graph, sparse = cycle(9), reweight(cycle(9), 0.2, seed=3)
    assert theorem_1(graph, sparse, seed=5) == theorem_1(graph, sparse, seed=5)
    assert theorem_1(graph, sparse, seed=5) != theorem_1(graph, sparse, seed=7)


def test_messages() -> None:
    graph = cycle(5)
    with pytest.raises(InputError, match="features='best' must be one of 'random', 'worst'"):
        theorem_1(graph, graph, features="best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="activation='tanh' must be one of 'relu', 'elu'"):
        theorem_1(graph, graph, activation="tanh")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="5 nodes but the sparse one has 6"):
        theorem_1(graph, cycle(6))
    assert np.isfinite(theorem_1(graph, graph).ratio)
