"""What a comparison trains: the full graph, sparse graphs, and as many edges chosen otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgat.data import NodeTask
from fastgat.sparsify import EffectiveResistanceSparsifier
from fastgat.train.config import TrainConfig
from fastgat.train.equal_edges import OTHER_EDGES, number_kept
from fastgat.train.plan import Network, Plan
from fastgat.train.settings import recommended_training

SHOWN = {"uniform": "random", "degree": "degree"}  # names of OTHER_EDGES, as tables have them


def comparison_plans(
    task: NodeTask,
    sparsifiers: Sequence[EffectiveResistanceSparsifier],
    *,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    peers: Mapping[str, Network] | None = None,
) -> Iterator[Plan]:
    """Peers on the full graph, our full graph, and for every density three ways to choose edges.

    Args:
        task: What is learnt.
        sparsifiers: One per density, given as `epsilon`.
        seed: Of weights, draws and dropout.
        settings: Arguments of the networks that differ from those recommended for the task.
        options: Arguments of `TrainConfig` that differ from those recommended for the task.
        peers: Other networks by name, such as PyG's.
    """
    chosen = {"seed": seed, **recommended_training(task), **(options or {})}
    settings = settings or {}
    for name, network in (peers or {}).items():
        yield Plan(f"{name}, full graph", TrainConfig(**chosen), settings, network)
    yield Plan("full graph", TrainConfig(**chosen), settings)
    for sparsifier in sparsifiers:
        density = f"epsilon={sparsifier.epsilon:g}"
        yield Plan(f"FastGAT, {density}", TrainConfig(sparsifier=sparsifier, **chosen), settings)
        keep = number_kept(sparsifier, task, seed)
        for kind, shown in SHOWN.items():
            config = TrainConfig(sparsifier=OTHER_EDGES[kind](keep=keep), **chosen)
            yield Plan(f"{shown}, same count as {density}", config, settings)
