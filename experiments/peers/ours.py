"""The paper's two-layer GAT and the single layers by fastgat, this version or an earlier one."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor, nn

from fastgat import nn as ours

CHANNELS, HEADS, DROPOUT = 8, 8, 0.6
WIDTH = HEADS * CHANNELS
LAYERS = ("GATConv", "GATv2Conv", "AGNNConv", "CosineConv", "GaANConv")
# What is called SortedArcs was an EdgeStructure: `before-after` times versions of both kinds.
Arcs: Any = getattr(ours, "SortedArcs", None) or getattr(ours, "EdgeStructure", None)


class TwoLayerGAT(nn.Module):
    """`x` as `features` gives it, `arcs` as `Arcs.from_graph` does."""

    def __init__(self, in_channels: int, num_classes: int, p: float = DROPOUT) -> None:
        super().__init__()
        self.p = p
        self.first = ours.GATConv(in_channels, CHANNELS, heads=HEADS, dropout=p)
        self.second = ours.GATConv(WIDTH, num_classes, heads=1, concat=False, dropout=p)

    def forward(self, x: Any, arcs: Any) -> Tensor:
        hidden = self.first(ours.dropout(x, self.p, self.training), arcs)
        out: Tensor = self.second(ours.elu_dropout(hidden, self.p, self.training), arcs)
        return out


def make_layer(name: str) -> nn.Module:
    """One of LAYERS, 64 to 8 x 8."""
    layer: nn.Module
    if name == "AGNNConv":
        layer = ours.AGNNConv()
    else:
        layer = getattr(ours, name)(WIDTH, CHANNELS, heads=HEADS, dropout=DROPOUT)
    return layer


def features(offset: Any, column: Any, value: Any, shape: tuple[int, int]) -> Any:
    """Sparse features in the form that our layers take, from the arrays of compressed rows."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # "in beta state"
        matrix = torch.sparse_csr_tensor(
            torch.from_numpy(offset),
            torch.from_numpy(column),
            torch.from_numpy(value),
            shape,
            check_invariants=True,
        )
    make: Any = getattr(ours.SparseFeatures, "from_csr", ours.SparseFeatures)  # as it was before
    return make(matrix)


def make_ready(arcs: Any) -> Any:
    """Let arcs be sorted now, in the version that does so when they are first used."""
    if hasattr(arcs, "edges"):
        arcs.edges(add_loops=True).arcs(with_ids=False)
    return arcs
