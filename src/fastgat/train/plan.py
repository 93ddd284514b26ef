"""A plan: one way to train a network for a task, with everything that decides the result.

Beside it stand what is recommended for a task, the GAT paper's settings, which FastGAT's adopts;
and the plans of a comparison: the full graph, sparse graphs, and as many edges chosen otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.sparsify import (
    SPARSIFIERS,
    EffectiveResistanceSparsifier,
    GuidedSparsifier,
    ScoreSparsifier,
)
from fastgat.spectral import Cache
from fastgat.train.config import TrainConfig
from fastgat.train.loop import fit
from fastgat.train.record import RunRecord

Network = Callable[..., torch.nn.Module]

# One graph: 8 heads of 8 channels, then the classes.
TRANSDUCTIVE: dict[str, Any] = {
    "hidden_channels": 8,
    "heads": 8,
    "out_heads": 1,
    "num_layers": 2,
    "dropout": 0.6,
    "skip": False,
}
# Many graphs: wider, deeper, a skip over the middle layer, and nothing to hold it back.
INDUCTIVE: dict[str, Any] = {
    "hidden_channels": 256,
    "heads": 4,
    "out_heads": 6,
    "num_layers": 3,
    "dropout": 0.0,
    "skip": True,
}

OTHERS = ("uniform", "degree")  # what a comparison trains beside, by the names of SPARSIFIERS


@dataclass(frozen=True)
class Plan:
    """How to make the network and how to train it.

    `settings` are arguments of the network that differ from what is recommended for the task.
    """

    label: str | None  # None: by the config
    config: TrainConfig
    settings: Mapping[str, Any] = field(default_factory=dict)
    network: Network = FastGAT

    def make_model(self, task: NodeTask) -> torch.nn.Module:
        """The network with first weights by the config's seed."""
        settings = {**recommended_model(task), **self.settings}
        hidden = settings.pop("hidden_channels")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.config.seed)
            return self.network(task.num_features, hidden, task.num_classes, **settings)

    def run(self, task: NodeTask, **options: Any) -> RunRecord:
        """Make the network and fit it; `options` are those of `fit`."""
        return fit(self.make_model(task), task, self.config, label=self.label, **options)


def recommended_model(task: NodeTask) -> dict[str, Any]:
    """Arguments for FastGAT, without those that the task decides."""
    if task.part is not None:
        return dict(INDUCTIVE)
    if task.name == "pubmed":
        return {**TRANSDUCTIVE, "out_heads": 8}
    return dict(TRANSDUCTIVE)


def recommended_training(task: NodeTask) -> dict[str, Any]:
    """Arguments for TrainConfig where they differ from its defaults."""
    if task.part is not None:
        return {"weight_decay": 0.0}
    if task.name == "pubmed":
        return {"weight_decay": 1e-3, "learning_rate": 0.01}
    return {}


def comparison_plans(
    task: NodeTask,
    sparsifiers: Sequence[EffectiveResistanceSparsifier],
    *,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    peers: Mapping[str, Network] | None = None,
    others: Sequence[str] = OTHERS,
    counts: dict[str, int | float] | None = None,
    cache: Cache = None,
) -> Iterator[Plan]:
    """Peers on the full graph, our full graph, and for every density three ways to choose edges.

    Args:
        task: What is learnt.
        sparsifiers: One per density, as `epsilon` or `keep`.
        seed: Of weights, draws and dropout.
        settings: Arguments of the networks that differ from those recommended for the task.
        options: Arguments of `TrainConfig` that differ from those recommended for the task.
        peers: Other networks by name, such as PyG's.
        others: Other ways to choose as many edges, by the names of `SPARSIFIERS`; those that know
            themselves how many edges they keep come last, once.
        counts: What other edges are to match, by density, filled as plans are made: the same
            object for all seeds gives all of them the same plans.
        cache: Where resistances are kept, as `effective_resistances` takes it.
    """
    chosen = {"seed": seed, **recommended_training(task), **(options or {})}
    settings = settings or {}
    counts = {} if counts is None else counts
    for name, network in (peers or {}).items():
        yield Plan(f"{name}, full graph", TrainConfig(**chosen), settings, network)
    yield Plan("full graph", TrainConfig(**chosen), settings)
    for sparsifier in sparsifiers:
        density = density_label(sparsifier)
        yield Plan(f"FastGAT, {density}", TrainConfig(sparsifier=sparsifier, **chosen), settings)
        if density not in counts:  # after the run above, which pays for its resistances
            counts[density] = number_kept(sparsifier, task, seed, cache)
        for name in filter(takes_count, others):
            other = _with_count(name, counts[density], chosen.get("epochs"))
            config = TrainConfig(sparsifier=other, **chosen)
            yield Plan(f"{shown_as(name)}, same count as {density}", config, settings)
    for name in others:
        if not takes_count(name):
            config = TrainConfig(sparsifier=SPARSIFIERS[name](), **chosen)
            yield Plan(shown_as(name), config, settings)


def num_plans(num_sparsifiers: int, num_peers: int = 0, others: Sequence[str] = OTHERS) -> int:
    """The number of plans of a comparison, known before they are made."""
    counted = sum(map(takes_count, others))
    return num_peers + 1 + num_sparsifiers * (1 + counted) + len(others) - counted


def takes_count(name: str) -> bool:
    """Whether a sparsifier is told how many edges to keep."""
    return "keep" in inspect.signature(SPARSIFIERS[name]).parameters


def shown_as(name: str) -> str:
    """What tables call a way to choose edges."""
    return "random" if name == "uniform" else name


def _with_count(name: str, keep: float | int, epochs: int | None) -> Any:
    """A sparsifier that keeps so many edges; one that warms up does so within the epochs."""
    kind = SPARSIFIERS[name]
    if kind is GuidedSparsifier and epochs is not None:
        return GuidedSparsifier(
            keep=keep, warm_up=min(GuidedSparsifier().warm_up, epochs // 3 or 1)
        )
    return kind(keep=keep)


def density_label(sparsifier: ScoreSparsifier) -> str:
    """How tables call a density.

    >>> from fastgat import UniformSparsifier
    >>> density_label(UniformSparsifier(keep=0.3)), density_label(UniformSparsifier(epsilon=0.5))
    ('keep=0.3', 'epsilon=0.5')
    """
    if sparsifier.keep is None:
        return f"epsilon={sparsifier.epsilon:g}"
    return f"keep={sparsifier.keep}"


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
