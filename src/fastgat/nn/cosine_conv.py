"""Cosine attention with a projection and several heads."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from fastgat.nn.attention import unit_heads
from fastgat.nn.dot_conv import DotConv
from fastgat.nn.projection import Features


class CosineConv(DotConv):
    """Cosine attention: score = beta cos(z_i, z_j), z = W x per head, beta learnt per layer.

    `x` is dense or torch.sparse_csr; `edge_index` as in PyG, SortedArcs, or one graph per
    head; `edge_weight` is a prior w >= 0 per arc: attention is proportional to w exp(score).

    >>> layer = CosineConv(3, 4, heads=2)
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
        requires_grad: bool = True,
        **kwargs: Any,
    ) -> None:
        """Make the layer; in_channels=-1 takes the number from the first input."""
        super().__init__(
            in_channels, out_channels, heads, concat, dropout, add_self_loops, bias, **kwargs
        )
        self.beta = Parameter(torch.empty(1), requires_grad=requires_grad)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew; beta starts at one."""
        super().reset_parameters()
        torch.nn.init.ones_(self.beta)

    def score_inputs(self, x: Features, value: Tensor) -> tuple[Tensor, Tensor]:
        """Unit vectors, the query times beta."""
        unit = unit_heads(value)
        return self.beta * unit, unit
