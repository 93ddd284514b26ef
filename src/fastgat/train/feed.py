"""What training is fed with: the steps of an epoch, in the form that the model takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph
from fastgat.train.adaptive import EdgeSchedule
from fastgat.train.batches import Arcs, Nodes
from fastgat.train.config import TrainConfig


@dataclass(frozen=True, eq=False)
class Step:
    """One forward pass; the loss and the scores are over the nodes of `sets`."""

    x: Tensor
    arcs: Arcs
    labels: Tensor
    sets: dict[str, Tensor]
    sampler: PreparedSparsifier | None = None  # for models that draw their own graphs


class Feed(Protocol):
    """Gives the steps of training and of evaluation."""

    @property
    def schedule(self) -> EdgeSchedule | None:
        """How many edges are in use, where that changes."""

    @property
    def num_edges(self) -> int:
        """Edges trained on."""

    @property
    def num_edges_before(self) -> int:
        """Edges of the same graphs before sparsifying."""

    def training(self) -> Iterator[Step]:
        """The steps of one epoch; `sets` has `train`."""

    def evaluation(self) -> Iterator[Step]:
        """Steps that cover validation and test, and training where that costs nothing."""

    def follow_schedule(self) -> None:
        """Take as many edges as the schedule has come to."""

    def sparse_graph(self) -> SparsifiedGraph | None:
        """A sparse graph trained on, if there is one graph and it was sparsified."""


@dataclass(frozen=True)
class Form:
    """What a model takes, and where it lies."""

    native: bool  # edge structures; else edge_index
    sparse: bool  # features as torch.sparse_csr; else dense
    draws: bool  # draws its own graphs while training
    device: torch.device

    def nodes(self, task: NodeTask, order: NDArray[np.int64] | None = None) -> Nodes:
        """Features, labels and sets of a task, its nodes in another order if one is given."""
        return Nodes.of(task, dense=not self.sparse, order=order).to(self.device)

    def arcs(self, graph: Graph, config: TrainConfig) -> Arcs:
        """The arcs of a graph."""
        plain = not self.native or self.device.type != "cpu"
        return Arcs.of(graph, plain=plain, prior=config.edge_weight == "prior").to(self.device)
