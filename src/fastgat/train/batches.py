"""What one forward pass works on: features, edges, labels, and the nodes that count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import SortedArcs
from fastgat.nn.sparse_features import csr_tensor

SETS = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class Nodes:
    """Features and labels of a task as tensors, and its three sets of nodes."""

    x: Tensor  # dense or torch.sparse_csr
    labels: Tensor
    sets: dict[str, Tensor]  # node numbers

    @classmethod
    def of(cls, task: NodeTask, *, dense: bool, order: NDArray[np.int64] | None = None) -> Nodes:
        """The nodes of a task; `dense` for models that take no sparse features."""
        split = task.split if task.split is None or order is None else task.split.take(order)
        masks = {} if split is None else split.masks()
        sets = {name: torch.from_numpy(np.flatnonzero(masks[name])) for name in masks}
        labels = task.labels if order is None else task.labels[order]
        x = feature_tensor(task, dense=dense, order=order)
        return cls(x, torch.from_numpy(labels), sets)

    def to(self, device: torch.device) -> Nodes:
        """The same on a device."""
        if device.type == "cpu":
            return self
        sets = {name: nodes.to(device) for name, nodes in self.sets.items()}
        return Nodes(self.x.to(device), self.labels.to(device), sets)


@dataclass(frozen=True, eq=False)
class Arcs:
    """Edges as a model takes them."""

    edges: Any  # an SortedArcs, or edge_index
    weight: Tensor | None  # one per arc, where weights are a prior
    num_edges: int

    @classmethod
    def of(cls, graph: Graph, *, plain: bool, prior: bool = False) -> Arcs:
        """Both directions of every edge; `plain` for models that take edge_index."""
        structure = SortedArcs.from_graph(graph)
        weight = None
        if prior and graph.is_weighted:
            of_arcs = graph.adjacency.weight
            assert of_arcs is not None
            weight = torch.from_numpy(of_arcs.astype(np.float32))
        edges = structure.edge_index() if plain else structure
        return cls(edges, weight, graph.num_edges)

    def to(self, device: torch.device) -> Arcs:
        """The same on a device; only edge_index goes to another one than the CPU."""
        if device.type == "cpu":
            return self
        weight = None if self.weight is None else self.weight.to(device)
        return Arcs(self.edges.to(device), weight, self.num_edges)


def feature_tensor(
    task: NodeTask, *, dense: bool = False, order: NDArray[np.int64] | None = None
) -> Tensor:
    """The features of a task, sparse ones as torch.sparse_csr unless `dense`."""
    features: Any = task.features if order is None else task.features[order]
    if not task.is_sparse:
        return torch.from_numpy(features)
    if dense:
        return torch.from_numpy(features.toarray())
    parts = features.indptr, features.indices, features.data
    start, column, value = (torch.from_numpy(part) for part in parts)
    return csr_tensor(start, column, value, features.shape)  # NodeTask has checked it


def join_tasks(tasks: Sequence[NodeTask]) -> NodeTask:
    """Several graphs side by side as one; splits are left out."""
    if len(tasks) == 1:
        return tasks[0]
    features: Any
    if tasks[0].is_sparse:
        import scipy.sparse

        parts: Any = [task.features for task in tasks]
        features = scipy.sparse.vstack(parts, format="csr")
    else:
        features = np.concatenate([task.features for task in tasks])
    labels = np.concatenate([task.labels for task in tasks])
    graph = join_graphs([task.graph for task in tasks])
    return NodeTask(graph, features, labels, tasks[0].num_classes)


def join_graphs(graphs: Sequence[Graph]) -> Graph:
    """Several graphs side by side as one."""
    start = np.concatenate([[0], np.cumsum([graph.num_nodes for graph in graphs])])
    weighted = any(graph.is_weighted for graph in graphs)
    return Graph.from_edges(
        np.concatenate([graph.source + first for graph, first in zip(graphs, start, strict=False)]),
        np.concatenate([graph.target + first for graph, first in zip(graphs, start, strict=False)]),
        np.concatenate([graph.weight for graph in graphs]) if weighted else None,
        num_nodes=int(start[-1]),
    )
