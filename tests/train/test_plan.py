"""A plan makes the same network every time, and trains it."""

import torch

from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import Plan, TrainConfig


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
