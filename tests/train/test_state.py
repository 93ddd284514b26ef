"""The state of training, put down and taken up again."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from fastgat import InputError, UniformSparsifier
from fastgat.data import NodeTask
from fastgat.train import AdaptiveDensity, TrainConfig
from fastgat.train.checkpoint import Checkpoint, load_tensors, save_tensors
from fastgat.train.trainer import Trainer

CONFIG = TrainConfig(epochs=6, sparsifier=UniformSparsifier(), adaptive=AdaptiveDensity(every=2))


@pytest.fixture
def trained(blocks: NodeTask, model_for: Callable) -> Trainer:
    trainer = Trainer(model_for(blocks), blocks, CONFIG)
    with torch.random.fork_rng(devices=[]):
        trainer.prepare()
        trainer.train(None)
    return trainer


def test_everything_that_decides_how_it_goes_on(
    trained: Trainer, blocks: NodeTask, model_for: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "state.safetensors"
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(77)
        save_tensors(file, trained.state.to_checkpoint())
        expected = torch.rand(3)
    other = Trainer(model_for(blocks), blocks, CONFIG)
    with torch.random.fork_rng(devices=[]):
        other.prepare(load_tensors(file))
        assert torch.equal(torch.rand(3), expected)
    one, two = trained.state, other.state
    assert two.epoch == 6
    assert (two.history, two.stopping, two.schedule) == (one.history, one.stopping, one.schedule)
    assert two.watch.seconds == pytest.approx(one.watch.seconds, abs=0.5)
    for name, value in one.to_checkpoint().tensors.items():
        if name != "random":
            assert torch.equal(two.to_checkpoint().tensors[name], value), name
    assert other.feed.num_edges == trained.feed.num_edges


def test_the_best_weights_are_not_those_that_are_trained_on(trained: Trainer) -> None:
    state = trained.state
    state.keep_best()
    kept = {name: tensor.clone() for name, tensor in state.best.items()}
    with torch.no_grad():
        for parameter in trained.model.parameters():
            parameter.add_(1)
    assert all(torch.equal(state.best[name], kept[name]) for name in kept)


@pytest.mark.parametrize("missing", ["random", "history", "stopping", "seconds"])
def test_a_state_that_is_not_whole(missing: str, trained: Trainer) -> None:
    checkpoint = trained.state.to_checkpoint()
    checkpoint = Checkpoint(
        {name: value for name, value in checkpoint.tensors.items() if name != missing},
        {name: value for name, value in checkpoint.facts.items() if name != missing},
    )
    with pytest.raises(InputError, match=f"the checkpoint is of another model: '{missing}'"):
        trained.state.restore(checkpoint)


def test_a_checkpoint_is_of_its_moment(trained: Trainer) -> None:
    facts = trained.state.to_checkpoint().facts
    before = dict(facts["seconds"])
    trained.watch.seconds["forward"] += 1
    trained.state.history.append(dataclasses.replace(trained.state.history[-1], epoch=7))
    assert facts["seconds"] == before
    assert len(facts["history"]) == 6
