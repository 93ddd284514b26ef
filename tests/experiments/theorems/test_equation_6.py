"""Equation 6: what follows from what, and what the constant 0.16 does not keep."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.equation_6 import (
    eigenvalue_epsilon,
    expected_violations,
    from_eigenvalues_alone,
    keep_promise,
)
from experiments.theorems.matrices import measured_epsilon, reweight
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import barbell, complete, cycle, path, two_components, wheel
from fastgat.spectral import certify

SMALL = [path(7), cycle(6), wheel(9), barbell(5, 2), two_components(), complete(12)]


@pytest.mark.parametrize("seed", [3, 17, 101])
@pytest.mark.parametrize("graph", SMALL, ids=repr)
def test_the_quadratic_form_implies_the_eigenvalues(graph: Graph, seed: int) -> None:
    for sparse in (
        reweight(graph, 0.4, seed=seed),
        paper_sparsifier(keep=0.7, estimator="exact").sparsify(graph, seed),
    ):
        assert eigenvalue_epsilon(graph, sparse) <= measured_epsilon(graph, sparse) + 1e-9


def test_reweighting_a_tree_is_exact_and_else_at_most_epsilon() -> None:
    assert measured_epsilon(path(9), reweight(path(9), 0.3, seed=5)) == pytest.approx(0.3)
    for seed in (5, 23, 77):
        assert measured_epsilon(complete(9), reweight(complete(9), 0.3, seed=seed)) <= 0.3 + 1e-9


@pytest.mark.parametrize("seed", [3, 17])
def test_epsilon_agrees_with_the_certificate(seed: int) -> None:
    graph = complete(40)
    sparse = paper_sparsifier(keep=0.6, estimator="exact").sparsify(graph, seed)
    assert measured_epsilon(graph, sparse) == pytest.approx(
        certify(graph, sparse).epsilon, rel=1e-3
    )


def test_a_lost_node_makes_epsilon_one_and_a_new_link_infinite() -> None:
    lost = Graph.from_edges([0, 1], [1, 2], num_nodes=4)
    assert measured_epsilon(path(4), lost) == pytest.approx(1)
    assert eigenvalue_epsilon(path(4), lost) >= 1
    linked = Graph.from_edges([0, 0, 1, 3, 4, 0], [1, 2, 2, 4, 5, 5])
    assert measured_epsilon(two_components(), linked) == np.inf
    assert eigenvalue_epsilon(two_components(), linked) == np.inf


@pytest.mark.parametrize("seed", [3, 17, 101])
def test_the_eigenvalues_alone_promise_nothing_about_a_layer(seed: int) -> None:
    check = from_eigenvalues_alone(path(12), seed=seed)
    assert check.bound < 1e-12 < 0.1 < check.observed
    assert check.verdict == "fails"


@pytest.mark.parametrize("epsilon", [0.5, 0.9])
def test_algorithm_2_breaks_its_promise(epsilon: float) -> None:
    promises = [keep_promise(complete(200), epsilon, seed=seed) for seed in (3, 17, 101)]
    for promise in promises:
        assert promise.quadratic > epsilon
        assert promise.eigenvalues > epsilon
        assert promise.worst_cut > epsilon
        assert {check.verdict for check in promise.checks()} == {"fails"}
    if epsilon == 0.9:  # every node is drawn about 2.1 times: exp(-2.1) of them never
        assert np.mean([promise.lost for promise in promises]) == pytest.approx(0.12, abs=0.04)


def test_more_draws_keep_it() -> None:
    graph = complete(60)
    kept = paper_sparsifier(0.05, estimator="exact").sparsify(graph, 3)
    assert measured_epsilon(graph, kept) < 0.5  # promised 0.05, so a hundredfold of 0.5's draws


def test_the_share_of_violated_cuts_is_foreseen() -> None:
    shares = [keep_promise(complete(400), 0.2, seed=seed).violated_cuts for seed in (3, 17, 101)]
    assert np.mean(shares) == pytest.approx(expected_violations(400), rel=0.25)
    # Not one cut in N is violated on average only from a constant of about 1 on.
    assert 1e4 * expected_violations(10**4) > 800
    assert 1e4 * expected_violations(10**4, constant=1.0) < 1


def test_photo_loses_nodes(dataset) -> None:
    promise = keep_promise(dataset("photo"), 0.9, seed=7)
    assert 0.04 < promise.lost < 0.08
    assert 0.10 < promise.violated_cuts < 0.17
    assert promise.quadratic > 1


def test_messages() -> None:
    with pytest.raises(InputError, match=r"epsilon=1\.5 must lie in \(0, 1\)"):
        keep_promise(complete(5), 1.5)
    with pytest.raises(InputError, match="5 nodes but the sparse one has 6"):
        measured_epsilon(complete(5), complete(6))
