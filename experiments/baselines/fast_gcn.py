"""FastGCN: a GCN trained on batches of nodes and a few sampled nodes per layer."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize, relu

from experiments.baselines.last_value_cache import LastValueCache
from experiments.baselines.neighbour_lists import NeighbourLists
from fastgat.check import check_between, check_count
from fastgat.nn import Linear
from fastgat.nn.dropout import dropout as drop
from fastgat.nn.sparse_features import csr_tensor


@dataclass(frozen=True, eq=False)
class NormalisedAdjacency:
    """D^-1/2 (A + I) D^-1/2, and the probability by which its columns are sampled."""

    lists: NeighbourLists
    weight: Tensor  # of every arc
    probability: Tensor  # of every node: proportional to its column's squared norm

    @classmethod
    def of(cls, edge_index: Tensor, num_nodes: int) -> NormalisedAdjacency:
        """The adjacency of a graph; loops that are stored are replaced by one per node."""
        loops = torch.arange(num_nodes, device=edge_index.device).expand(2, -1)
        between = edge_index[:, edge_index[0] != edge_index[1]]
        lists = NeighbourLists.of(torch.cat([between, loops], dim=1), num_nodes)
        scale = lists.degree.float().rsqrt()
        weight = scale[lists.source] * scale[lists.targets()]
        norm = torch.zeros(num_nodes, device=weight.device)
        norm.index_add_(0, lists.source, weight.square())
        return cls(lists, weight, norm / norm.sum())

    def multiply(self, x: Tensor) -> Tensor:
        """The product with a dense matrix."""
        size = (x.size(0), x.size(0))
        return csr_tensor(self.lists.start, self.lists.source, self.weight, size) @ x

    def sample(self, count: int) -> tuple[Tensor, Tensor]:
        """The distinct nodes of `count` draws, and what each one's column must be multiplied by.

        Drawn with replacement, as in the paper: then times drawn / (count x probability) makes
        the sum over the sample an unbiased estimate of the sum over all nodes.
        """
        draws = torch.multinomial(self.probability, count, replacement=True)
        nodes, times = torch.unique(draws, return_counts=True)
        return nodes, times / (count * self.probability[nodes])

    def block(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Some rows and columns, dense."""
        row, place = self.lists.arcs_into(rows)
        where = torch.full((self.lists.num_nodes,), -1, device=rows.device)
        where[columns] = torch.arange(columns.numel(), device=rows.device)
        column = where[self.lists.source[place]]
        inside = column >= 0
        block = torch.zeros(rows.numel(), columns.numel(), device=rows.device)
        return block.index_put_((row[inside], column[inside]), self.weight[place[inside]], True)


class FastGCN(torch.nn.Module):
    """FastGCN (Chen, Ma, Xiao): every layer's sum over neighbours is estimated from a sample.

    `num_sampled` nodes are drawn per layer. The lowest layer's product of adjacency and features
    is exact and made once, as the paper advises. Evaluation uses all nodes.

    The paper's, with its code where it says nothing: two layers without dropout, of 16 hidden
    channels on citation graphs and 128 on Reddit; batches of 256; Adam with learning rate 0.01,
    200 epochs, patience 30; `l2_weight` x half the first layer's squared weights as `penalty`,
    5e-4 on citation graphs and 1e-4 on Reddit; `scale_features`, rows of features that sum to 1.

    >>> model = FastGCN(3, 4, 2).eval()
    >>> model(torch.ones(3, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        num_sampled: int = 400,
        num_layers: int = 2,
        dropout: float = 0.0,
        batch_size: int = 256,
        l2_weight: float = 5e-4,
        *,
        scale_features: bool = True,
    ) -> None:
        """Make the layers."""
        super().__init__()
        self.settings: dict[str, Any] = {
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "out_channels": out_channels,
            "num_sampled": check_count("num_sampled", num_sampled, 1),
            "num_layers": check_count("num_layers", num_layers, 1),
            "dropout": check_between("dropout", dropout, 0, 1, closed=True),
            "batch_size": check_count("batch_size", batch_size, 1),
            "l2_weight": check_between("l2_weight", l2_weight, 0, math.inf, closed=True),
            "scale_features": scale_features,
        }
        self.batch_size = batch_size
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.layers = torch.nn.ModuleList(
            Linear(below, above, bias=False) for below, above in itertools.pairwise(widths)
        )
        for weight in self.parameters():
            torch.nn.init.xavier_uniform_(weight)
        self._adjacency = LastValueCache(lambda x, edges: NormalisedAdjacency.of(edges, x.size(0)))
        self._lowest = LastValueCache(
            lambda x, edges: self._adjacency(x, edges).multiply(_dense(x))
        )
        self._scaled = LastValueCache(lambda x: scaled_rows(x) if scale_features else x)

    takes_sparse_features = True

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Class scores of every node, without sampling; `x` is dense or torch.sparse_csr."""
        hidden = x = self._scaled(x)
        adjacency = self._adjacency(x, edge_index)
        for number, layer in enumerate(self.layers):
            hidden = relu(hidden) if number else hidden
            hidden = adjacency.multiply(layer(self._drop(hidden)))
        return hidden

    def forward_nodes(self, x: Tensor, edge_index: Tensor, nodes: Tensor) -> Tensor:
        """Estimated class scores of `nodes`."""
        x = self._scaled(x)
        adjacency = self._adjacency(x, edge_index)
        rows, blocks = nodes, []
        for _ in range(len(self.layers) - 1):  # from the top down
            columns, factor = adjacency.sample(self.settings["num_sampled"])
            blocks.append(adjacency.block(rows, columns) * factor)
            rows = columns
        hidden: Tensor = self.layers[0](self._drop(self._lowest(x, edge_index)[rows]))
        for layer, block in zip(self.layers[1:], reversed(blocks), strict=True):
            hidden = block @ layer(self._drop(relu(hidden)))
        return hidden

    def penalty(self) -> Tensor:
        """Weight decay of the first layer alone, which an optimizer would apply to all."""
        first = next(self.parameters())
        decay: Tensor = 0.5 * self.settings["l2_weight"] * first.square().sum()
        return decay

    def _drop(self, x: Tensor) -> Tensor:
        return drop(x, self.settings["dropout"], self.training)


def scaled_rows(x: Tensor) -> Tensor:
    """Rows whose absolute values sum to 1; those of zeros stay as they are.

    >>> x = torch.tensor([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    >>> scaled_rows(x.to_sparse_csr()).to_dense().tolist()
    [[0.25, 0.0, 0.75], [0.0, 0.0, 0.0]]
    """
    if x.layout != torch.sparse_csr:
        return normalize(x, p=1)
    start, values = x.crow_indices(), x.values()
    row = torch.repeat_interleave(torch.arange(x.size(0), device=x.device), start.diff())
    total = torch.zeros(x.size(0), dtype=x.dtype, device=x.device).index_add_(0, row, values.abs())
    scaled = values / total.clamp_min(torch.finfo(x.dtype).tiny)[row]
    return csr_tensor(start, x.col_indices(), scaled, (x.size(0), x.size(1)))


def _dense(x: Tensor) -> Tensor:
    return x.to_dense() if x.layout == torch.sparse_csr else x
