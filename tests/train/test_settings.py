"""Recommended settings make a model and a config for the task."""

import pytest

import fastgat as fg
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import TrainConfig
from fastgat.train.settings import recommended_model, recommended_training


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
