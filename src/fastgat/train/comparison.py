"""What a comparison trains: the full graph, sparse graphs, and as many edges chosen otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgat.data import NodeTask
from fastgat.sparsify import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    ScoreSparsifier,
    UniformSparsifier,
)
from fastgat.spectral import Cache
from fastgat.train.config import TrainConfig
from fastgat.train.plan import Network, Plan, recommended_training

OTHER_EDGES: dict[str, type[ScoreSparsifier]] = {
    "uniform": UniformSparsifier,
    "degree": DegreeSparsifier,
}
SHOWN = {"uniform": "random", "degree": "degree"}  # names of OTHER_EDGES, as tables have them


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


def comparison_plans(
    task: NodeTask,
    sparsifiers: Sequence[EffectiveResistanceSparsifier],
    *,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    peers: Mapping[str, Network] | None = None,
    cache: Cache = None,
) -> Iterator[Plan]:
    """Peers on the full graph, our full graph, and for every density three ways to choose edges.

    Args:
        task: What is learnt.
        sparsifiers: One per density, given as `epsilon`.
        seed: Of weights, draws and dropout.
        settings: Arguments of the networks that differ from those recommended for the task.
        options: Arguments of `TrainConfig` that differ from those recommended for the task.
        peers: Other networks by name, such as PyG's.
        cache: Where resistances are kept, as `effective_resistances` takes it.
    """
    chosen = {"seed": seed, **recommended_training(task), **(options or {})}
    settings = settings or {}
    for name, network in (peers or {}).items():
        yield Plan(f"{name}, full graph", TrainConfig(**chosen), settings, network)
    yield Plan("full graph", TrainConfig(**chosen), settings)
    for sparsifier in sparsifiers:
        density = f"epsilon={sparsifier.epsilon:g}"
        yield Plan(f"FastGAT, {density}", TrainConfig(sparsifier=sparsifier, **chosen), settings)
        keep = number_kept(sparsifier, task, seed, cache)
        for kind, shown in SHOWN.items():
            config = TrainConfig(sparsifier=OTHER_EDGES[kind](keep=keep), **chosen)
            yield Plan(f"{shown}, same count as {density}", config, settings)
