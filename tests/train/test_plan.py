"""A plan makes the same network every time, and trains it; what is recommended makes a plan."""

import pytest
import torch

import fastgat as fg
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import Plan, TrainConfig, recommended_model, recommended_training


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
