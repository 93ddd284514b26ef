"""GraphSAGE: nodes learn from the mean of sampled neighbours, so other graphs can be judged."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import dropout, normalize, relu
from torch_geometric.nn import SAGEConv

from experiments.baselines.last_value_cache import LastValueCache
from experiments.baselines.neighbour_lists import NeighbourLists, sample_neighbours
from fastgat.check import InputError, check_between, check_count
from fastgat.nn.sparse_features import csr_tensor


class GraphSAGE(torch.nn.Module):
    """The mean version of "Inductive Representation Learning on Large Graphs" (Hamilton et al.).

    Layers are PyG's SAGEConv, ReLU and rows of unit length; then comes a linear classifier.
    `num_neighbors` are drawn for each layer, the lowest first. Evaluation uses all neighbours.

    The paper's: two layers of 256 channels, 25 and 10 neighbours, batches of 512, Adam, 10 epochs;
    the learning rate is chosen among 0.01, 0.001 and 0.0001, of which its code's default is 0.01.

    >>> model = GraphSAGE(3, 4, 2).eval()
    >>> model(torch.ones(3, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_neighbors: Sequence[int] = (25, 10),
        dropout: float = 0.0,
        batch_size: int = 512,
    ) -> None:
        """Make one layer for each entry of `num_neighbors`."""
        super().__init__()
        if not num_neighbors:
            raise InputError("num_neighbors is empty, but needs one number per layer")
        self.settings: dict[str, Any] = {
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "out_channels": out_channels,
            "num_neighbors": [check_count("num_neighbors", count, 1) for count in num_neighbors],
            "dropout": check_between("dropout", dropout, 0, 1, closed=True),
            "batch_size": check_count("batch_size", batch_size, 1),
        }
        self.batch_size = batch_size
        widths = [in_channels, *[hidden_channels] * len(num_neighbors)]
        self.layers = torch.nn.ModuleList(
            SAGEConv(below, above) for below, above in itertools.pairwise(widths)
        )
        self.classifier = torch.nn.Linear(hidden_channels, out_channels)
        self._lists = LastValueCache(lambda x, edges: NeighbourLists.of(edges, x.size(0)))

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Class scores of every node, by all neighbours."""
        lists = self._lists(x, edge_index)
        matrix = _matrix(lists.start, lists.source, x.size(0))
        hidden = x
        for layer in self.layers:
            hidden = normalize(relu(layer(self._drop(hidden), matrix)))
        return self._classify(hidden)

    def forward_nodes(self, x: Tensor, edge_index: Tensor, nodes: Tensor) -> Tensor:
        """Class scores of `nodes`, by sampled neighbours."""
        lists = self._lists(x, edge_index)
        targets, blocks = nodes, []
        for count in reversed(self.settings["num_neighbors"]):  # from the top down
            row, neighbour = sample_neighbours(lists, targets, count)
            met = torch.cat([targets, neighbour])
            sources, place = torch.unique(met, return_inverse=True)
            own, column = place[: targets.numel()], place[targets.numel() :]
            start = torch.bincount(row, minlength=targets.numel()).cumsum(0)
            start = torch.nn.functional.pad(start, (1, 0))
            blocks.append((_matrix(start, column, sources.numel()), own))
            targets = sources
        hidden = x[targets]
        for layer, (matrix, own) in zip(self.layers, reversed(blocks), strict=True):
            hidden = self._drop(hidden)
            hidden = normalize(relu(layer((hidden, hidden[own]), matrix)))
        return self._classify(hidden)

    def _classify(self, hidden: Tensor) -> Tensor:
        scores: Tensor = self.classifier(self._drop(hidden))
        return scores

    def _drop(self, x: Tensor) -> Tensor:
        return dropout(x, self.settings["dropout"], self.training)


def _matrix(start: Tensor, source: Tensor, num_sources: int) -> Tensor:
    """Arcs in the form for which SAGEConv makes no message per arc."""
    ones = torch.ones(source.numel(), device=source.device)
    size = (start.numel() - 1, num_sources)
    return csr_tensor(start, source, ones, size)
