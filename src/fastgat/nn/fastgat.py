"""The FastGAT network: attention layers over a graph, or over fresh draws of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

import torch
from torch import Tensor
from torch.nn.functional import elu

from fastgat.check import InputError, check_between, check_choice, check_count
from fastgat.nn.arcs import SortedArcs
from fastgat.nn.conv import AttentionConv
from fastgat.nn.cosine_conv import CosineConv
from fastgat.nn.dropout import dropout, elu_dropout
from fastgat.nn.gaan_conv import GaANConv
from fastgat.nn.gat_conv import GATConv
from fastgat.nn.gatv2_conv import GATv2Conv
from fastgat.nn.projection import Features, check_features, project
from fastgat.nn.sparse_features import SparseFeatures
from fastgat.sparsify import PreparedSparsifier

Resample = Literal["const", "layer", "head"]

ATTENTIONS = {"gat": GATConv, "gatv2": GATv2Conv, "cosine": CosineConv, "gaan": GaANConv}


class FastGAT(torch.nn.Module):
    """Attention layers with ELU and dropout between them; the last one gives class scores.

    Hidden layers concatenate `heads` heads of `hidden_channels`, the last averages `out_heads`.
    With `resample="const"` every layer works on the graph that `forward` is given. With `"layer"`
    or `"head"` (Algorithm 1 of the paper) it does so only in evaluation: while training, `sampler`
    draws a fresh sparse graph for every layer, or for every head of every layer, in each call.

    Args:
        in_channels: of the features; -1 takes the number from the first input.
        hidden_channels: of every head of a hidden layer.
        out_channels: classes.
        heads: of hidden layers.
        out_heads: of the last layer.
        num_layers: the last one included.
        dropout: of the inputs of layers and of attention.
        attention: "gat", "gatv2", "cosine" or "gaan".
        sampler: a prepared sparsifier, which draws the graphs.
        resample: "const", "layer" or "head".
        skip: add a hidden layer's input to its output where both have the same width.

    >>> from fastgat.graph import gallery
    >>> graph = gallery.complete(5)
    >>> model = FastGAT(3, 4, 2, heads=2)
    >>> model(torch.ones(5, 3), SortedArcs.from_graph(graph)).shape
    torch.Size([5, 2])
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
        attention: str = "gat",
        sampler: PreparedSparsifier | None = None,
        resample: Resample = "const",
        *,
        skip: bool = False,
    ) -> None:
        """Make the layers and draw their parameters."""
        super().__init__()
        counts = {"hidden_channels": hidden_channels, "out_channels": out_channels}
        counts |= {"heads": heads, "out_heads": out_heads, "num_layers": num_layers}
        for name, value in counts.items():
            check_count(name, value, 1)
        check_count("in_channels", in_channels, -1)  # PyG's -1: known at the first call
        check_choice("attention", attention, tuple(ATTENTIONS))
        check_choice("resample", resample, ("const", "layer", "head"))
        self.dropout = check_between("dropout", dropout, 0, 1, closed=True)
        self.settings: dict[str, Any] = {  # with which an equal network can be made again
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "out_channels": out_channels,
            "heads": heads,
            "out_heads": out_heads,
            "num_layers": num_layers,
            "dropout": dropout,
            "attention": attention,
            "resample": resample,
            "skip": skip,
        }
        self.sampler = sampler
        self.resample = resample
        self.skip = skip
        layer = ATTENTIONS[attention]
        widths = [in_channels, *[heads * hidden_channels] * (num_layers - 1)]
        hidden = [layer(width, hidden_channels, heads, dropout=dropout) for width in widths[:-1]]
        last = layer(widths[-1], out_channels, out_heads, concat=False, dropout=dropout)
        self.layers = torch.nn.ModuleList([*hidden, last])

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    def forward(
        self,
        x: Features,
        edge_index: Any = None,
        edge_weight: Any = None,
        *,
        sampler: PreparedSparsifier | None = None,
    ) -> Tensor:
        """Class scores of every node.

        Args:
            x: features of the nodes, dense or torch.sparse_csr.
            edge_index: the graph, as in GATConv; may be left out where graphs are drawn.
            edge_weight: a prior on the arcs of `edge_index`, not on those of draws.
            sampler: draws graphs in this call in place of the constructor's.
        """
        drawn_by = self.sampler if sampler is None else sampler
        graphs = self._graphs(edge_index, drawn_by, check_features("x", x).device)
        weight = None if self._draws() else edge_weight
        hidden: Any = x
        if isinstance(x, Tensor) and x.layout == torch.sparse_csr and x.device.type == "cpu":
            hidden = SparseFeatures.of(x)
        dropped = dropout(hidden, self.dropout, self.training)
        for layer, graph in zip(self.layers[:-1], graphs[:-1], strict=True):
            sums = layer(dropped, graph, edge_weight=weight)
            if self.skip:
                hidden = elu(add_skip(sums, hidden))
                dropped = dropout(hidden, self.dropout, self.training)
            else:
                dropped = elu_dropout(sums, self.dropout, self.training)
        out: Tensor = self.layers[-1](dropped, graphs[-1], edge_weight=weight)
        return out

    def _draws(self) -> bool:
        return self.training and self.resample != "const"

    def _graphs(
        self, edge_index: Any, sampler: PreparedSparsifier | None, device: torch.device
    ) -> Sequence[Any]:
        """One graph per layer, or a list of one per head; those drawn are put on `device`."""
        if not self._draws():
            if edge_index is None:
                raise InputError("edge_index=None: a graph is needed where none is drawn")
            return [edge_index] * len(self.layers)
        if sampler is None:
            raise InputError(
                f'resample="{self.resample}" draws graphs while training, but sampler=None; '
                "give a prepared sparsifier"
            )
        heads = [cast(AttentionConv, layer).heads for layer in self.layers]
        count = heads if self.resample == "head" else [1] * len(heads)
        seeds = iter(torch.randint(2**62, (sum(count),)).tolist())
        drawn = [
            [SortedArcs.from_draw(sampler, next(seeds)).to(device) for _ in range(number)]
            for number in count
        ]
        return [graphs if len(graphs) > 1 else graphs[0] for graphs in drawn]


def add_skip(sums: Tensor, below: Features) -> Tensor:
    """`sums + below`, or `sums` alone where the shapes differ.

    >>> add_skip(torch.ones(2, 2), torch.eye(2).to_sparse_csr()).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    if sums.shape != below.shape:
        return sums
    if isinstance(below, Tensor) and below.layout == torch.strided:
        return sums + below
    one = torch.eye(below.shape[1], dtype=sums.dtype, device=sums.device)
    return sums + project(below, one).squeeze(1)
