"""The paper's two-layer GAT by fastgat."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from fastgat.nn import GATConv, dropout, elu_dropout


class TwoLayerGAT(nn.Module):
    """`x` dense or SparseFeatures, `edges` an edge structure."""

    def __init__(self, in_channels: int, num_classes: int, p: float = 0.6) -> None:
        super().__init__()
        self.p = p
        self.first = GATConv(in_channels, 8, heads=8, dropout=p)
        self.second = GATConv(64, num_classes, heads=1, concat=False, dropout=p)

    def forward(self, x: Any, edges: Any) -> Tensor:
        hidden = self.first(dropout(x, self.p, self.training), edges)
        out: Tensor = self.second(elu_dropout(hidden, self.p, self.training), edges)
        return out
