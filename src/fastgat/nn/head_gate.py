"""The gates of GaAN: each node decides how much each head counts."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch_geometric.nn.dense.linear import Linear

from fastgat.nn.arcs import Arcs
from fastgat.nn.attention import dot_attention
from fastgat.nn.pyg_linear import apply_linear


class HeadGate(torch.nn.Module):
    """g_i = sigmoid(W_own x_i + W_max max_j(M x_j) + W_mean mean_j x_j), one number per head.

    Maximum and mean run over the sources of i; a node without any gets zeros for both.
    """

    def __init__(self, in_channels: int, pooled_channels: int, heads: int) -> None:
        """Make the gate; its layer draws the parameters."""
        super().__init__()
        self.heads = heads
        self.own = Linear(in_channels, heads, weight_initializer="glorot")
        self.pool = Linear(in_channels, pooled_channels, weight_initializer="glorot")
        self.of_max = Linear(pooled_channels, heads, bias=False, weight_initializer="glorot")
        self.of_mean = Linear(in_channels, heads, bias=False, weight_initializer="glorot")

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        for linear in (self.own, self.pool, self.of_max, self.of_mean):
            linear.reset_parameters()

    def forward(self, x: Tensor, graphs: list[Arcs]) -> Tensor:
        """Give (nodes, heads), each head's part from its own graph if there are several."""
        own = apply_linear(self.own, x, self.heads)
        pooled = apply_linear(self.pool, x, 1).squeeze(1)
        of_mean = apply_linear(self.of_mean, x, self.heads)  # the mean of these = W_mean mean
        parts = []
        for head, arcs in enumerate(graphs):
            some = slice(None) if len(graphs) == 1 else slice(head, head + 1)
            even = torch.zeros_like(of_mean[:, some])  # equal scores: attention is the mean
            mean = dot_attention(even, even, of_mean[:, some], arcs.edges, weight=arcs.weight)
            largest = self.of_max(_largest(pooled, arcs)).unsqueeze(-1)
            parts.append(own[:, some] + largest[:, some] + mean)
        return torch.cat(parts, dim=1).squeeze(-1).sigmoid()


def _largest(pooled: Tensor, arcs: Arcs) -> Tensor:
    """max_j pooled_j over the arcs j -> i that count; zero where there are none."""
    source, target = arcs.edges.arc_index()
    values = pooled[source]
    if arcs.weight is not None:
        values = values.masked_fill((arcs.weight == 0).unsqueeze(-1), -math.inf)
    floor = pooled.new_full((arcs.edges.num_targets, pooled.size(1)), -math.inf)
    largest = floor.scatter_reduce(0, target.unsqueeze(-1).expand_as(values), values, "amax")
    return largest.masked_fill(largest == -math.inf, 0.0)
