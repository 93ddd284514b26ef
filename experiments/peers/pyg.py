"""The paper's two-layer GAT by PyG, and the two attentions that PyG lacks as plain messages."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import Parameter
from torch.nn.functional import dropout, elu, leaky_relu, normalize
from torch_geometric.nn import GATConv, MessagePassing
from torch_geometric.nn.dense.linear import Linear
from torch_geometric.utils import add_self_loops, remove_self_loops, softmax


class TwoLayerGAT(nn.Module):
    """`add_loops=False` is for an edge_index that has them: what torch.compile likes best."""

    def __init__(
        self, in_channels: int, num_classes: int, p: float = 0.6, add_loops: bool = True
    ) -> None:
        super().__init__()
        self.p = p
        options = {"dropout": p, "add_self_loops": add_loops}
        self.first = GATConv(in_channels, 8, heads=8, **options)
        self.second = GATConv(64, num_classes, heads=1, concat=False, **options)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = dropout(x, self.p, self.training)
        x = elu(self.first(x, edge_index))
        x = dropout(x, self.p, self.training)
        return torch.as_tensor(self.second(x, edge_index))


def with_loops(edge_index: Tensor, num_nodes: int) -> Tensor:
    """The arcs with exactly one loop per node."""
    looped, _ = add_self_loops(remove_self_loops(edge_index)[0], num_nodes=num_nodes)
    return torch.as_tensor(looped)


class DotMessages(MessagePassing):  # type: ignore[misc]
    """Attention by <query_i, key_j>, one message per arc; parameters named as fastgat's."""

    def __init__(self, in_channels: int, channels: int, heads: int, p: float) -> None:
        super().__init__(aggr="add", node_dim=0)
        self.heads, self.p = heads, p
        self.lin = Linear(in_channels, heads * channels, bias=False, weight_initializer="glorot")
        self.bias = Parameter(torch.zeros(heads * channels))

    def query_and_key(self, x: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Rows per node and head whose dot products are the scores."""
        raise NotImplementedError

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        edge_index = with_loops(edge_index, x.size(0))
        value = self.lin(x).view(x.size(0), self.heads, -1)
        query, key = self.query_and_key(x, value)
        out = self.propagate(edge_index, query=query, key=key, value=value)
        return torch.as_tensor(out.flatten(1) + self.bias)

    def message(
        self,
        query_i: Tensor,
        key_j: Tensor,
        value_j: Tensor,
        index: Tensor,
        ptr: Tensor | None,
        size_i: int | None,
    ) -> Tensor:
        alpha = softmax((query_i * key_j).sum(-1), index, ptr, size_i)
        alpha = dropout(alpha, self.p, self.training)
        return value_j * alpha.unsqueeze(-1)


class CosineMessages(DotMessages):
    """beta * cos(value_i, value_j): what fastgat.nn.CosineConv computes."""

    def __init__(self, in_channels: int, channels: int, heads: int, p: float) -> None:
        super().__init__(in_channels, channels, heads, p)
        self.beta = Parameter(torch.ones(1))

    def query_and_key(self, x: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        unit = normalize(value, dim=-1)
        return self.beta * unit, unit


class GaANMessages(DotMessages):
    """<FC(x_i), FC(x_j)>, equation 10: what fastgat.nn.GaANConv computes."""

    def __init__(self, in_channels: int, channels: int, heads: int, p: float) -> None:
        super().__init__(in_channels, channels, heads, p)
        self.fc_src = TwoLayersPerHead(in_channels, channels, heads)
        self.fc_dst = TwoLayersPerHead(in_channels, channels, heads)

    def query_and_key(self, x: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return self.fc_src(x), self.fc_dst(x)


class TwoLayersPerHead(nn.Module):
    """A hidden layer of all heads, LeakyReLU, and a linear layer for each head."""

    def __init__(self, in_channels: int, channels: int, heads: int) -> None:
        super().__init__()
        self.hidden = Linear(in_channels, heads * channels)
        self.weight = Parameter(torch.empty(heads, channels, channels))
        self.bias = Parameter(torch.empty(heads, channels))

    def forward(self, x: Tensor) -> Tensor:
        hidden = leaky_relu(self.hidden(x), 0.1).view(x.size(0), *self.bias.shape)
        return torch.einsum("nhc,hdc->nhd", hidden, self.weight) + self.bias
