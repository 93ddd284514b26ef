"""A task as PyG holds it."""

from __future__ import annotations

import numpy as np
import torch
from torch_geometric.data import Data

from fastgat.check import InputError
from fastgat.data.node_task import NodeTask


def to_data(task: NodeTask) -> Data:
    """A PyG `Data` with both directions of every edge, dense `x`, `y` and the masks of the split.

    `edge_weight` is there if the graph has weights, `part` if the task has several graphs. Labels
    of several columns become float, as `torch.nn.BCEWithLogitsLoss` takes them.

    >>> import fastgat as fg
    >>> to_data(fg.NodeTask(fg.Graph.from_edges([0], [1]), np.eye(2), np.array([0, 1]), 2))
    Data(edge_index=[2, 2], num_nodes=2, x=[2, 2], y=[2])
    """
    if not isinstance(task, NodeTask):
        raise InputError(
            f"task is a {type(task).__name__}, but a NodeTask is needed; "
            "graph.to_pyg() gives a graph alone"
        )
    data = task.graph.to_pyg()
    features = task.features if isinstance(task.features, np.ndarray) else task.features.toarray()
    data.x = torch.tensor(features)  # copied: the task's arrays stay as they are
    data.y = torch.tensor(task.labels, dtype=torch.float if task.is_multi_label else torch.long)
    if task.part is not None:
        data.part = torch.tensor(task.part, dtype=torch.long)
    if task.split is not None:
        data.train_mask = torch.tensor(task.split.train)
        data.val_mask = torch.tensor(task.split.validation)
        data.test_mask = torch.tensor(task.split.test)
    return data
