import math

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import complete, known_resistances, path, star, two_components
from fastgat.spectral import plain_effective_resistances


@pytest.mark.parametrize("distribution", ["signs", "gaussian"])
def test_mean_of_the_estimator_is_the_resistance(distribution: str) -> None:
    for name, known in known_resistances().items():
        found = plain_effective_resistances(
            known.graph, 4096, distribution=distribution, tolerance=1e-6, seed=7
        )
        # The error of 4096 columns is sqrt(2 / 4096) = 2.2 %; five of them are a lot.
        np.testing.assert_allclose(found, known.resistance, rtol=0.11, err_msg=name)


def test_signs_are_exact_on_trees() -> None:
    for graph in (path(20), star(20)):
        found = plain_effective_resistances(graph, 3, tolerance=1e-6)
        np.testing.assert_allclose(found, 1, rtol=1e-4)


def test_gaussian_is_not() -> None:
    found = plain_effective_resistances(path(20), 16, distribution="gaussian")
    assert np.abs(found - 1).max() > 0.05


def test_error_falls_with_the_root_of_the_columns() -> None:
    graph = complete(40)
    error = [
        np.abs(plain_effective_resistances(graph, t, tolerance=1e-4, seed=3) * 20 - 1).mean()
        for t in (16, 256)
    ]
    expected = [math.sqrt(4 / (math.pi * t)) for t in (16, 256)]
    np.testing.assert_allclose(error, expected, rtol=0.2)


def test_columns_follow_from_the_nodes() -> None:
    graph = complete(50)
    same = plain_effective_resistances(graph, round(4 * math.log(50)), seed=5)
    assert (plain_effective_resistances(graph, seed=5) == same).all()
    assert (plain_effective_resistances(graph, seed=6) != same).any()


def test_columns_beyond_a_block_are_averaged() -> None:
    """17 columns are the 16 of the first block and one more."""
    graph = complete(12)
    many = plain_effective_resistances(graph, 32, tolerance=1e-6)
    first = plain_effective_resistances(graph, 16, tolerance=1e-6)
    some = plain_effective_resistances(graph, 17, tolerance=1e-6)
    assert (17 * some >= 16 * first * (1 - 1e-5)).all()
    assert (17 * some <= 32 * many * (1 + 1e-5)).all()


def test_weights_scale_resistances() -> None:
    base = two_components()
    heavy = Graph.from_edges(base.source, base.target, np.full(5, 4.0))
    np.testing.assert_allclose(
        4 * plain_effective_resistances(heavy, 16), plain_effective_resistances(base, 16), rtol=1e-5
    )


@pytest.mark.parametrize("graph", [path(1), Graph.from_edges([], [], num_nodes=0)])
def test_no_edges(graph: Graph) -> None:
    assert plain_effective_resistances(graph).shape == (0,)


def test_progress_ends_at_one_and_may_interrupt() -> None:
    seen: list[float] = []
    plain_effective_resistances(complete(5), 40, progress=seen.append)
    assert seen == [0.0, 16 / 40, 32 / 40, 1.0]

    def interrupt(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plain_effective_resistances(complete(5), progress=interrupt)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sketch_columns": 0}, "sketch_columns=0 must be a whole number of at least 1"),
        ({"distribution": "cauchy"}, "distribution='cauchy' must be one of 'signs', 'gaussian'"),
        ({"tolerance": 2}, r"tolerance=2 must lie in \(0, 1\)"),
        ({"seed": 0.5}, "seed=0.5 must be a whole number"),
    ],
)
def test_bad_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plain_effective_resistances(path(3), **options)
