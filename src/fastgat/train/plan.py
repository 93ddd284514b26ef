"""A plan: one way to train a network for a task, with everything that decides the result."""

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
from fastgat.train.settings import recommended_model

Network = Callable[..., torch.nn.Module]


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
