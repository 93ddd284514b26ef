"""What the report draws of a run's graph: counted here, where the graph and the model are at hand.

degrees        bins (lower bounds), before, after: nodes by number of neighbours
resistances    bins (edges), before, after: edges by effective resistance
certificate    the measured spectral bounds of the sparse graph
neighbourhood  a node and those around it, with the attention on their edges
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import FastGAT
from fastgat.sparsify import SparsifiedGraph
from fastgat.spectral import certify, effective_resistances
from fastgat.train.batches import Arcs
from fastgat.train.neighbourhood import choose_neighbourhood, edges_among, mean_attention

RESISTANCE_BINS = 40
CERTIFIED = (
    "lower",
    "upper",
    "lower_nonzero",
    "epsilon",
    "isolated",
    "lost",
    "num_components",
    "num_components_before",
)
MOST_EDGES = 5_000_000  # beyond, resistances and attention for a picture cost too much
MOST_CERTIFIED = 400_000  # a certificate takes some tens of solves


def make_pictures(
    model: torch.nn.Module,
    task: NodeTask,
    x: Any,
    sparse: SparsifiedGraph | None,
    seed: int,
    *,
    prior: bool = False,
) -> dict[str, Any]:
    """All that can be drawn of a task on one graph, and of the sparse graph if there is one.

    `prior` says that the model was trained with the weights of edges as a prior.
    """
    graph = task.graph
    pictures: dict[str, Any] = {"degrees": count_degrees(graph, sparse)}
    if 0 < graph.num_edges <= MOST_EDGES:
        pictures["resistances"] = count_resistances(graph, sparse, seed)
        if isinstance(model, FastGAT) and task.part is None:
            pictures["neighbourhood"] = draw_neighbourhood(model, task, x, sparse, prior=prior)
    if sparse is not None and 0 < graph.num_edges <= MOST_CERTIFIED:
        certificate = certify(graph, sparse, seed=seed)
        pictures["certificate"] = {name: getattr(certificate, name) for name in CERTIFIED}
    return pictures


def count_degrees(graph: Graph, sparse: Graph | None) -> dict[str, list[int]]:
    """Nodes by number of neighbours; bins widen as powers of two."""
    most = int(_num_neighbours(graph).max(initial=0))
    bins = [0, *(2**power for power in range(max(most, 1).bit_length()))]
    edges = np.array([*bins, 2 * bins[-1]])
    after = graph if sparse is None else sparse
    before_after = [np.histogram(_num_neighbours(g), edges)[0].tolist() for g in (graph, after)]
    return {"bins": bins, "before": before_after[0], "after": before_after[1]}


def count_resistances(
    graph: Graph, sparse: SparsifiedGraph | None, seed: int
) -> dict[str, list[float]]:
    """Edges by effective resistance, all of them and those kept."""
    resistance = effective_resistances(graph, seed=seed)
    kept = resistance if sparse is None else resistance[sparse.edge_id]
    bins = np.linspace(0, float(resistance.max()), RESISTANCE_BINS + 1)
    counts = [np.histogram(values, bins)[0].tolist() for values in (resistance, kept)]
    return {"bins": bins.tolist(), "before": counts[0], "after": counts[1]}


@torch.no_grad()
def draw_neighbourhood(
    model: FastGAT, task: NodeTask, x: Any, sparse: Graph | None, *, prior: bool
) -> dict[str, Any] | None:
    """A node with its neighbours and theirs, before and after; line widths are attention."""
    graph = task.graph
    chosen = choose_neighbourhood(graph)
    if chosen is None:
        return None
    nodes = chosen.nodes
    model.eval()
    graphs = {"before": graph, "after": graph if sparse is None else sparse}
    arcs = {name: Arcs.of(which, plain=False, prior=prior) for name, which in graphs.items()}
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


def _first_label(task: NodeTask) -> NDArray[Any]:
    return task.labels[:, 0] if task.is_multi_label else task.labels


def _num_neighbours(graph: Graph) -> NDArray[np.int64]:
    return np.diff(graph.adjacency.offset)
