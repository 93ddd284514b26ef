"""GAT: the scores of source and target are added."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any, ClassVar

from torch import Tensor
from torch_geometric import nn as pyg
from torch_geometric.typing import OptPairTensor, OptTensor, SparseTensor

from fastgat.nn.attention import AdditiveScores
from fastgat.nn.conv import AttentionConv, in_full_precision
from fastgat.nn.edge_index import EdgeIndexLike
from fastgat.nn.projection import Features, apply_linear, apply_score


class GATConv(AttentionConv, pyg.GATConv):  # type: ignore[misc]
    """`torch_geometric.nn.GATConv` that stores nothing per arc: same options, same checkpoints.

    Beyond what PyG takes, `x` may be a torch.sparse_csr matrix, and `edge_index` SortedArcs
    or a list with one graph per head; `edge_weight` is a prior w >= 0 per arc: attention is
    proportional to w exp(score), so 1 changes nothing and 2 counts an arc twice.

    >>> import torch
    >>> layer = GATConv(3, 4, heads=2)
    >>> layer(torch.ones(2, 3), torch.tensor([[0], [1]])).shape
    torch.Size([2, 8])
    """

    # Said here because PyG looks for it in the source of one class per name, which is this one.
    propagate_type: ClassVar = {"x": OptPairTensor, "alpha": Tensor}
    edge_updater_type: ClassVar = {"alpha": OptPairTensor, "edge_attr": OptTensor}

    @wraps(pyg.GATConv.__init__)  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the layer with the arguments of PyG's."""
        super().__init__(*args, **kwargs)
        self.check_options()

    @in_full_precision
    def forward(
        self,
        x: Features | tuple[Features, Features | None],
        edge_index: EdgeIndexLike,
        edge_attr: Tensor | None = None,
        size: tuple[int, int] | None = None,
        return_attention_weights: bool | None = None,
        *,
        edge_weight: Any = None,
    ) -> Any:
        """Attend over the arcs; `return_attention_weights` adds (edge_index, coefficients).

        Args:
            x: features, dense, torch.sparse_csr or SparseFeatures; two of them, of sources and of
                targets, for a bipartite graph, the latter or None.
            edge_index: as in PyG, SortedArcs, or a list with one graph per head.
            edge_attr: attributes per arc, for a layer with `edge_dim`.
            size: the numbers of sources and targets, to be checked.
            return_attention_weights: return (out, (edge_index, coefficients)) in place of out, with
                one pair per graph in a list if there are several.
            edge_weight: a prior w >= 0 per arc, which multiplies exp(score); a list of one per head
                where edge_index is one.
        """
        if isinstance(edge_index, SparseTensor) or self.passes_messages(pyg.GATConv):
            x = self.plain_inputs(x, edge_index, edge_weight)
            return super().forward(x, edge_index, edge_attr, size, return_attention_weights)
        x_src, x_dst = self.read_ends(x)
        residual = None
        if self.res is not None and x_dst is not None:
            residual = apply_linear(self.res, x_dst, 1).flatten(1)
        scores = self._scores(x_src, x_dst)
        graphs = self.read_graphs(
            edge_index,
            x_src.shape[0],
            None if x_dst is None else x_dst.shape[0],
            scores.value,
            size=size,
            edge_weight=edge_weight,
            edge_attr=None if self.lin_edge is None else edge_attr,
            fill_value=self.fill_value,
            needs_ids=bool(return_attention_weights),
        )
        if self.lin_edge is not None and graphs[0].attr is not None:
            term = apply_score(self.lin_edge, self.att_edge[0], graphs[0].attr, "edge_attr")
            scores = replace(scores, term=term)
        # One addition less per value, where the sums over arcs are what the bias is added to.
        is_sum = self.concat or self.heads == 1
        has_bias = is_sum and len(graphs) == 1
        if has_bias and self.bias is not None:
            scores = replace(scores, bias=self.bias.reshape(self.heads, -1))
        out, coefficients = self.attend(scores, graphs, return_attention_weights)
        merged = self.merge_heads(out, residual, has_bias=has_bias)
        return self.with_coefficients(merged, graphs, coefficients)

    def _scores(self, x_src: Features, x_dst: Features | None) -> AdditiveScores:
        lin_src = self.lin_src if self.lin is None else self.lin
        lin_dst = self.lin_dst if self.lin is None else self.lin
        value = apply_linear(lin_src, x_src, self.heads, "x[0]" if x_dst is not x_src else "x")
        scores = AdditiveScores(value, self.att_src[0], self.negative_slope)
        if x_dst is None:
            return scores
        if x_dst is x_src and lin_dst is lin_src:
            return replace(scores, att_target=self.att_dst[0])
        return replace(scores, target_score=apply_score(lin_dst, self.att_dst[0], x_dst, "x[1]"))
