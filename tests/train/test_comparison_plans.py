"""What a comparison trains: the same network and seed, the same count of edges."""

import pytest

from fastgat import EffectiveResistanceSparsifier, load_dataset
from fastgat.nn import FastGAT
from fastgat.train.comparison import comparison_plans

SPARSIFIERS = [EffectiveResistanceSparsifier(epsilon=epsilon) for epsilon in (0.5, 0.9)]


def test_plans_come_in_the_order_of_the_table() -> None:
    plans = list(comparison_plans(load_dataset("digits"), SPARSIFIERS, peers={"PyG": FastGAT}))
    assert [plan.label for plan in plans] == [
        "PyG, full graph",
        "full graph",
        "FastGAT, epsilon=0.5",
        "random, same count as epsilon=0.5",
        "degree, same count as epsilon=0.5",
        "FastGAT, epsilon=0.9",
        "random, same count as epsilon=0.9",
        "degree, same count as epsilon=0.9",
    ]


def test_all_but_the_edges_is_the_same() -> None:
    task = load_dataset("digits")
    options, settings = {"epochs": 7, "learning_rate": 0.01}, {"attention": "cosine"}
    plans = list(
        comparison_plans(task, SPARSIFIERS[:1], seed=5, settings=settings, options=options)
    )
    for plan in plans:
        assert (plan.config.seed, plan.config.epochs, plan.config.learning_rate) == (5, 7, 0.01)
        assert plan.settings == settings
    full, ours, *others = plans
    assert full.config.sparsifier is None
    assert ours.config.sparsifier is SPARSIFIERS[0]
    kept = SPARSIFIERS[0].sparsify(task.graph, 5).num_edges
    for plan in others:
        assert plan.config.sparsifier is not None
        drawn = plan.config.sparsifier.sparsify(task.graph, 5).num_edges
        assert drawn == pytest.approx(kept, rel=0.05)
