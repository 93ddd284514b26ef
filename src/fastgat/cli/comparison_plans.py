"""What `fastgat compare` trains: the full graph, sparse graphs, and other ways to choose edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastgat.data import NodeTask
from fastgat.sparsify import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    UniformSparsifier,
)
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training

OTHERS: dict[str, type[ScoreSparsifier]] = {
    "random edges": UniformSparsifier,
    "edges by degree": DegreeSparsifier,
}


def comparison_plans(
    task: NodeTask,
    epsilons: tuple[float, ...],
    attention: str,
    seed: int,
    shared: dict[str, Any],
    *,
    with_pyg: bool,
) -> Iterator[Plan]:
    """The peer if asked for, the full graph, and for every density three ways to choose edges."""
    options = {"seed": seed, **recommended_training(task), **shared}
    settings = {"attention": attention}
    if with_pyg:
        from fastgat.pyg import PyGGAT

        yield Plan("PyG, full graph", TrainConfig(**options), settings, PyGGAT)
    yield Plan("full graph", TrainConfig(**options), settings)
    for epsilon in epsilons:
        by_resistance = EffectiveResistanceSparsifier(epsilon=epsilon)
        config = TrainConfig(sparsifier=by_resistance, **options)
        yield Plan(f"FastGAT, epsilon={epsilon:g}", config, settings)
        keep = _kept(task, by_resistance, seed)
        for name, kind in OTHERS.items():
            config = TrainConfig(sparsifier=kind(keep=keep, sampling="independent"), **options)
            yield Plan(f"{name}, as many as {epsilon:g}", config, settings)


def _kept(task: NodeTask, sparsifier: ScoreSparsifier, seed: int) -> int | float:
    """How many edges a draw keeps; a share of them, where there are many graphs."""
    if task.part is None:
        return sparsifier.sparsify(task.graph, seed).num_edges
    parts = [part.graph for part in task.graphs() if part.split and part.split.train.any()]
    kept = sum(sparsifier.sparsify(graph, seed).num_edges for graph in parts)
    return kept / sum(graph.num_edges for graph in parts)
