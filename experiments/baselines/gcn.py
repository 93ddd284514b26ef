"""GCN: what FastGCN estimates, and what Theorem 1 is about; edges may have weights."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import dropout, relu
from torch_geometric.nn import GCNConv

from fastgat.check import check_between, check_count


class GCN(torch.nn.Module):
    """Kipf and Welling's "Semi-Supervised Classification with Graph Convolutional Networks".

    The paper's: two layers of 16 hidden channels, dropout 0.5, learning rate 0.01, weight decay
    5e-4 (on the first layer alone, here on both), 200 epochs with patience 10.

    >>> model = GCN(3, 4, 2).eval()
    >>> model(torch.ones(3, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_layers: int = 2,
        dropout: float = 0.5,
    ) -> None:
        """Make the layers; `dropout` acts on their inputs."""
        super().__init__()
        self.settings: dict[str, Any] = {
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "out_channels": out_channels,
            "num_layers": check_count("num_layers", num_layers, 1),
            "dropout": check_between("dropout", dropout, 0, 1, closed=True),
        }
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.layers = torch.nn.ModuleList(
            GCNConv(below, above) for below, above in itertools.pairwise(widths)
        )

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Class scores of every node; `edge_weight` is of the arcs."""
        hidden = x
        for number, layer in enumerate(self.layers):
            hidden = relu(hidden) if number else hidden
            hidden = dropout(hidden, self.settings["dropout"], self.training)
            hidden = layer(hidden, edge_index, edge_weight)
        return hidden
