"""GATv2: the nonlinearity comes before the score, so every target can rank its sources anew."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch_geometric import nn as pyg
from torch_geometric.typing import OptTensor, PairTensor, SparseTensor

from fastgat.check import InputError
from fastgat.nn.attention import GATv2Scores
from fastgat.nn.conv import AttentionConv, in_full_precision
from fastgat.nn.edge_index import EdgeIndexLike
from fastgat.nn.projection import Features, apply_linear, check_channels, is_plain


class GATv2Conv(AttentionConv, pyg.GATv2Conv):  # type: ignore[misc]
    """`torch_geometric.nn.GATv2Conv` that stores nothing per arc: same options, same checkpoints.

    Takes `edge_weight`, sparse `x`, SortedArcs and one graph per head as `GATConv` does.
    """

    # Said here because PyG looks for it in the source of one class per name, which is this one.
    propagate_type: ClassVar = {"x": PairTensor, "alpha": Tensor}
    edge_updater_type: ClassVar = {"x": PairTensor, "edge_attr": OptTensor}

    @wraps(pyg.GATv2Conv.__init__)  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the layer with the arguments of PyG's."""
        super().__init__(*args, **kwargs)
        self.check_options()

    @in_full_precision
    def forward(
        self,
        x: Features | tuple[Features, Features],
        edge_index: EdgeIndexLike,
        edge_attr: Tensor | None = None,
        return_attention_weights: bool | None = None,
        *,
        edge_weight: Any = None,
    ) -> Any:
        """Attend over the arcs; `return_attention_weights` adds (edge_index, coefficients).

        Args:
            x: features, dense, torch.sparse_csr or SparseFeatures; two of them, of sources and of
                targets, for a bipartite graph.
            edge_index: as in PyG, SortedArcs, or a list with one graph per head.
            edge_attr: attributes per arc, for a layer with `edge_dim`.
            return_attention_weights: return (out, (edge_index, coefficients)) in place of out, with
                one pair per graph in a list if there are several.
            edge_weight: a prior w >= 0 per arc, which multiplies exp(score); a list of one per head
                where edge_index is one.
        """
        if isinstance(edge_index, SparseTensor) or self.passes_messages(pyg.GATv2Conv):
            x = self.plain_inputs(x, edge_index, edge_weight)
            return super().forward(x, edge_index, edge_attr, return_attention_weights)
        x_l, x_r = self.read_ends(x)
        if x_r is None:
            raise InputError("x[1] is None, but GATv2 scores targets too; give their features")
        residual = None
        if self.res is not None:
            residual = apply_linear(self.res, x_r, 1).flatten(1)
        source = target = apply_linear(
            self.lin_l, x_l, self.heads, "x[0]" if x_l is not x_r else "x"
        )
        if not (x_l is x_r and self.share_weights):
            target = apply_linear(self.lin_r, x_r, self.heads, "x[1]")
        scores = GATv2Scores(source, target, self.att[0], self.negative_slope)
        graphs = self.read_graphs(
            edge_index,
            x_l.shape[0],
            x_r.shape[0],
            source,
            edge_weight=edge_weight,
            edge_attr=edge_attr,
            fill_value=self.fill_value,
            needs_ids=bool(return_attention_weights),
        )
        if graphs[0].attr is not None:
            scores = self._with_edges(scores, graphs[0].attr)
        out, coefficients = self.attend(scores, graphs, return_attention_weights)
        return self.with_coefficients(self.merge_heads(out, residual), graphs, coefficients)

    def _with_edges(self, scores: GATv2Scores, attr: Tensor) -> GATv2Scores:
        if self.lin_edge is None:
            raise InputError("edge_attr is given, but edge_dim=None; make the layer with edge_dim=")
        if is_plain(self.lin_edge, attr):
            check_channels("edge_attr", attr, self.lin_edge.weight)
            if attr.size(1) == 0:
                return scores
            return replace(scores, edge_attr=attr, edge_projection=self.lin_edge.weight)
        projected = self.lin_edge(attr)
        identity = torch.eye(projected.size(1), dtype=projected.dtype, device=projected.device)
        return replace(scores, edge_attr=projected, edge_projection=identity)
