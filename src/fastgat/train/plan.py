"""A plan: one way to train a network for a task, with everything that decides the result.

Beside it stands what is recommended for a task: the GAT paper's settings, which FastGAT's adopts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train.config import TrainConfig
from fastgat.train.loop import fit
from fastgat.train.record import RunRecord

Network = Callable[..., torch.nn.Module]

# One graph: 8 heads of 8 channels, then the classes.
TRANSDUCTIVE: dict[str, Any] = {
    "hidden_channels": 8,
    "heads": 8,
    "out_heads": 1,
    "num_layers": 2,
    "dropout": 0.6,
    "skip": False,
}
# Many graphs: wider, deeper, a skip over the middle layer, and nothing to hold it back.
INDUCTIVE: dict[str, Any] = {
    "hidden_channels": 256,
    "heads": 4,
    "out_heads": 6,
    "num_layers": 3,
    "dropout": 0.0,
    "skip": True,
}


@dataclass(frozen=True)
class Plan:
    """How to make the network and how to train it.

    `settings` are arguments of the network that differ from what is recommended for the task.
    """

    label: str | None  # None: by the config
    config: TrainConfig
    settings: Mapping[str, Any] = field(default_factory=dict)
    network: Network = FastGAT

    def make_model(self, task: NodeTask) -> torch.nn.Module:
        """The network with first weights by the config's seed."""
        settings = {**recommended_model(task), **self.settings}
        hidden = settings.pop("hidden_channels")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.config.seed)
            return self.network(task.num_features, hidden, task.num_classes, **settings)

    def run(self, task: NodeTask, **options: Any) -> RunRecord:
        """Make the network and fit it; `options` are those of `fit`."""
        return fit(self.make_model(task), task, self.config, label=self.label, **options)


def recommended_model(task: NodeTask) -> dict[str, Any]:
    """Arguments for FastGAT, without those that the task decides."""
    if task.part is not None:
        return dict(INDUCTIVE)
    if task.name == "pubmed":
        return {**TRANSDUCTIVE, "out_heads": 8}
    return dict(TRANSDUCTIVE)


def recommended_training(task: NodeTask) -> dict[str, Any]:
    """Arguments for TrainConfig where they differ from its defaults."""
    if task.part is not None:
        return {"weight_decay": 0.0}
    if task.name == "pubmed":
        return {"weight_decay": 1e-3, "learning_rate": 0.01}
    return {}
