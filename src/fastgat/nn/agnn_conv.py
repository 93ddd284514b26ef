"""AGNN: the score is the cosine between the features themselves, times a learnt factor."""

from __future__ import annotations

from functools import wraps
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch_geometric import nn as pyg
from torch_geometric.typing import SparseTensor

from fastgat.check import InputError
from fastgat.nn.attention import DotScores, unit_heads
from fastgat.nn.conv import AttentionConv, in_full_precision
from fastgat.nn.edge_index import EdgeIndexLike
from fastgat.nn.operator import CORE_DTYPES
from fastgat.nn.projection import check_features, check_float


class AGNNConv(AttentionConv, pyg.AGNNConv):  # type: ignore[misc]
    """`torch_geometric.nn.AGNNConv` that stores nothing per arc: same options, same checkpoints.

    Takes `edge_weight` and SortedArcs as `GATConv` does. See `CosineConv` for the layer with
    a projection and several heads.
    """

    # Said here because PyG looks for it in the source of one class per name, which is this one.
    propagate_type: ClassVar = {"x": Tensor, "x_norm": Tensor}

    heads = 1
    dropout = 0.0

    @wraps(pyg.AGNNConv.__init__)  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the layer with the arguments of PyG's."""
        super().__init__(*args, **kwargs)
        self.check_options()

    @in_full_precision
    def forward(self, x: Tensor, edge_index: EdgeIndexLike, *, edge_weight: Any = None) -> Tensor:
        """Average the features of sources, weighted by attention.

        Args:
            x: dense features.
            edge_index: as in PyG, or SortedArcs.
            edge_weight: a prior w >= 0 per arc, which multiplies exp(score).
        """
        if isinstance(edge_index, SparseTensor) or self.passes_messages(pyg.AGNNConv):
            x = self.plain_inputs(x, edge_index, edge_weight)
            return torch.as_tensor(super().forward(x, edge_index))
        check_features("x", x)
        if not isinstance(x, Tensor) or x.layout != torch.strided:
            raise InputError("x is sparse, but AGNN averages x itself: use x.to_dense()")
        x, beta = self._one_dtype(x)
        check_float("x", x, beta)
        graphs = self.read_graphs(edge_index, x.shape[0], x.shape[0], x, edge_weight=edge_weight)
        unit = unit_heads(x.unsqueeze(1))
        out, _ = self.attend(DotScores(beta * unit, unit, x.unsqueeze(1)), graphs)
        return out.reshape(x.shape)

    def _one_dtype(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Give `x` and beta, one of them widened if the other is double, as in PyG's layer."""
        if {x.dtype, self.beta.dtype} != set(CORE_DTYPES):
            return x, self.beta
        return x.double(), self.beta.double()
