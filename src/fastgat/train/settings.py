"""What is recommended for a dataset: the GAT paper's settings, which FastGAT's adopts."""

from __future__ import annotations

from typing import Any

from fastgat.data import NodeTask

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
