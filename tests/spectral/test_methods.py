"""Resistances by the name of a method: the same numbers as by its function."""

from typing import get_args

import numpy as np
import pytest

from fastgat import InputError, effective_resistances, exact_effective_resistances
from fastgat.graph import Graph
from fastgat.graph.gallery import complete, cycle, two_components
from fastgat.spectral.methods import Method, resistances_by


@pytest.mark.parametrize("method", get_args(Method))
def test_every_method_is_near_the_exact_answer(method: Method) -> None:
    found = resistances_by(method, complete(40), seed=3)
    assert found.resistance.shape == (780,)
    assert found.resistance.mean() == pytest.approx(2 / 40, rel=0.1)
    assert found.facts["method"] == method
    assert found.facts["foster_ratio"] == pytest.approx(1, rel=0.1)


def test_numbers_are_those_of_the_functions() -> None:
    graph = two_components()
    smoothed = resistances_by("smoothed", graph, relative_error=0.1, seed=7)
    assert np.array_equal(smoothed.resistance, effective_resistances(graph, 0.1, seed=7))
    exact = resistances_by("exact", graph)
    assert np.array_equal(exact.resistance, exact_effective_resistances(graph))
    assert exact.facts["foster_ratio"] == pytest.approx(1)


def test_a_given_sketch_is_used() -> None:
    for method in ("smoothed", "plain"):
        assert resistances_by(method, cycle(9), sketch_columns=48).facts["sketch_columns"] == 48  # type: ignore[arg-type]


@pytest.mark.parametrize("method", get_args(Method))
def test_no_edges(method: Method) -> None:
    found = resistances_by(method, Graph.from_edges([], [], num_nodes=3))
    assert found.resistance.size == 0
    assert (found.facts["foster_ratio"], found.facts["mean_resistance"]) == (1.0, None)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        resistances_by("guess", cycle(4))  # type: ignore[arg-type]
    known = "'smoothed', 'plain', 'exact', 'degree'"
    assert str(refused.value) == f"method='guess' must be one of {known}"
