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
from fastgat.train.equal_edges import as_many_edges

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
        sparsifier = EffectiveResistanceSparsifier(epsilon=epsilon)
        config = TrainConfig(sparsifier=sparsifier, **options)
        yield Plan(f"FastGAT, epsilon={epsilon:g}", config, settings)
        for name, kind in OTHERS.items():
            other = as_many_edges(kind, sparsifier, task, seed)
            config = TrainConfig(sparsifier=other, **options)
            yield Plan(f"{name}, as many as {epsilon:g}", config, settings)
