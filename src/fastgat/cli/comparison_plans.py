"""What `fastgat compare` trains: the full graph, sparse graphs, and other ways to choose edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastgat.data import NodeTask
from fastgat.sparsify import EffectiveResistanceSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training
from fastgat.train.equal_edges import OTHER_EDGES, number_kept

OTHERS = {"uniform": "random edges", "degree": "edges by degree"}


def comparison_plans(
    task: NodeTask,
    sparsifiers: Sequence[EffectiveResistanceSparsifier],
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
    for sparsifier in sparsifiers:
        epsilon = sparsifier.epsilon
        config = TrainConfig(sparsifier=sparsifier, **options)
        yield Plan(f"FastGAT, epsilon={epsilon:g}", config, settings)
        keep = number_kept(sparsifier, task, seed)
        for kind, name in OTHERS.items():
            config = TrainConfig(sparsifier=OTHER_EDGES[kind](keep=keep), **options)
            yield Plan(f"{name}, as many as {epsilon:g}", config, settings)
