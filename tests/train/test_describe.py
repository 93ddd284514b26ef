"""What a record says of task, model and machine, and when two tasks are the same."""

import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse
import torch

from fastgat import Graph
from fastgat.data import NodeTask, Split
from fastgat.nn import FastGAT
from fastgat.train.describe import (
    describe_environment,
    describe_model,
    describe_task,
    fingerprint,
)


@pytest.fixture
def small() -> NodeTask:
    graph = Graph.from_edges([0, 1, 3], [1, 2, 4], num_nodes=5)
    features = np.arange(10, dtype=np.float32).reshape(5, 2)
    split = Split.from_indices(5, [0, 1], [2, 3], [4])
    return NodeTask(
        graph, features, np.array([0, 1, 0, 1, 1]), 2, split, part=np.array([0, 0, 0, 1, 1])
    )


def test_sizes_of_a_task(small: NodeTask) -> None:
    named = dataclasses.replace(small, name="toy", class_names=("a", "b"))
    assert describe_task(named) == {
        "name": "toy",
        "num_nodes": 5,
        "num_edges": 3,
        "num_features": 2,
        "num_classes": 2,
        "class_names": ["a", "b"],
        "is_multi_label": False,
        "num_graphs": 2,
        "train": 2,
        "validation": 2,
        "test": 1,
    }
    json.dumps(describe_task(named))


def test_an_equal_task_has_the_same_fingerprint(small: NodeTask) -> None:
    twin = dataclasses.replace(small, features=small.features.copy(), labels=small.labels.copy())
    assert fingerprint(twin) == fingerprint(small)


@pytest.mark.parametrize(
    "change",
    [
        {"graph": Graph.from_edges([0, 1, 3], [1, 2, 4], [1.0, 2.0, 1.0], num_nodes=5)},
        {"graph": Graph.from_edges([0, 0, 3], [1, 2, 4], num_nodes=5)},
        {"features": np.arange(10, dtype=np.float32).reshape(5, 2) + 1},
        {"features": scipy.sparse.csr_array(np.arange(10, dtype=np.float32).reshape(5, 2))},
        {"labels": np.array([0, 1, 0, 1, 0])},
        {"split": Split.from_indices(5, [0, 1], [2, 4], [3])},
        {"split": None},
        {"part": np.array([1, 1, 1, 0, 0])},
        {"part": None},
    ],
    ids=["weight", "graph", "features", "sparse", "labels", "split", "none", "part", "one"],
)
def test_any_change_shows_in_the_fingerprint(small: NodeTask, change: dict) -> None:
    assert fingerprint(dataclasses.replace(small, **change)) != fingerprint(small)


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


def test_the_machine_is_plain() -> None:
    environment = describe_environment()
    assert environment["threads"] == torch.get_num_threads()
    assert environment["vector_bits"] in (128, 256, 512)
    assert json.loads(json.dumps(environment)) == environment
