"""Graph, features, labels and training nodes of a dataset, for every peer the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

import fastgat as fg
from experiments.peers import ours
from experiments.tasks import load_task
from fastgat.train.loader import close_order, renumber

TRAINING_SHARE = 0.1


@dataclass(frozen=True)
class NodeData:
    """A task as arrays; features are 0 and 1, as PyG has them."""

    name: str
    graph: fg.Graph
    features: sp.csr_array
    label: Tensor
    train: Tensor  # numbers of the training nodes

    @property
    def num_classes(self) -> int:
        return int(self.label.max()) + 1

    def on(self, graph: fg.Graph) -> NodeData:
        """The same on another graph."""
        return replace(self, graph=graph)

    def ordered(self) -> NodeData:
        """The same with nodes numbered so that neighbours lie close, as `fastgat.fit` does it."""
        order = close_order(self.graph)
        if order is None:  # a graph so small or so large that it is not worth it
            return self
        place = torch.from_numpy(np.argsort(order))
        return NodeData(
            self.name,
            renumber(self.graph, order),
            self.features[order],
            self.label[torch.from_numpy(order)],
            place[self.train],
        )

    def sparse(self) -> Any:
        """Features as our layers take them."""
        parts = (self.features.indptr, self.features.indices, self.features.data)
        return ours.features(*parts, self.features.shape)

    def dense(self) -> Tensor:
        """Features as the peers take them."""
        return torch.from_numpy(self.features.toarray())

    def arrays(self) -> dict[str, Any]:
        """All of it for a peer's process."""
        return {
            "value": self.features.data,
            "column": self.features.indices,
            "offset": self.features.indptr,
            "num_features": self.features.shape[1],
            "num_classes": self.num_classes,
            "label": self.label.numpy(),
            "train": self.train.numpy(),
            **graph_arrays(self.graph),
        }


def load(name: str) -> NodeData:
    """A dataset with sparse features and a random tenth of its nodes to train on."""
    task = load_task(name, 1)
    stored: Any = task.features
    features: Any = sp.csr_array(stored)
    features.data = (features.data > 0).astype(np.float32)
    features.sort_indices()
    label = torch.from_numpy(task.labels)
    order = torch.randperm(label.numel(), generator=torch.Generator().manual_seed(11))
    train = order[: round(TRAINING_SHARE * label.numel())].sort().values
    return NodeData(name, task.graph, features, label, train)


def edge_index(graph: fg.Graph) -> Tensor:
    """Both directions, ordered by the first row: what PyG's datasets hold."""
    rows = graph.adjacency
    first = np.repeat(np.arange(graph.num_nodes), np.diff(rows.offset))
    return torch.from_numpy(np.stack([first, rows.neighbor.astype(np.int64)]))


def graph_arrays(graph: fg.Graph) -> dict[str, Any]:
    """Each edge once, and every arc."""
    arc_source, arc_target = edge_index(graph).numpy()
    return {
        "num_nodes": graph.num_nodes,
        "source": graph.source,
        "target": graph.target,
        "arc_source": arc_source,
        "arc_target": arc_target,
    }


def weight_arrays(module: torch.nn.Module) -> dict[str, Any]:
    """The parameters for a peer's process."""
    return {f"weight.{name}": value.numpy() for name, value in module.state_dict().items()}
