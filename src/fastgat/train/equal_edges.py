"""Other ways to choose as many edges: what a fair comparison needs."""

from __future__ import annotations

from fastgat.data import NodeTask
from fastgat.sparsify.sampling import ScoreSparsifier


def as_many_edges(
    kind: type[ScoreSparsifier], model: ScoreSparsifier, task: NodeTask, seed: int
) -> ScoreSparsifier:
    """A sparsifier of another kind that keeps as many edges as a draw of `model` does.

    Where a task has several graphs, it keeps as large a share of those for training.
    """
    graphs = [task.graph]
    if task.part is not None:
        parts = task.graphs()
        graphs = [part.graph for part in parts if part.split and part.split.train.any()]
    kept = sum(model.sparsify(graph, seed).num_edges for graph in graphs)
    keep = kept if task.part is None else kept / sum(graph.num_edges for graph in graphs)
    return kind(keep=keep, sampling="independent")
