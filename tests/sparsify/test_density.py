from __future__ import annotations

import warnings

import numpy as np
import pytest

from fastgat.graph.gallery import complete, path
from fastgat.sparsify import KNeighborSparsifier, UniformSparsifier
from fastgat.sparsify.density import (
    draws_for_distinct,
    expected_distinct,
    inclusion_probability,
    paper_draws,
)


@pytest.mark.parametrize(
    ("num_nodes", "draws"), [(34493, 230656), (18333, 115177), (7650, 43782), (37700, 254246)]
)
def test_draws_of_the_paper(num_nodes: int, draws: int) -> None:
    assert paper_draws(num_nodes, 0.5) == draws


def test_expected_distinct_by_simulation() -> None:
    rng = np.random.default_rng(3)
    probability = rng.dirichlet(np.ones(50))
    found = [np.unique(rng.choice(50, 40, p=probability)).size for _ in range(4000)]
    assert expected_distinct(probability, 40) == pytest.approx(np.mean(found), abs=0.15)


@pytest.mark.parametrize("distinct", [1, 2, 10, 45])
def test_draws_and_distinct_are_inverse(distinct: int) -> None:
    probability = np.random.default_rng(5).dirichlet(np.ones(50))
    draws = draws_for_distinct(probability, distinct)
    assert expected_distinct(probability, draws) == pytest.approx(distinct, abs=0.6)


def test_one_edge_is_one_draw() -> None:
    assert draws_for_distinct(np.full(8, 1 / 8), 1) == 1


@pytest.mark.parametrize("expected", [0.5, 3, 20, 49.9, 50, 60])
def test_inclusion_probabilities_add_up(expected: float) -> None:
    score = np.random.default_rng(7).pareto(1.0, 50) + 0.01
    probability = inclusion_probability(score, expected)
    assert ((probability > 0) & (probability <= 1)).all()
    assert probability.sum() == pytest.approx(min(expected, 50))
    uncertain = probability < 1
    ratio = probability[uncertain] / score[uncertain]
    np.testing.assert_allclose(ratio, ratio[:1].repeat(ratio.size), rtol=1e-9)


@pytest.mark.parametrize("kind", [UniformSparsifier, KNeighborSparsifier])
def test_one_edge_is_not_all(kind: type[UniformSparsifier] | type[KNeighborSparsifier]) -> None:
    with pytest.warns(UserWarning, match=r"^keep=1 is one edge; keep=1\.0 keeps all$"):
        kind(keep=1).prepare(complete(5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kind(keep=1.0).sparsify(complete(5)).num_edges == 10
        kind(keep=2).prepare(complete(5))
        kind(keep=1).prepare(path(3))
