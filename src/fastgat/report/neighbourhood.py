"""A neighbourhood small enough to draw: a node, its neighbours, some of theirs, and attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import FastGAT
from fastgat.train.loader import Arcs, feature_tensor

WANTED = 9  # neighbours of the node in the middle: enough to see some go
MOST_NEIGHBOURS = 14
SECOND = 2  # neighbours' neighbours that are drawn for each


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Nodes around the first one: its neighbours, then some of theirs."""

    nodes: NDArray[np.int64]
    place: NDArray[np.float64]  # where to draw them: (nodes, 2)
    num_inner: int  # the node in the middle and its neighbours


@torch.no_grad()
def neighbourhood_picture(
    model: FastGAT, task: NodeTask, sparse: Graph | None, *, prior: bool = False
) -> dict[str, Any] | None:
    """A node with its neighbours and theirs, before and after; line widths are attention.

    Args:
        model: the trained network.
        task: what it was trained for, on one graph.
        sparse: the graph that it was trained on, unless that is the whole one.
        prior: whether weights of edges were a prior.
    """
    graph = task.graph
    chosen = choose_neighbourhood(graph)
    if chosen is None:
        return None
    nodes, x = chosen.nodes, feature_tensor(task)
    model.eval()
    graphs = {"before": graph, "after": graph if sparse is None else sparse}
    arcs = {name: Arcs.of(which, prior=prior) for name, which in graphs.items()}
    lines = {}
    for name, which in graphs.items():
        ends = edges_among(which, chosen)
        attention = mean_attention(model, x, arcs[name], nodes, ends)
        lines[name] = [[i, j, width] for (i, j), width in zip(ends, attention, strict=True)]
    final = arcs["after"]
    predicted = model(x, final.edges, final.weight).argmax(dim=1).numpy()[nodes]
    described = [
        {
            "id": int(node),
            **({} if graph.names is None else {"name": str(graph.names[node])}),
            "class": None if task.is_multi_label or label < 0 else int(label),
            "predicted": int(guess),
            "x": float(spot[0]),
            "y": float(spot[1]),
        }
        for node, label, guess, spot in zip(
            nodes, _first_label(task)[nodes], predicted, chosen.place, strict=True
        )
    ]
    return {"center": 0, "nodes": described, **lines}


def choose_neighbourhood(graph: Graph) -> Neighbourhood | None:
    """The neighbourhood of a node with some neighbours; None if there is no edge."""
    count = np.diff(graph.adjacency.offset)
    if not count.any():
        return None
    middle = int(np.argmin(np.abs(np.where(count > 0, count, np.iinfo(np.int32).max) - WANTED)))
    inner = _neighbours(graph, middle)[:MOST_NEIGHBOURS]
    place = {middle: (0.0, 0.0)}
    for number, node in enumerate(inner.tolist()):
        turn = 2 * np.pi * number / inner.size
        place[node] = (np.cos(turn), np.sin(turn))
    for number, node in enumerate(inner.tolist()):
        outer = [other for other in _neighbours(graph, node).tolist() if other not in place]
        for step, other in enumerate(outer[:SECOND]):
            # Fan out behind the neighbour, within its own share of the circle.
            share = 2 * np.pi / inner.size
            turn = share * (number + 0.8 * ((step + 1) / (min(len(outer), SECOND) + 1) - 0.5))
            place[other] = (2 * np.cos(turn), 2 * np.sin(turn))
    return Neighbourhood(np.array(list(place)), np.array(list(place.values())), 1 + inner.size)


def edges_among(graph: Graph, around: Neighbourhood) -> list[tuple[int, int]]:
    """Edges as pairs of places in `nodes`; those between two outer nodes are left out."""
    where = {int(node): place for place, node in enumerate(around.nodes)}
    return [
        (place, where[other])
        for place, node in enumerate(around.nodes[: around.num_inner].tolist())
        for other in _neighbours(graph, node).tolist()
        if where.get(other, -1) > place
    ]


def mean_attention(
    model: FastGAT, x: Any, arcs: Arcs, nodes: NDArray[np.int64], pairs: list[tuple[int, int]]
) -> list[float]:
    """The first layer's attention on edges, a mean over heads and both directions.

    Args:
        model: the trained network.
        x: features of all nodes.
        arcs: of the whole graph or of the sparse one.
        nodes: of the neighbourhood.
        pairs: the edges, as pairs of places in `nodes`.
    """
    layer: Any = model.layers[0]
    prior = {} if arcs.weight is None else {"edge_weight": arcs.weight}
    _, (ends, alpha) = layer(x, arcs.edges, return_attention_weights=True, **prior)
    of_arc = alpha.mean(dim=1)
    source, target = ends[0], ends[1]
    inside = torch.isin(target, torch.from_numpy(nodes)) & torch.isin(
        source, torch.from_numpy(nodes)
    )
    found = {
        (int(i), int(j)): float(a)
        for i, j, a in zip(source[inside], target[inside], of_arc[inside], strict=True)
    }
    ids = nodes.tolist()
    return [
        0.5 * (found.get((ids[i], ids[j]), 0.0) + found.get((ids[j], ids[i]), 0.0))
        for i, j in pairs
    ]


def _neighbours(graph: Graph, node: int) -> NDArray[np.int32]:
    offset = graph.adjacency.offset
    return graph.adjacency.neighbor[offset[node] : offset[node + 1]]


def _first_label(task: NodeTask) -> NDArray[Any]:
    return task.labels[:, 0] if task.is_multi_label else task.labels
