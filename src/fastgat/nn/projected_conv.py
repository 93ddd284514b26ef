"""Layers that are not PyG's: projected features, several heads, any score."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch_geometric.nn.inits import zeros

from fastgat.check import InputError, check_count
from fastgat.nn.attention import Scores
from fastgat.nn.conv import AttentionConv, in_full_precision
from fastgat.nn.edge_index import EdgeIndexLike, LayerArcs
from fastgat.nn.projection import Features, LayerLinear, apply_linear, check_features


class ProjectedConv(AttentionConv):
    """Base for layers of your own: values z = W x per head; a variant says what its scores are.

    >>> from fastgat.nn.attention import DotScores
    >>> class DotConv(ProjectedConv):
    ...     def score_inputs(self, x, value):
    ...         return DotScores(value, value, value)
    >>> layer = DotConv(3, 4, heads=2)
    >>> layer.reset_parameters()
    >>> layer(torch.ones(2, 3), torch.tensor([[0], [1]])).shape
    torch.Size([2, 8])

    Args:
        in_channels: of `x`; -1 takes the number from the first input.
        out_channels: of every head.
        heads: how many attentions run side by side.
        concat: concatenate the heads; otherwise they are averaged.
        dropout: the share of coefficients that is set to zero while training.
        add_self_loops: give every node an arc to itself, in place of those stored.
        bias: learn one, added to the result.
        kwargs: of PyG's MessagePassing, such as `flow`.
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
        **kwargs: Any,
    ) -> None:
        """Make the layer; a variant draws the parameters."""
        super().__init__(node_dim=0, **kwargs)
        self.in_channels = check_count("in_channels", in_channels, -1)
        self.out_channels = check_count("out_channels", out_channels, 1)
        self.heads = check_count("heads", heads, 1)
        self.concat = concat
        self.dropout = dropout
        self.add_self_loops = add_self_loops
        self.check_options()
        self.lin = LayerLinear(
            in_channels, heads * out_channels, False, weight_initializer="glorot"
        )
        size = out_channels * (heads if concat else 1)
        self.register_parameter("bias", Parameter(torch.empty(size)) if bias else None)

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        super().reset_parameters()
        self.lin.reset_parameters()
        zeros(self.bias)

    def score_inputs(self, x: Features, value: Tensor) -> Scores:
        """The scores of a call, from features and their projection, (nodes, heads, channels)."""
        raise NotImplementedError

    @in_full_precision
    def forward(
        self,
        x: Features,
        edge_index: EdgeIndexLike,
        return_attention_weights: bool | None = None,
        *,
        edge_weight: Any = None,
    ) -> Any:
        """Attend over the arcs; `return_attention_weights` adds (edge_index, coefficients).

        Args:
            x: features, dense, torch.sparse_csr or SparseFeatures.
            edge_index: as in PyG, SortedArcs, or a list with one graph per head.
            return_attention_weights: return (out, (edge_index, coefficients)) in place of out, with
                one pair per graph in a list if there are several.
            edge_weight: a prior w >= 0 per arc, which multiplies exp(score); a list of one per head
                where edge_index is one.
        """
        x = check_features("x", x)
        value = apply_linear(self.lin, x, self.heads)
        scores = self.score_inputs(x, value)
        watched = self.passes_messages(ProjectedConv)
        one_by_one = bool(return_attention_weights) or watched
        graphs = self.read_graphs(
            edge_index,
            x.shape[0],
            x.shape[0],
            value,
            edge_weight=edge_weight,
            needs_ids=one_by_one,
        )
        out, coefficients = self.attend(scores, graphs, one_by_one)
        if watched:
            out = self.pass_messages(value, graphs, coefficients)
        out = self.merge_heads(self.finish(out, x, graphs))
        return self.with_coefficients(out, graphs, coefficients if return_attention_weights else [])

    def finish(self, out: Tensor, x: Features, graphs: list[LayerArcs]) -> Tensor:
        """Change the sums, (nodes, heads, channels), before heads are merged."""
        return out

    def pass_messages(
        self, value: Tensor, graphs: list[LayerArcs], coefficients: list[Tensor]
    ) -> Tensor:
        """Sum message by message, for explainers and hooks."""
        if len(graphs) > 1:
            raise InputError(
                "edge_index lists a graph per head, but an explainer or hook looks at the messages "
                "of one graph; give one edge_index"
            )
        index, alpha = torch.stack(graphs[0].arcs.arc_index()), coefficients[0]
        # propagate_type: (x: Tensor, alpha: Tensor)
        out: Tensor = self.propagate(index.flip(0) if self.reverse else index, x=value, alpha=alpha)
        return out

    def message(self, x_j: Tensor, alpha: Tensor) -> Tensor:
        """Give one arc's share of the sum: what explainers and hooks look at."""
        return alpha.unsqueeze(-1) * x_j

    def __repr__(self) -> str:
        """Show channels and heads, as PyG's layers do."""
        name = type(self).__name__
        return f"{name}({self.in_channels}, {self.out_channels}, heads={self.heads})"
