"""GaAN: the score is a dot product of two small networks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.nn.functional import leaky_relu
from torch_geometric.nn.dense.linear import Linear
from torch_geometric.nn.inits import glorot, zeros

from fastgat.nn.arcs import Arcs
from fastgat.nn.dot_conv import DotConv
from fastgat.nn.head_gate import HeadGate
from fastgat.nn.pyg_linear import apply_linear


class GaANConv(DotConv):
    """Gated-attention scores: <FC_src(x_i), FC_dst(x_j)> per head, over values z = W x.

    Each FC has two layers, a hidden one of the head's width with LeakyReLU 0.1. This is equation 10
    of the FastGAT paper; `gated=True` adds the gates of the GaAN paper. Arguments as `CosineConv`.

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
        """Make the layer; in_channels=-1 takes the number from the first input."""
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

    def score_inputs(self, x: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Run both networks on the features."""
        return self.fc_src(x), self.fc_dst(x)

    def finish(self, out: Tensor, x: Tensor, graphs: list[Arcs]) -> Tensor:
        """Let each node weigh its heads, if gated."""
        return out if self.gate is None else self.gate(x, graphs).unsqueeze(-1) * out


class PerHeadNetwork(torch.nn.Module):
    """Two layers with LeakyReLU 0.1 between, of `channels` units each, for every head its own."""

    def __init__(self, in_channels: int, channels: int, heads: int) -> None:
        """Make the network; its layer draws the parameters."""
        super().__init__()
        self.heads = heads
        self.hidden = Linear(in_channels, heads * channels, weight_initializer="glorot")
        self.weight = Parameter(torch.empty(heads, channels, channels))
        self.bias = Parameter(torch.empty(heads, channels))

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        self.hidden.reset_parameters()
        glorot(self.weight)
        zeros(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Give (nodes, heads, channels)."""
        # Heads innermost throughout, as the first layer leaves them and attention reads them; one
        # product with a matrix that couples no two heads is sooner done than one per head.
        first = apply_linear(self.hidden, x, self.heads).transpose(1, 2)
        heads, channels = self.bias.shape
        width = heads * channels
        hidden = leaky_relu(first.reshape(x.size(0), width), 0.1)
        apart = torch.diag_embed(self.weight.permute(2, 1, 0)).transpose(1, 2)
        out = torch.addmm(self.bias.t().reshape(-1), hidden, apart.reshape(width, width))
        return out.reshape(x.size(0), channels, heads).transpose(1, 2)
