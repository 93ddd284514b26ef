"""Predictions of a model in memory, without the folder of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import FastGAT
from fastgat.spectral import Cache
from fastgat.train.config import TrainConfig
from fastgat.train.judged_graph import judged_graph
from fastgat.train.loader import Step
from fastgat.train.objective import Objective
from fastgat.train.predict import Prediction, class_names, in_order
from fastgat.train.record import RunRecord, describe_task
from fastgat.train.trainable import as_trainable

if TYPE_CHECKING:
    from torch_geometric.data import Data


@torch.no_grad()
def predict_with(
    model: torch.nn.Module,
    task: NodeTask | Data,
    config: TrainConfig | None = None,
    *,
    record: RunRecord | None = None,
    cache: Cache = None,
) -> Prediction:
    """What a model says of every node of a task, labelled or not.

    Args:
        model: any module that `fit` takes.
        task: the one it was trained for, or another with the same features and classes. A model
            does not know the names of its features: give `record` to have them found by name;
            without it the columns must be in the order of the training task.
        config: that of `fit`, so that a model judged on a sparse graph predicts on one too, drawn
            with the same seed. None predicts on the whole graph.
        record: what `fit` gave. It knows the names of features and classes: columns of features
            are put in its order, and others than its are refused; classes are its own. Adaptive
            density needs it, having ended with a number of edges that no config tells.
        cache: where resistances are kept, as `effective_resistances` takes it.

    >>> import fastgat
    >>> task = fastgat.load_dataset("synthetic", num_nodes=200)
    >>> model = fastgat.nn.FastGAT(task.num_features, 8, task.num_classes)
    >>> record = fastgat.fit(model, task, fastgat.TrainConfig(epochs=3))
    >>> predict_with(model, task).predicted.shape
    (200,)
    """
    if not isinstance(task, NodeTask):
        task = NodeTask.from_pyg(task)
    config = TrainConfig() if config is None else config
    trainable = as_trainable(model)
    learnt = describe_task(task) if record is None else record.task
    task = in_order(task, learnt)
    if isinstance(model, FastGAT) and model.settings["in_channels"] != task.num_features:
        raise InputError(
            f"the task has {task.num_features} features, but the model was made for "
            f"{model.settings['in_channels']}: they must be the same, in the same order"
        )
    nodes = trainable.input_format.nodes(task)
    objective = Objective(bool(learnt["is_multi_label"]))

    def forward(graph: Graph) -> Tensor:
        arcs = trainable.input_format.arcs(graph, config)
        return trainable.forward(Step(nodes.x, arcs, nodes.labels, nodes.sets)).cpu()

    def predict() -> NDArray[np.float32]:
        return objective.probabilities(forward(task.graph)).numpy()

    was_training = model.training
    model.eval()
    try:
        logits = forward(judged_graph(config, task, record, predict=predict, cache=cache))
    finally:
        model.train(was_training)
    names = class_names(learnt)
    if logits.shape != (task.num_nodes, len(names)):
        raise InputError(
            f"the model gives scores of shape {tuple(logits.shape)}, "
            f"but the task needs {(task.num_nodes, len(names))}"
        )
    return Prediction.of(task, objective, logits, names)
