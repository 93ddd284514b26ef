"""SparseGAT: a GAT whose attention is a learned gate per arc, the same in every head and layer."""

from __future__ import annotations

import math
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import elu

from experiments.baselines.hard_concrete import draw_gates, fixed_gates, open_probability
from fastgat.check import InputError, check_between, check_count
from fastgat.nn import GATConv
from fastgat.nn.dropout import dropout as drop
from fastgat.nn.fastgat import add_skip
from fastgat.nn.projection import project
from fastgat.nn.sparse_features import SparseFeatures


class SparseGAT(torch.nn.Module):
    """Sparse Graph Attention Networks (Ye, Ji): attention = gate / sum of the target's gates.

    Loops have no gate but 1. A gate's `log_alpha` is linear in the first layer's projection of both
    ends, so that other graphs have gates too; with `num_arcs` it is a parameter of its own for
    every arc of the one graph that the network is then for. `l0_weight` times the expected
    number of open gates is the `penalty`.

    The paper's l0_weight on citation graphs is 1e-6; for those of Amazon and Coauthor it gives
    none. Heads, widths and dropout are the GAT paper's, as in FastGAT's comparison.

    >>> model = SparseGAT(3, 4, 2, heads=2).eval()
    >>> model(torch.ones(3, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        heads: int = 8,
        out_heads: int = 1,
        num_layers: int = 2,
        dropout: float = 0.6,
        l0_weight: float = 1e-6,
        num_arcs: int | None = None,
        *,
        skip: bool = False,
    ) -> None:
        """Make the layers; `dropout` acts on their inputs and on attention."""
        super().__init__()
        self.settings: dict[str, Any] = {
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "out_channels": out_channels,
            "heads": heads,
            "out_heads": out_heads,
            "num_layers": check_count("num_layers", num_layers, 1),
            "dropout": check_between("dropout", dropout, 0, 1, closed=True),
            "l0_weight": check_between("l0_weight", l0_weight, 0, math.inf, closed=True),
            "num_arcs": num_arcs,
            "skip": skip,
        }
        widths = [in_channels, *[heads * hidden_channels] * (num_layers - 1)]
        hidden = [_layer(width, hidden_channels, heads, dropout) for width in widths[:-1]]
        last = _layer(widths[-1], out_channels, out_heads, dropout, concat=False)
        self.layers = torch.nn.ModuleList([*hidden, last])
        if num_arcs is None:
            self.ends = torch.nn.Linear(self._projection.size(0), 2, bias=False)
            self.bias = torch.nn.Parameter(torch.zeros(1))
            torch.nn.init.xavier_normal_(self.ends.weight)
        else:
            check_count("num_arcs", num_arcs)
            self.log_alpha = torch.nn.Parameter(0.01 * torch.randn(num_arcs))
        self.share_kept: float | None = None  # of the arcs, in the last evaluation
        self._num_open: Tensor | None = None

    takes_sparse_features = True

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Class scores of every node; `x` is dense or torch.sparse_csr."""
        settings = self.settings
        hidden: Any = x
        if x.layout == torch.sparse_csr and x.device.type == "cpu":
            hidden = SparseFeatures.of(x)
        dropped = drop(hidden, settings["dropout"], self.training)
        gates = self._gates(dropped, edge_index)
        for layer in self.layers[:-1]:
            sums = layer(dropped, edge_index, edge_weight=gates)
            hidden = elu(add_skip(sums, hidden) if settings["skip"] else sums)
            dropped = drop(hidden, settings["dropout"], self.training)
        out: Tensor = self.layers[-1](dropped, edge_index, edge_weight=gates)
        return out

    def penalty(self) -> Tensor:
        """`l0_weight` x the expected number of open gates in the last training forward."""
        if self._num_open is None:
            raise InputError("penalty() is of the last forward in training, but there was none")
        weighted: Tensor = self.settings["l0_weight"] * self._num_open
        return weighted

    @property
    def _projection(self) -> Tensor:
        weight: Tensor = cast(GATConv, self.layers[0]).lin.weight
        return weight

    def _gates(self, x: Tensor | SparseFeatures, edge_index: Tensor) -> Tensor:
        log_alpha = self._log_alpha(x, edge_index)
        between = edge_index[0] != edge_index[1]  # layers leave out stored loops
        if self.training:
            self._num_open = open_probability(log_alpha[between]).sum()
            return draw_gates(log_alpha)
        gates = fixed_gates(log_alpha)
        self.share_kept = float((gates[between] > 0).float().mean()) if between.any() else None
        return gates

    def _log_alpha(self, x: Tensor | SparseFeatures, edge_index: Tensor) -> Tensor:
        num_arcs = self.settings["num_arcs"]
        if num_arcs is None:
            # Both ends' scores from one small matrix: the projection itself is the layer's.
            score = project(x, self.ends.weight @ self._projection).squeeze(1)
            summed: Tensor = score[edge_index[0], 0] + score[edge_index[1], 1] + self.bias
            return summed
        if edge_index.size(1) != num_arcs:
            raise InputError(
                f"edge_index has {edge_index.size(1)} arcs, but the gates were made for "
                f"num_arcs={num_arcs}; leave num_arcs out for gates on any graph"
            )
        return self.log_alpha


def _layer(
    in_channels: int, channels: int, heads: int, dropout: float, *, concat: bool = True
) -> GATConv:
    """A layer whose scores are all 0, so that the gates alone decide the coefficients."""
    layer: GATConv = GATConv(in_channels, channels, heads, concat=concat, dropout=dropout)
    for attention in (layer.att_src, layer.att_dst):
        attention.requires_grad_(False).zero_()
    return layer
