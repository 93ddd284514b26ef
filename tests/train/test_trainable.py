"""What a model says of itself; what is refused before anything is done, or only warned of."""

import dataclasses
import json
from collections.abc import Callable

import numpy as np
import pytest
import torch

from fastgat import InputError, UniformSparsifier, fit
from fastgat.data import NodeTask, Split
from fastgat.nn import FastGAT
from fastgat.train import AdaptiveDensity, TrainConfig
from fastgat.train.trainable import check_trainable, describe_model

SPARSE = TrainConfig(epochs=1, sparsifier=UniformSparsifier(keep=0.5))


class Linear(torch.nn.Module):
    """A model that looks at features alone."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(in_channels, out_channels)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def refusal(model: torch.nn.Module, task: NodeTask, config: TrainConfig) -> str:
    """Of fit, since that is what users call."""
    before = torch.get_rng_state()
    with pytest.raises(InputError) as caught:
        fit(model, task, config)
    assert torch.equal(torch.get_rng_state(), before)
    return str(caught.value)


def without(task: NodeTask, **sets: list[int]) -> NodeTask:
    masks = {"train": [0, 1], "validation": [2], "test": [3], **sets}
    return dataclasses.replace(task, split=Split.from_indices(task.num_nodes, **masks))


def test_all_is_well(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    assert check_trainable(model_for(blocks), blocks, TrainConfig()) == []


def test_a_split_is_needed(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = dataclasses.replace(blocks, split=None)
    assert refusal(model_for(task), task, TrainConfig()) == (
        "the task has no split; use random_split, or load it with one"
    )


@pytest.mark.parametrize("name", ["train", "validation"])
def test_no_set_is_empty(name: str, blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = without(blocks, **{name: []})
    assert refusal(model_for(task), task, TrainConfig()) == (
        f"no node is for {name}; give the task another split"
    )


def test_an_empty_test_set_will_do(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = without(blocks, train=list(range(20)), validation=[20], test=[])
    record = fit(model_for(task), task, TrainConfig(epochs=1))
    assert set(record.scores) == {"train", "validation"}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((5, 4, 4), "the model has in_channels=5, but the task needs 32"),
        ((32, 4, 3), "the model has out_channels=3, but the task needs 4"),
    ],
)
def test_channels_fit_the_task(sizes: tuple, message: str, blocks: NodeTask) -> None:
    assert refusal(FastGAT(*sizes), blocks, TrainConfig()) == message


@pytest.mark.parametrize("classes", [3, 5])
def test_scores_of_another_model_fit_the_task(classes: int, blocks: NodeTask) -> None:
    assert refusal(Linear(32, classes), blocks, TrainConfig(epochs=1)) == (
        f"the model gives scores of shape (200, {classes}), but the task needs (200, 4)"
    )


def test_a_model_without_parameters(blocks: NodeTask) -> None:
    assert refusal(torch.nn.Identity(), blocks, TrainConfig()) == (
        "the model Identity has no parameters: there is nothing to train"
    )


@pytest.mark.parametrize("resample", ["layer", "head"])
def test_draws_need_a_sparsifier(
    resample: str, blocks: NodeTask, model_for: Callable[..., FastGAT]
) -> None:
    sampler = UniformSparsifier().prepare(blocks.graph)
    model = model_for(blocks, sampler=sampler, resample=resample)
    assert refusal(model, blocks, TrainConfig()) == (
        f"resample={resample!r} draws graphs while training, but config.sparsifier=None; "
        "give one, or use resample='const'"
    )
    prior = dataclasses.replace(SPARSE, edge_weight="prior")
    assert refusal(model, blocks, prior) == (
        "edge_weight='prior' goes with resample='const', where weights are known"
    )
    adaptive = dataclasses.replace(SPARSE, adaptive=AdaptiveDensity())
    assert refusal(model, blocks, adaptive) == (
        "adaptive chooses the edges itself; use resample='const'"
    )


def test_a_prior_needs_our_model(blocks: NodeTask) -> None:
    prior = dataclasses.replace(SPARSE, edge_weight="prior")
    assert refusal(Linear(32, 4), blocks, prior) == (
        "edge_weight='prior' needs a FastGAT, but model is a Linear; use edge_weight='ignore'"
    )


def test_adaptive_is_for_one_graph(ppi: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    adaptive = dataclasses.replace(SPARSE, adaptive=AdaptiveDensity())
    assert refusal(model_for(ppi), ppi, adaptive) == (
        "adaptive is for tasks on one graph; leave it out"
    )


@pytest.mark.parametrize("names", [None, ("red", "green", "blue", "grey")])
def test_a_class_that_cannot_be_learnt_is_named(
    names: tuple[str, ...] | None, blocks: NodeTask, model_for: Callable[..., FastGAT]
) -> None:
    assert blocks.split is not None
    train = blocks.split.train & (blocks.labels != 2)
    split = dataclasses.replace(blocks.split, train=train)
    task = dataclasses.replace(blocks, split=split, class_names=names)
    shown = "2" if names is None else "2 ('blue')"
    with pytest.warns(UserWarning) as caught:
        record = fit(model_for(task), task, TrainConfig(epochs=1))
    assert record.warnings == [
        f"no training node has class {shown}, so the model cannot learn it; "
        "train on more nodes, or on another split"
    ]
    assert [str(warning.message) for warning in caught] == record.warnings


def test_a_class_that_no_node_has_is_nobodys_fault(blocks: NodeTask) -> None:
    task = dataclasses.replace(blocks, num_classes=9)
    assert check_trainable(FastGAT(32, 4, 9), task, TrainConfig()) == []


def test_unlabelled_nodes_have_no_class(blocks: NodeTask) -> None:
    assert blocks.split is not None
    labels = np.where(blocks.split.test, -1, blocks.labels)
    split = dataclasses.replace(blocks.split, test=np.zeros(200, bool))
    task = dataclasses.replace(blocks, labels=labels, split=split)
    assert check_trainable(FastGAT(32, 4, 4), task, TrainConfig()) == []


def test_a_config_is_a_config(blocks: NodeTask) -> None:
    assert refusal(FastGAT(32, 4, 4), blocks, {"epochs": 3}) == (  # type: ignore[arg-type]
        "config={'epochs': 3} must be a TrainConfig"
    )


def test_a_model_tells_its_settings_if_it_has_any() -> None:
    model = FastGAT(3, 4, 2, heads=2)
    described = describe_model(model)
    assert described["name"] == "FastGAT"
    assert described["settings"] == model.settings
    assert described["num_parameters"] == sum(p.numel() for p in model.parameters())
    json.dumps(described)


def test_lists_are_settings_too() -> None:
    module = torch.nn.Linear(3, 2)
    module.settings = {"num_neighbors": [25, 10], "dropout": 0.5}  # type: ignore[assignment]
    assert describe_model(module)["settings"] == {"num_neighbors": [25, 10], "dropout": 0.5}


def test_what_another_module_calls_settings_is_its_own_affair() -> None:
    module = torch.nn.Linear(3, 2)
    for settings in (object(), {"a": object()}, {3: 4}):
        module.settings = settings  # type: ignore[assignment]
        assert describe_model(module) == {"name": "Linear", "num_parameters": 8, "settings": {}}
