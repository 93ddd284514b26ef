"""Other ways to choose as many edges: what a fair comparison needs."""

from __future__ import annotations

from fastgat.data import NodeTask
from fastgat.sparsify import DegreeSparsifier, ScoreSparsifier, UniformSparsifier
from fastgat.spectral import Cache

OTHER_EDGES: dict[str, type[ScoreSparsifier]] = {
    "uniform": UniformSparsifier,
    "degree": DegreeSparsifier,
}


def number_kept(
    model: ScoreSparsifier, task: NodeTask, seed: int, cache: Cache = None
) -> int | float:
    """What a draw of `model` keeps, for the `keep` of another sparsifier: at least one edge.

    Of a task on several graphs, which differ in size, it is a share of those for training.

    Args:
        model: the sparsifier to be compared with.
        task: the task whose graphs are drawn from.
        seed: of the draw.
        cache: where resistances are kept, as `effective_resistances` takes it.
    """
    graphs = [task.graph]
    if task.part is not None:
        parts = task.graphs()
        graphs = [part.graph for part in parts if part.split and part.split.train.any()]
    kept = max(1, sum(model.sparsify(graph, seed, cache=cache).num_edges for graph in graphs))
    return kept if task.part is None else kept / sum(graph.num_edges for graph in graphs)
