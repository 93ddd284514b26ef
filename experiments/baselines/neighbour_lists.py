"""The arcs of a graph sorted by target, and neighbours sampled from them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fastgat.nn.arcs import check_edge_index
from fastgat.nn.operator import check_edge_index_form


@dataclass(frozen=True, eq=False)
class NeighbourLists:
    """The neighbours of node i are `source[start[i] : start[i + 1]]`.

    >>> lists = NeighbourLists.of(torch.tensor([[1, 2, 0], [0, 0, 2]]), 3)
    >>> lists.degree
    tensor([2, 0, 1])
    >>> row, place = lists.arcs_into(torch.tensor([2, 0]))
    >>> row, lists.source[place]
    (tensor([0, 1, 1]), tensor([0, 1, 2]))
    """

    start: Tensor
    source: Tensor

    @classmethod
    def of(cls, edge_index: Tensor, num_nodes: int) -> NeighbourLists:
        """Sort the arcs."""
        check_edge_index_form(edge_index)
        check_edge_index(edge_index, num_nodes, num_nodes)
        source, target = edge_index
        count = torch.bincount(target, minlength=num_nodes)
        start = torch.nn.functional.pad(count.cumsum(0), (1, 0))
        return cls(start, source[target.argsort(stable=True)])

    @property
    def num_nodes(self) -> int:
        """Nodes, with and without neighbours."""
        return self.start.numel() - 1

    @property
    def degree(self) -> Tensor:
        """Neighbours of every node."""
        return self.start.diff()

    def targets(self) -> Tensor:
        """The target of every arc."""
        return torch.arange(self.num_nodes, device=self.start.device).repeat_interleave(self.degree)

    def arcs_into(self, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """For every arc into one of `nodes`: that node's place in `nodes`, and the arc's own."""
        first, count = self.start[nodes], self.start[nodes + 1] - self.start[nodes]
        row = torch.arange(nodes.numel(), device=nodes.device).repeat_interleave(count)
        within = torch.arange(row.numel(), device=nodes.device) - (count.cumsum(0) - count)[row]
        return row, first[row] + within


def sample_neighbours(lists: NeighbourLists, nodes: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """For every draw: a place in `nodes`, and a neighbour of that node; sorted by the place.

    Every node has `count` draws: without replacement if it has as many neighbours, else with
    replacement (as the GraphSAGE paper does); a node without neighbours has none.
    """
    degree = lists.degree[nodes]
    repeat, many = ((degree > 0) & (degree < count)).nonzero().ravel(), degree >= count
    place = torch.empty(nodes.numel(), count, dtype=torch.long, device=nodes.device)
    few = degree[repeat, None]
    # A product that rounds up to the degree would be another node's neighbour.
    drawn = (torch.rand(repeat.numel(), count, device=nodes.device) * few).long()
    place[repeat] = lists.start[nodes[repeat], None] + torch.minimum(drawn, few - 1)
    place[many] = _without_replacement(lists, nodes[many], count)
    chosen = (degree > 0).nonzero().ravel()
    return chosen.repeat_interleave(count), lists.source[place[chosen]].ravel()


def _without_replacement(lists: NeighbourLists, nodes: Tensor, count: int) -> Tensor:
    """Arcs into each of the nodes: the first `count` in a random order."""
    row, place = lists.arcs_into(nodes)
    key = row + torch.rand(row.numel(), dtype=torch.double, device=row.device)
    shuffled = place[key.argsort()]
    degree = lists.degree[nodes]
    first = degree.cumsum(0) - degree
    return shuffled[first[:, None] + torch.arange(count, device=row.device)]
