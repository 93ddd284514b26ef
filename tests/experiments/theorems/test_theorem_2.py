"""Theorem 2 in the degree-weighted norm, and the counter-example to the printed one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.attention import (
    TiedAttention,
    attend,
    random_attention,
    sparsify_attention,
)
from experiments.theorems.counterexample import (
    counterexample,
    similarity_norm,
    spokes,
)
from experiments.theorems.matrices import measured_epsilon, reweight
from experiments.theorems.theorem_2 import (
    LIMIT,
    const_error,
    theorem_2,
    theorem_2_as_printed,
    worst_values,
)
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.block_model import block_model
from fastgat.graph.gallery import barbell, complete, cycle, path, star, wheel

SMALL = [path(8), cycle(7), star(20), wheel(9), barbell(5, 2), complete(9)]
DENSE = [complete(90), block_model(90, 3400, 3, seed=3, mixing=0.5, degree_exponent=20.0)[0]]


@pytest.mark.parametrize("seed", [3, 17])
@pytest.mark.parametrize("activation", ["relu", "elu"])
@pytest.mark.parametrize("graph", DENSE, ids=repr)
def test_it_holds_on_samples_of_the_attention_graph(graph: Graph, activation, seed) -> None:
    attention = random_attention(graph, seed=seed)
    sparse = sparsify_attention(attention, 0.6, seed=seed)
    for layer in (attention, worst_values(attention, sparse)):
        check = theorem_2(layer, sparse, activation=activation)
        assert check.assumptions_hold
        assert check.verdict == "holds"
        assert 0 < check.observed <= check.proven_bound < check.bound


@given(
    graph=st.sampled_from(SMALL),
    epsilon=st.floats(0.01, 0.99),
    seed=st.integers(0, 999),
    spread=st.floats(0, 3),
)
def test_it_holds_up_to_its_limit_on_any_graph(graph, epsilon, seed, spread) -> None:
    attention = random_attention(graph, seed=seed, spread=spread)
    sparse = reweight(attention.graph, epsilon, seed=seed)
    worst = worst_values(attention, sparse)
    check = theorem_2(worst, sparse)
    assert check.holds or check.epsilon > LIMIT
    assert check.observed <= check.proven_bound * (1 + 1e-9)
    printed = theorem_2_as_printed(worst, sparse)
    assert printed.observed <= printed.proven_bound * (1 + 1e-9)


def test_it_may_fail_outside_its_assumptions() -> None:
    """A star whose hub keeps one leaf of 400: eps = 1, and the hub sees that leaf alone."""
    hub = star(401)
    attention = TiedAttention(hub, np.zeros(401), np.ones((401, 1)), np.zeros(1))
    sparse = Graph.from_edges([0], [1], num_nodes=401)
    values = np.zeros((401, 1))
    values[1] = 1
    check = theorem_2(replace(attention, projected=values), sparse, activation="relu")
    assert check.epsilon == pytest.approx(1)
    assert check.verdict == "fails outside its assumptions"


def test_a_smaller_constant_would_be_refuted() -> None:
    attention = random_attention(complete(90), seed=3)
    sparse = sparsify_attention(attention, 0.6, seed=17)
    check = theorem_2(worst_values(attention, sparse), sparse, activation="relu")
    assert check.ratio > 0.04
    assert replace(check, bound=0.99 * check.ratio * check.bound).verdict == "fails"
    assert replace(check, bound=check.bound / 6 / 6).verdict == "fails"  # eps / 6, not 6 eps


def test_worst_values_leave_the_attention_as_it_is() -> None:
    attention = random_attention(wheel(9), seed=3)
    worst = worst_values(attention, reweight(attention.graph, 0.2, seed=3))
    assert np.allclose(worst.graph.weight, attention.graph.weight)
    assert np.allclose(worst.loop, attention.loop)


def test_const_is_another_layer() -> None:
    """Unsampled it is the layer itself; sampled, its epsilon is not the sample's."""
    graph = complete(60)
    attention = random_attention(graph, seed=3)
    assert const_error(attention, graph).observed < 1e-12
    sparse = paper_sparsifier(keep=0.5, estimator="exact").sparsify(graph, 17)
    check = const_error(attention, sparse)
    assert not check.assumptions_hold
    assert check.observed > 0


def test_the_sparse_spokes_are_an_exact_approximation() -> None:
    assert measured_epsilon(spokes(30), spokes(30, 1.1, 0.9)) == pytest.approx(0.1)


def test_the_counterexample_refutes_the_printed_form() -> None:
    check = counterexample(4000)
    assert check.observed == pytest.approx(1.41, abs=0.005)
    assert check.observed > 1.2 > check.bound  # 1.2 = 12 eps, the most the bound can ever be
    assert check.verdict == "fails"
    assert check.weighted().verdict == "holds"
    assert counterexample(100).verdict == "holds"  # it takes many spokes


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.3])
def test_no_epsilon_is_small_enough(epsilon: float) -> None:
    """Without loops the error is eps sqrt(k) / 2 against 12 eps: more than 576 spokes refute it."""
    check = counterexample(577, epsilon, weights="opposed", loop=0.0)
    assert check.observed == pytest.approx(epsilon * 577**0.5 / 2)
    assert check.bound == pytest.approx(12 * epsilon)
    assert check.verdict == "fails"
    assert counterexample(575, epsilon, weights="opposed", loop=0.0).verdict == "holds"


@pytest.mark.parametrize("weights", ["alternating", "opposed"])
@pytest.mark.parametrize("loop", [0.0, 1.0])
def test_it_grows_as_the_root_of_k(weights, loop) -> None:
    few, many = (counterexample(k, weights=weights, loop=loop) for k in (100, 1600))
    assert many.observed / few.observed == pytest.approx(4, rel=0.01)
    assert many.bound / few.bound == pytest.approx(1, rel=0.01)
    assert many.weighted().ratio == pytest.approx(few.weighted().ratio, rel=0.02)


def test_the_counterexample_is_a_layer_like_any_other() -> None:
    """The sparse formulas agree with the dense ones of the theorem."""
    values = np.zeros((61, 1))
    values[0] = 1
    attention = attend(spokes(30), values, [0.0])
    sparse = spokes(30, 1.1, 0.9)
    expected = theorem_2_as_printed(attention, sparse)
    check = counterexample(30, weights="opposed")
    assert check.observed == pytest.approx(expected.observed)
    assert check.bound == pytest.approx(expected.bound)
    assert check.weighted_observed == pytest.approx(theorem_2(attention, sparse).observed)


def test_the_step_of_the_proof_fails() -> None:
    assert similarity_norm(20).verdict == "fails"
    assert similarity_norm(80).ratio > similarity_norm(20).ratio


def test_messages() -> None:
    with pytest.raises(InputError, match=r"projected has shape \(5, 2\) and vector \(3,\)"):
        attend(cycle(5), np.ones((5, 2)), np.ones(3))
    with pytest.raises(InputError, match="projected must be finite and not all zero"):
        attend(cycle(5), np.zeros((5, 2)), np.ones(2))
    with pytest.raises(InputError, match=r"epsilon=1\.5 must lie in \(0, 1\)"):
        counterexample(5, 1.5)
    with pytest.raises(InputError, match="weights='up' must be one of"):
        counterexample(5, weights="up")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="num_spokes=0 must be a whole number of at least 1"):
        counterexample(0)
