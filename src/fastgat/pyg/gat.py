"""The network of `fastgat.nn.FastGAT` in PyG's own layers: the peer of comparisons."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import dropout as drop
from torch.nn.functional import elu
from torch_geometric import nn as pyg

from fastgat.check import InputError, check_between, check_choice, check_count

ATTENTIONS = {"gat": pyg.GATConv, "gatv2": pyg.GATv2Conv}


class PyGGAT(torch.nn.Module):
    """GAT of PyG's layers, torch's dropout and ELU; its state dict is FastGAT's.

    Args:
        in_channels: of the features; -1 takes the number from the first input.
        hidden_channels: of every head of a hidden layer.
        out_channels: classes.
        heads: of hidden layers.
        out_heads: of the last layer.
        num_layers: the last one included.
        dropout: of the inputs of layers and of attention.
        attention: "gat" or "gatv2".
        skip: add a hidden layer's input to its output where both have the same width.

    >>> from fastgat.nn import FastGAT
    >>> model = PyGGAT(3, 4, 2, heads=2)
    >>> FastGAT(3, 4, 2, heads=2).load_state_dict(model.state_dict())
    <All keys matched successfully>
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
        self.dropout = check_between("dropout", dropout, 0, 1, closed=True)
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

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Any = None) -> Tensor:
        """Class scores of every node.

        Args:
            x: a dense row of features for every node.
            edge_index: arcs from its first row to its second.
            edge_weight: refused; only there since FastGAT has it.
        """
        if edge_weight is not None:
            raise InputError(
                "edge_weight has no place in PyG's attention; leave it out, or use FastGAT"
            )
        for name, value in {"x": x, "edge_index": edge_index}.items():
            if not isinstance(value, Tensor) or value.layout != torch.strided:
                raise InputError(
                    f"{name} must be a dense tensor; FastGAT takes other kinds as well"
                )
        for layer in self.layers[:-1]:
            sums = layer(drop(x, self.dropout, self.training), edge_index)
            x = elu(sums + x if self.skip and sums.shape == x.shape else sums)
        out: Tensor = self.layers[-1](drop(x, self.dropout, self.training), edge_index)
        return out
