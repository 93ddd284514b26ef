"""GaAN: the score is a dot product of two small networks; gates weigh the heads, if asked for."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.nn.functional import leaky_relu
from torch_geometric.nn.inits import glorot, zeros

from fastgat.nn.attention import DotScores
from fastgat.nn.attention.reference import max_per_target
from fastgat.nn.edge_index import LayerArcs
from fastgat.nn.projected_conv import ProjectedConv
from fastgat.nn.projection import Features, LayerLinear, apply_linear


class GaANConv(ProjectedConv):
    """Gated-attention scores: <FC_src(x_i), FC_dst(x_j)> per head, over values z = W x.

    Each FC has two layers, a hidden one of the head's width with LeakyReLU 0.1. This is equation 10
    of the FastGAT paper; `gated=True` adds the gates of the GaAN paper.

    Args:
        in_channels: of `x`; -1 takes the number from the first input.
        out_channels: of every head.
        heads: how many attentions run side by side.
        concat: concatenate the heads; otherwise they are averaged.
        dropout: the share of coefficients that is set to zero while training.
        add_self_loops: give every node an arc to itself, in place of those stored.
        bias: learn one, added to the result.
        gated: multiply every head of every node by a learnt gate.
        kwargs: of PyG's MessagePassing, such as `flow`.

    >>> layer = GaANConv(3, 4, heads=2)
    >>> layer(torch.ones(2, 3), torch.tensor([[0], [1]])).shape
    torch.Size([2, 8])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        bias: bool = True,
        gated: bool = False,
        **kwargs: Any,
    ) -> None:
        """Make the layer and draw its parameters."""
        super().__init__(
            in_channels, out_channels, heads, concat, dropout, add_self_loops, bias, **kwargs
        )
        self.fc_src = PerHeadNetwork(in_channels, out_channels, heads)
        self.fc_dst = PerHeadNetwork(in_channels, out_channels, heads)
        self.gate = HeadGate(in_channels, out_channels, heads) if gated else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        super().reset_parameters()
        self.fc_src.reset_parameters()
        self.fc_dst.reset_parameters()
        if self.gate is not None:
            self.gate.reset_parameters()

    def score_inputs(self, x: Features, value: Tensor) -> DotScores:
        """Run both networks on the features."""
        return DotScores(self.fc_src(x), self.fc_dst(x), value)

    def finish(self, out: Tensor, x: Features, graphs: list[LayerArcs]) -> Tensor:
        """Let each node weigh its heads, if gated."""
        return out if self.gate is None else self.gate(x, graphs).unsqueeze(-1) * out


class PerHeadNetwork(torch.nn.Module):
    """Two layers with LeakyReLU 0.1 between, of `channels` units each, for every head its own."""

    def __init__(self, in_channels: int, channels: int, heads: int) -> None:
        """Make the network; its layer draws the parameters."""
        super().__init__()
        self.heads = heads
        self.hidden = LayerLinear(in_channels, heads * channels, weight_initializer="glorot")
        self.weight = Parameter(torch.empty(heads, channels, channels))
        self.bias = Parameter(torch.empty(heads, channels))

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        self.hidden.reset_parameters()
        glorot(self.weight)
        zeros(self.bias)

    def forward(self, x: Features) -> Tensor:
        """Give (nodes, heads, channels)."""
        # Heads innermost throughout, as the first layer leaves them and attention reads them; one
        # product with a matrix that couples no two heads is sooner done than one per head.
        first = apply_linear(self.hidden, x, self.heads).transpose(1, 2)
        heads, channels = self.bias.shape
        width = heads * channels
        hidden = leaky_relu(first.reshape(x.shape[0], width), 0.1)
        apart = torch.diag_embed(self.weight.permute(2, 1, 0)).transpose(1, 2)
        out = torch.addmm(self.bias.t().reshape(-1), hidden, apart.reshape(width, width))
        return out.reshape(x.shape[0], channels, heads).transpose(1, 2)


class HeadGate(torch.nn.Module):
    """g_i = sigmoid(W_own x_i + W_max max_j(M x_j) + W_mean mean_j x_j), one number per head.

    Maximum and mean run over the sources of i; a node without any gets zeros for both.
    """

    def __init__(self, in_channels: int, pooled_channels: int, heads: int) -> None:
        """Make the gate; its layer draws the parameters."""
        super().__init__()
        self.heads = heads
        self.own = LayerLinear(in_channels, heads, weight_initializer="glorot")
        self.pool = LayerLinear(in_channels, pooled_channels, weight_initializer="glorot")
        self.of_max = LayerLinear(pooled_channels, heads, bias=False, weight_initializer="glorot")
        self.of_mean = LayerLinear(in_channels, heads, bias=False, weight_initializer="glorot")

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        for linear in (self.own, self.pool, self.of_max, self.of_mean):
            linear.reset_parameters()

    def forward(self, x: Features, graphs: list[LayerArcs]) -> Tensor:
        """Give (nodes, heads), each head's part from its own graph if there are several."""
        own = apply_linear(self.own, x, self.heads)
        pooled = apply_linear(self.pool, x, 1).squeeze(1)
        of_mean = apply_linear(self.of_mean, x, self.heads)  # the mean of these = W_mean mean
        parts = []
        for head, graph in enumerate(graphs):
            some = slice(None) if len(graphs) == 1 else slice(head, head + 1)
            even = torch.zeros_like(of_mean[:, some])  # equal scores: attention is the mean
            scores = DotScores(even, even, of_mean[:, some])
            mean = scores.attend(graph.arcs, weight=graph.weight)
            largest = self.of_max(_max_of_sources(pooled, graph)).unsqueeze(-1)
            parts.append(own[:, some] + largest[:, some] + mean)
        return torch.cat(parts, dim=1).squeeze(-1).sigmoid()


def _max_of_sources(pooled: Tensor, graph: LayerArcs) -> Tensor:
    """max_j pooled_j over the arcs j -> i that count; zero where there are none."""
    source, target = graph.arcs.arc_index()
    # Not pooled[source]: the gradient of that depends on the number of threads.
    values = pooled.index_select(0, source)
    if graph.weight is not None:
        values = values.masked_fill((graph.weight == 0).unsqueeze(-1), -math.inf)
    return max_per_target(values, target, graph.arcs.num_targets)
