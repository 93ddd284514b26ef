"""A plan makes the same network every time, and trains it; what is recommended makes a plan.

The plans of a comparison have the same network and seed, and the same count of edges.
"""

import pytest
import torch

import fastgat as fg
from fastgat import EffectiveResistanceSparsifier, GuidedSparsifier, sparsify
from fastgat.data import NodeTask
from fastgat.graph.gallery import path
from fastgat.nn import FastGAT
from fastgat.train import Plan, TrainConfig, recommended_model, recommended_training
from fastgat.train.plan import OTHERS, comparison_plans, num_plans, number_kept

SPARSIFIERS = [EffectiveResistanceSparsifier(epsilon=epsilon) for epsilon in (0.5, 0.9)]


def weights(plan: Plan, task: NodeTask) -> list[torch.Tensor]:
    return list(plan.make_model(task).state_dict().values())


def test_the_configs_seed_decides_the_first_weights(blocks: NodeTask) -> None:
    one, two = Plan(None, TrainConfig(seed=5)), Plan(None, TrainConfig(seed=7))
    before = torch.get_rng_state()
    first = weights(one, blocks)
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(3)
    assert all(map(torch.equal, first, weights(one, blocks)))
    assert not all(map(torch.equal, first, weights(two, blocks)))


def test_what_is_recommended_unless_told_otherwise(blocks: NodeTask) -> None:
    model = Plan(None, TrainConfig(), {"heads": 3, "hidden_channels": 5}).make_model(blocks)
    assert isinstance(model, FastGAT)
    assert (model.settings["heads"], model.settings["hidden_channels"]) == (3, 5)
    assert model.settings["dropout"] == 0.6
    assert (model.settings["in_channels"], model.settings["out_channels"]) == (32, 4)


def test_a_plan_is_run(blocks: NodeTask) -> None:
    plan = Plan("mine", TrainConfig(epochs=2), {"heads": 2})
    one, two = plan.run(blocks), plan.run(blocks)
    assert one.label == "mine"
    assert [epoch.loss for epoch in one.history] == [epoch.loss for epoch in two.history]
    assert Plan(None, TrainConfig(epochs=1)).run(blocks).label == "FastGAT, full graph"


@pytest.mark.parametrize("name", ["synthetic", "ppi-like"])
def test_they_are_arguments(name: str) -> None:
    task = fg.load_dataset(name, num_nodes=240)
    options = recommended_model(task)
    model = FastGAT(task.num_features, out_channels=task.num_classes, **options)
    assert options.items() <= model.settings.items()
    assert isinstance(TrainConfig(**recommended_training(task)), TrainConfig)


def test_the_papers_settings(blocks: NodeTask, ppi: NodeTask) -> None:
    one, many = recommended_model(blocks), recommended_model(ppi)
    assert (one["heads"], one["hidden_channels"], one["num_layers"]) == (8, 8, 2)
    assert (one["dropout"], TrainConfig().weight_decay) == (0.6, 5e-4)
    assert (TrainConfig().learning_rate, TrainConfig().patience) == (0.005, 100)
    assert (many["heads"], many["hidden_channels"], many["out_heads"]) == (4, 256, 6)
    assert many["skip"] and many["dropout"] == 0 and many["num_layers"] == 3
    assert recommended_training(ppi) == {"weight_decay": 0.0}


def test_pubmed_has_its_own(task) -> None:
    pubmed = task("pubmed")
    assert recommended_model(pubmed)["out_heads"] == 8
    assert recommended_training(pubmed) == {"weight_decay": 1e-3, "learning_rate": 0.01}


def test_what_is_given_is_a_copy(blocks: NodeTask) -> None:
    recommended_model(blocks)["heads"] = 1
    assert recommended_model(blocks)["heads"] == 8


def test_plans_come_in_the_order_of_the_table() -> None:
    plans = list(comparison_plans(fg.load_dataset("digits"), SPARSIFIERS, peers={"PyG": FastGAT}))
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
    assert len(plans) == num_plans(2, 1)


def test_other_ways_to_choose_edges_by_name() -> None:
    others = ("guided", "spanner", "l-spar")
    plans = list(
        comparison_plans(
            fg.load_dataset("digits"), SPARSIFIERS[:1], others=others, options={"epochs": 30}
        )
    )
    assert [plan.label for plan in plans] == [
        "full graph",
        "FastGAT, epsilon=0.5",
        "guided, same count as epsilon=0.5",
        "l-spar, same count as epsilon=0.5",
        "spanner",  # which has no say in how many edges it keeps
    ]
    assert len(plans) == num_plans(1, others=others)
    guided = plans[2].config.sparsifier
    assert isinstance(guided, GuidedSparsifier) and guided.warm_up == 10


def test_seeds_that_share_counts_have_the_same_plans() -> None:
    task, counts = fg.load_dataset("digits"), dict[str, int | float]()
    one, two = (
        list(comparison_plans(task, SPARSIFIERS, seed=seed, counts=counts)) for seed in (3, 5)
    )
    assert list(counts) == ["epsilon=0.5", "epsilon=0.9"]
    assert counts["epsilon=0.5"] == number_kept(SPARSIFIERS[0], task, 3)
    for mine, theirs in zip(one, two, strict=True):
        assert mine.config.sparsifier == theirs.config.sparsifier
        assert (mine.config.seed, theirs.config.seed) == (3, 5)


def test_all_but_the_edges_is_the_same() -> None:
    task = fg.load_dataset("digits")
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


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("epsilon", [0.5, 0.9])
@pytest.mark.parametrize("sampling", ["independent", "replacement"])
def test_one_graph(kind: str, epsilon: float, sampling: str) -> None:
    task = fg.load_dataset("digits")
    model = EffectiveResistanceSparsifier(epsilon, sampling)
    kept = number_kept(model, task, 5)
    assert kept == model.sparsify(task.graph, 5).num_edges
    other = sparsify.SPARSIFIERS[kind](keep=kept)
    counts = [other.sparsify(task.graph, seed).num_edges for seed in range(20)]
    assert sum(counts) / 20 == pytest.approx(kept, rel=0.01)


def test_many_graphs_keep_a_share_of_those_for_training() -> None:
    task = fg.load_dataset("ppi-like", num_nodes=1200, num_edges=12_000)
    model = EffectiveResistanceSparsifier(epsilon=0.7)
    graphs = [part.graph for part in task.graphs()[:20]]
    kept = sum(model.sparsify(graph, 3).num_edges for graph in graphs)
    assert number_kept(model, task, 3) == kept / sum(graph.num_edges for graph in graphs)


def test_a_draw_without_edges_asks_for_one() -> None:
    graph = path(3)
    task = NodeTask(graph, [[1.0]] * 3, [0, 1, 0], 2)
    model = EffectiveResistanceSparsifier(keep=1)
    drawn = {model.sparsify(graph, seed).num_edges for seed in range(40)}
    assert 0 in drawn
    assert {number_kept(model, task, seed) for seed in range(40)} == {max(1, k) for k in drawn}
