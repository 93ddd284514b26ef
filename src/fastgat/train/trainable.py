"""Whether a model can be trained for a task as a config says; refused before anything is done."""

from __future__ import annotations

import numpy as np
import torch

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train.config import TrainConfig


def check_trainable(model: torch.nn.Module, task: NodeTask, config: TrainConfig) -> list[str]:
    """Refuse what cannot work; give a sentence for all that will not work well."""
    if not isinstance(config, TrainConfig):
        raise InputError(f"config={config!r} must be a TrainConfig")
    if next(model.parameters(), None) is None:
        name = type(model).__name__
        raise InputError(f"the model {name} has no parameters: there is nothing to train")
    _check_split(task)
    draws = isinstance(model, FastGAT) and model.resample != "const"
    if isinstance(model, FastGAT):
        for name, needed in (
            ("in_channels", task.num_features),
            ("out_channels", task.num_classes),
        ):
            if model.settings[name] != needed:
                raise InputError(
                    f"the model has {name}={model.settings[name]}, but the task needs {needed}"
                )
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
    if config.adaptive is not None:
        if draws:
            raise InputError("adaptive chooses the edges itself; use resample='const'")
        if task.part is not None:
            raise InputError("adaptive is for tasks on one graph; leave it out")
    return [] if task.is_multi_label else _absent_classes(task)


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
