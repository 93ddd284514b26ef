"""How far two trainings from the same first weights end apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from fastgat.data import NodeTask
from fastgat.train import Epoch, Plan, fit

State = dict[str, torch.Tensor]


def last_weights(plan: Plan, task: NodeTask, device: str, shift: int = 0) -> State:
    """The weights of the last epoch, from the plan's first weights; `shift` changes the dropout."""
    model = plan.make_model(task).to(device)
    # Numbered for its own graph, each run would have its own dropout.
    config = replace(plan.config, seed=plan.config.seed + shift, node_order="given")
    last: State = {}

    def keep(epoch: Epoch) -> None:
        if epoch.epoch == config.epochs:
            last.update({key: value.clone() for key, value in model.state_dict().items()})

    fit(model, task, config, on_epoch=keep)
    return last


def relative_errors(full: State, sparse: State) -> dict[str, float]:
    """Mean over layers and heads of the Frobenius norm of the difference, over the full one's."""
    errors: dict[str, list[float]] = {"weight": [], "attention": []}
    for key, value in full.items():
        if key.endswith(("att_src", "att_dst")):
            errors["attention"] += _per_head(value[0], sparse[key][0])
        elif key.endswith("lin.weight"):
            heads = full[key.replace("lin.weight", "att_src")].size(1)
            shape = (heads, -1)
            errors["weight"] += _per_head(value.reshape(shape), sparse[key].reshape(shape))
    return {kind: float(np.mean(found)) for kind, found in errors.items()}


def _per_head(full: torch.Tensor, sparse: torch.Tensor) -> list[float]:
    ratio: list[float] = ((full - sparse).norm(dim=1) / full.norm(dim=1)).tolist()
    return ratio
