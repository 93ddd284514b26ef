"""Every baseline by name, with the network and the training that its own paper recommends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from experiments.baselines.drop_edge import DropEdge
from experiments.baselines.fast_gcn import FastGCN
from experiments.baselines.gcn import GCN
from experiments.baselines.graph_sage import GraphSAGE
from experiments.baselines.sparse_gat import SparseGAT
from fastgat.check import check_choice
from fastgat.data import NodeTask
from fastgat.sparsify import ScoreSparsifier, UniformSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Baseline:
    """A network, its settings, how it is trained, and on which edges.

    A network without `settings` of its own has FastGAT's arguments, with what is recommended for
    those, and for training where nothing else is said here.
    """

    network: Callable[..., torch.nn.Module]
    settings: Callable[[NodeTask], Options] | None = None
    training: Options = field(default_factory=dict)
    sparsifier: ScoreSparsifier | None = None  # of the edges it is trained on; None: every edge

    def plan(self, label: str, task: NodeTask, seed: int, training: Options) -> Plan:
        """How to train it for a task."""
        recommended = recommended_training(task) if self.settings is None else {}
        options = {**recommended, **self.training}
        if self.sparsifier is not None:
            options["sparsifier"] = self.sparsifier
        config = TrainConfig(seed=seed, **{**options, **training})
        if self.settings is None:
            return Plan(label, config, network=self.network)
        return Plan(label, config, network=_Own(self.network, self.settings(task)))


def baseline_plan(task: NodeTask, name: str, *, seed: int = 0, **training: Any) -> Plan:
    """The plan of a baseline; `training` are fields of TrainConfig that shall differ.

    >>> from fastgat import load_dataset
    >>> task = load_dataset("synthetic", num_nodes=200)
    >>> plan = baseline_plan(task, "FastGCN-400", seed=3, epochs=2)
    >>> plan.run(task).model["settings"]["num_sampled"]
    400
    """
    check_choice("name", name, tuple(BASELINES))
    return BASELINES[name].plan(name, task, seed, training)


@dataclass(frozen=True)
class _Own:
    """A network that has its own settings, and not those of a GAT that a plan offers."""

    network: Callable[..., torch.nn.Module]
    settings: Options

    def __call__(
        self, in_channels: int, _hidden: int, out_channels: int, **_of_gat: Any
    ) -> torch.nn.Module:
        settings = dict(self.settings)
        return self.network(in_channels, settings.pop("hidden_channels"), out_channels, **settings)


def _fast_gcn(num_sampled: int, *, always_small: bool = False) -> Baseline:
    def settings(task: NodeTask) -> Options:
        """The paper's for citation graphs, and elsewhere the wider network it has for Reddit."""
        small = always_small or task.name in ("cora", "citeseer", "pubmed")
        widths = {"hidden_channels": 16 if small else 128, "l2_weight": 5e-4 if small else 1e-4}
        return {**widths, "num_sampled": num_sampled}

    # No weight decay: the network has its own penalty.
    training = {"learning_rate": 0.01, "weight_decay": 0.0, "epochs": 200, "patience": 30}
    return Baseline(FastGCN, settings, training)


def _graph_sage() -> Baseline:
    # The paper's 10 epochs are hundreds of steps on its graphs; on a tenth of a smaller one's nodes
    # that takes 100. It has no early stopping.
    training = {"learning_rate": 0.01, "weight_decay": 0.0, "epochs": 100, "patience": None}
    return Baseline(GraphSAGE, lambda task: {"hidden_channels": 256}, training)


def _gcn() -> Baseline:
    training = {"learning_rate": 0.01, "epochs": 200, "patience": 10}
    return Baseline(GCN, lambda task: {"hidden_channels": 16}, training)


BASELINES: dict[str, Baseline] = {
    "SparseGAT": Baseline(SparseGAT, training={"learning_rate": 0.01}),
    "FastGCN-400": _fast_gcn(400),
    "FastGCN-800": _fast_gcn(800),
    "FastGCN-400, 16 wide": _fast_gcn(400, always_small=True),
    "GraphSAGE": _graph_sage(),
    "GCN": _gcn(),
    "DropEdge": Baseline(
        DropEdge, training={"evaluate_on": "full"}, sparsifier=UniformSparsifier(keep=0.5)
    ),
}
