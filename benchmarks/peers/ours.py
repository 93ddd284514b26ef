"""The paper's two-layer GAT by fastgat."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn.dense.linear import Linear

from fastgat.nn import GATConv
from fastgat.nn.dropout import dropout
from fastgat.nn.projection import project


class DroppingLinear(Linear):  # type: ignore[misc]
    """A layer's projection with the dropout of its input inside: features stay as they are."""

    def __init__(self, linear: Linear, heads: int, p: float) -> None:
        super().__init__(linear.in_channels, linear.out_channels, bias=False)
        self.weight = linear.weight
        self.heads, self.p = heads, p

    def forward(self, x: Tensor) -> Tensor:
        return project(x, self.weight, self.heads, dropout=self.p if self.training else 0.0)


class TwoLayerGAT(nn.Module):
    """`x` dense or torch.sparse_csr, `edges` an edge structure."""

    def __init__(self, in_channels: int, num_classes: int, p: float = 0.6) -> None:
        super().__init__()
        self.p = p
        self.first = GATConv(in_channels, 8, heads=8, dropout=p)
        self.first.lin = DroppingLinear(self.first.lin, 8, p)
        self.second = GATConv(64, num_classes, heads=1, concat=False, dropout=p)

    def forward(self, x: Tensor, edges: Any) -> Tensor:
        hidden = nn.functional.elu(self.first(x, edges))
        return torch.as_tensor(self.second(dropout(hidden, self.p, self.training), edges))
