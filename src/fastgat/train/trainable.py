"""What training asks of a model, and whether a model, a task and a config go together.

Any module with `forward(x, edge_index)` trains. What else it can do it says by having one of the
names below; `as_trainable` looks for them in one place, and has a default for each.

takes_sparse_features   True: sparse features come as `torch.sparse_csr`, not made dense
forward_nodes           method (x, edge_index, nodes): class scores of some nodes alone
batch_size              beside `forward_nodes`: train on so many nodes at a time, shuffled
penalty                 method (): what is added to the loss of every step
settings                plain values in a dict: arguments it was made with, kept in the record
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.parameter import is_lazy

from fastgat.check import InputError, check_count
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.sparsify import GuidedSparsifier
from fastgat.train.config import TrainConfig
from fastgat.train.loader import InputFormat, Step


class Trainable(Protocol):
    """A model as the trainer uses it."""

    input_format: InputFormat
    batch_size: int | None  # nodes per step; None: all training nodes at once
    settings: dict[str, Any]

    def forward(self, step: Step) -> Tensor:
        """Class scores of all nodes of a step."""

    def forward_nodes(self, step: Step, nodes: Tensor) -> Tensor | None:
        """Class scores of some nodes of a step; None if it can only compute all."""

    def penalty(self) -> Tensor | float:
        """What is added to the loss."""


class ModuleAdapter:
    """Any module as a `Trainable`: what it says of itself, and defaults for the rest.

    A name that means something else to the module (a `penalty` that is a number, `settings` that
    JSON does not give back) counts as absent.
    """

    def __init__(self, module: torch.nn.Module) -> None:
        """Look at the module once."""
        self.module = module
        sparse = getattr(module, "takes_sparse_features", None) is True
        first = next(module.parameters(), None)
        device = torch.device("cpu") if first is None else first.device
        self.input_format = InputFormat(
            sorted_arcs=False, sparse_features=sparse, draws=False, device=device
        )
        self._forward_nodes = getattr(module, "forward_nodes", None)
        size = None if self._forward_nodes is None else getattr(module, "batch_size", None)
        self.batch_size = None if size is None else check_count("model.batch_size", size, 1)
        penalty = getattr(module, "penalty", None)
        self._penalty = penalty if callable(penalty) else None
        told = getattr(module, "settings", None)
        self.settings = dict(told) if isinstance(told, dict) and _is_plain(told) else {}

    def forward(self, step: Step) -> Tensor:
        """The module's own forward."""
        return self._checked(self.module(step.x, step.arcs.edges))

    def forward_nodes(self, step: Step, nodes: Tensor) -> Tensor | None:
        """The module's own, or None."""
        if self._forward_nodes is None:
            return None
        return self._checked(self._forward_nodes(step.x, step.arcs.edges, nodes))

    def penalty(self) -> Tensor | float:
        """The module's own, or nothing."""
        return 0.0 if self._penalty is None else self._penalty()

    def _checked(self, scores: object) -> Tensor:
        if not isinstance(scores, Tensor):
            raise InputError(
                f"the model {type(self.module).__name__} returns a {type(scores).__name__}, but "
                "must return one tensor of class scores; wrap it in a module that returns that "
                "tensor alone"
            )
        return scores


class FastGATAdapter(ModuleAdapter):
    """Our own network takes more: sorted arcs, weights of arcs, and a sampler of graphs."""

    def __init__(self, module: FastGAT) -> None:
        """Look at how the network draws graphs."""
        super().__init__(module)
        self.input_format = InputFormat(
            sorted_arcs=True,
            sparse_features=True,
            draws=module.resample != "const",
            device=self.input_format.device,
        )

    def forward(self, step: Step) -> Tensor:
        """FastGAT's forward with all that it takes."""
        arcs = step.arcs
        scores: Tensor = self.module(step.x, arcs.edges, arcs.weight, sampler=step.sampler)
        return scores


