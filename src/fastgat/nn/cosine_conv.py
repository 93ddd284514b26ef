"""Cosine attention with a projection and several heads."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from fastgat.nn.attention import DotScores, unit_heads
from fastgat.nn.projected_conv import ProjectedConv
from fastgat.nn.projection import Features


class CosineConv(ProjectedConv):
    """Cosine attention: score = beta cos(z_i, z_j), z = W x per head, beta learnt per layer.

    `x` is dense or torch.sparse_csr; `edge_index` as in PyG, SortedArcs, or one graph per
    head; `edge_weight` is a prior w >= 0 per arc: attention is proportional to w exp(score).

    Args:
        in_channels: of `x`; -1 takes the number from the first input.
        out_channels: of every head.
        heads: how many attentions run side by side.
        concat: concatenate the heads; otherwise they are averaged.
        dropout: the share of coefficients that is set to zero while training.
        add_self_loops: give every node an arc to itself, in place of those stored.
        bias: learn one, added to the result.
        requires_grad: learn beta; otherwise it stays 1.
        kwargs: of PyG's MessagePassing, such as `flow`.

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
        """Make the layer and draw its parameters."""
        super().__init__(
            in_channels, out_channels, heads, concat, dropout, add_self_loops, bias, **kwargs
        )
        self.beta = Parameter(torch.empty(1), requires_grad=requires_grad)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew; beta starts at one."""
        super().reset_parameters()
        torch.nn.init.ones_(self.beta)

    def score_inputs(self, x: Features, value: Tensor) -> DotScores:
        """Unit vectors, the query times beta."""
        unit = unit_heads(value)
        return DotScores(self.beta * unit, unit, value)
