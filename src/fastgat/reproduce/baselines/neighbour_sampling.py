"""Sampled neighbours: a fixed number of every node's, drawn uniformly."""

from __future__ import annotations

import torch
from torch import Tensor

from fastgat.reproduce.baselines.neighbour_lists import NeighbourLists


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