def as_trainable(model: torch.nn.Module) -> Trainable:
    """Any module as the trainer uses it."""
    if not isinstance(model, torch.nn.Module):
        raise InputError(f"model is a {type(model).__name__}, but must be a torch.nn.Module")
    return FastGATAdapter(model) if isinstance(model, FastGAT) else ModuleAdapter(model)


def describe_model(model: torch.nn.Module) -> dict[str, Any]:
    """Its name, its size and, if it tells them in plain values, the arguments it was made with."""
    # Of a module that learns its width from the data, no number is known before the first call.
    known = (parameter for parameter in model.parameters() if not is_lazy(parameter))
    count = sum(parameter.numel() for parameter in known)
    settings = as_trainable(model).settings
    return {"name": type(model).__name__, "num_parameters": count, "settings": settings}


def check_trainable(model: torch.nn.Module, task: NodeTask, config: TrainConfig) -> list[str]:
    """Refuse what cannot work; give a sentence for all that will not work well.

    Args:
        model: any module.
        task: what it is to learn.
        config: how.
    """
    if not isinstance(config, TrainConfig):
        raise InputError(f"config={config!r} must be a TrainConfig")
    draws = as_trainable(model).input_format.draws
    if next(model.parameters(), None) is None:
        name = type(model).__name__
        raise InputError(f"the model {name} has no parameters: there is nothing to train")
    _check_split(task)
    if isinstance(model, FastGAT):
        _check_channels(model, task)
    elif config.edge_weight == "prior":
        raise InputError(
            f"edge_weight='prior' needs a FastGAT, but model is a {type(model).__name__}; "
            "use edge_weight='ignore'"
        )
    if draws and config.sparsifier is None:
        raise InputError(
            f"resample={model.resample!r} draws graphs while training, but config.sparsifier=None; "
            "give one, or use resample='const'"
        )
    if draws and config.edge_weight == "prior":
        raise InputError("edge_weight='prior' goes with resample='const', where weights are known")
    if draws and isinstance(config.sparsifier, GuidedSparsifier):
        raise InputError(
            f"resample={model.resample!r} draws graphs from the first step on, but a "
            "GuidedSparsifier chooses edges after its warm-up; use resample='const'"
        )
    if config.adaptive is not None:
        if draws:
            raise InputError("adaptive chooses the edges itself; use resample='const'")
        if task.part is not None:
            raise InputError("adaptive is for tasks on one graph; leave it out")
    return [] if task.is_multi_label else _absent_classes(task)


def _check_channels(model: FastGAT, task: NodeTask) -> None:
    for name, needed in (("in_channels", task.num_features), ("out_channels", task.num_classes)):
        given = model.settings[name]
        if given == -1:
            raise InputError(f"{name}=-1 waits for the first call; make the model with {needed}")
        if given != needed:
            raise InputError(f"the model has {name}={given}, but the task needs {needed}")


def _check_split(task: NodeTask) -> None:
    if task.split is None:
        raise InputError("the task has no split; use random_split, or load it with one")
    for name in ("train", "validation"):
        if not task.split.masks()[name].any():
            raise InputError(f"no node is for {name}; give the task another split")


def _absent_classes(task: NodeTask) -> list[str]:
    assert task.split is not None
    known = np.unique(task.labels[task.split.train])
    absent = np.setdiff1d(np.unique(task.labels[task.labelled]), known)
    shown = [
        str(number) if task.class_names is None else f"{number} ({task.class_names[number]!r})"
        for number in absent.tolist()
    ]
    return [
        f"no training node has class {name}, so the model cannot learn it; "
        "train on more nodes, or on another split"
        for name in shown
    ]


def _is_plain(settings: dict[Any, Any]) -> bool:
    """Whether JSON gives them back."""
    try:
        return bool(json.loads(json.dumps(settings)) == settings)
    except (TypeError, ValueError):
        return False
