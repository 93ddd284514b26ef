"""Runs of one method on one task: alike but for the seed, so that their mean means something."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fastgat.train.record import RunRecord

# A task is told by its name and size: two files of one name are two tasks.
TASK_FACTS = ("name", "num_nodes", "num_edges", "num_features", "num_classes", "is_multi_label")
# What decides how fast and how good a model can be; layers are compared only where it is equal.
ARCHITECTURE = ("attention", "in_channels", "hidden_channels", "heads", "out_heads", "num_layers")
MACHINE = ("processor", "vector_bits", "threads")


@dataclass(frozen=True)
class Spread:
    """Mean and sample deviation of a number over runs."""

    mean: float
    deviation: float | None  # None of a single run
    number: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """The spread of the known values; None if there is none.

        >>> Spread.of([1.0, 3.0])
        Spread(mean=2.0, deviation=1.4142135623730951, number=2)
        """
        known = [value for value in values if value is not None and math.isfinite(value)]
        if not known:
            return None
        mean = math.fsum(known) / len(known)
        if len(known) == 1:
            return cls(mean, None, 1)
        squares = math.fsum((value - mean) ** 2 for value in known)
        return cls(mean, math.sqrt(squares / (len(known) - 1)), len(known))

    def is_near(self, other: Spread) -> bool:
        """Whether the means differ no more than runs of one of them do; single runs do not tell."""
        if self.deviation is None or other.deviation is None:
            return False
        return abs(self.mean - other.mean) <= max(self.deviation, other.deviation)


@dataclass(frozen=True)
class Runs:
    """The runs of one label on one task, by seed."""

    label: str
    records: tuple[RunRecord, ...]

    @property
    def first(self) -> RunRecord:
        """The run with the smallest seed, which pictures are taken from."""
        return self.records[0]

    @property
    def is_peer(self) -> bool:
        """Whether these are runs of PyG's layers."""
        return str(self.first.model.get("name", "")).startswith("PyG")

    @property
    def is_full_graph(self) -> bool:
        """Whether every run was trained on every edge."""
        return all(run.edges["trained_on"] == run.edges["before"] for run in self.records)

    @property
    def is_reference(self) -> bool:
        """Whether this is our full graph, against which sparsifying is measured."""
        return self.is_full_graph and self.first.model.get("name") == "FastGAT"

    def score(self, name: str) -> Spread | None:
        """A score over the runs, such as that of the `test` nodes."""
        return Spread.of(run.scores.get(name) for run in self.records)

    def compares_with(self, other: Runs) -> bool:
        """Whether a ratio of their times is fair: the same architecture on the same machine."""
        mine, theirs = self.first, other.first
        return _agree(_flat(mine.model), _flat(theirs.model), ARCHITECTURE) and all(
            _agree(run.environment, theirs.environment, MACHINE)
            for run in (*self.records, *other.records)
        )

    def picture(self, name: str) -> Any:
        """The first run's picture of that name; None if no run has it."""
        found = (run.pictures.get(name) for run in self.records)
        return next((picture for picture in found if picture), None)

    @property
    def mixed_settings(self) -> list[str]:
        """Settings other than the seed in which the runs differ: their mean mixes these."""
        every = [{**run.config, **run.model, **_split(run.task)} for run in self.records]
        names = sorted({name for settings in every for name in settings} - {"seed"})
        return [name for name in names if any(s.get(name) != every[0].get(name) for s in every)]


@dataclass(frozen=True)
class TaskRuns:
    """Everything that was run on one task."""

    name: str
    methods: tuple[Runs, ...]

    @property
    def facts(self) -> dict[str, Any]:
        """Sizes and split, as the first run has them."""
        return self.methods[0].first.task

    def reference_for(self, runs: Runs) -> Runs | None:
        """Our full graph, of the same architecture and on the same machine."""
        fair = (m for m in self.methods if m.is_reference and m.compares_with(runs))
        return next(fair, None)

    def peer_for(self, runs: Runs) -> Runs | None:
        """PyG's full graph, on the same machine."""
        fair = (m for m in self.methods if m.is_peer and m.is_full_graph and m.compares_with(runs))
        return next(fair, None)


def group_records(records: Sequence[RunRecord]) -> list[TaskRuns]:
    """Tasks by name; in each the peers first, then our full graph, then sparser and sparser."""
    tasks: dict[str, dict[str, list[RunRecord]]] = {}
    for record in records:
        key = repr([record.task.get(fact) for fact in TASK_FACTS])
        tasks.setdefault(key, {}).setdefault(record.label, []).append(record)
    grouped = []
    for labels in tasks.values():
        methods = [
            Runs(label, tuple(sorted(runs, key=_seed))) for label, runs in sorted(labels.items())
        ]
        methods.sort(key=_order)
        grouped.append(TaskRuns(methods[0].first.task["name"], tuple(methods)))
    return sorted(grouped, key=lambda task: (task.name, repr(task.facts)))


def _order(runs: Runs) -> tuple[bool, bool, float, str]:
    edges = max(run.edges["trained_on"] for run in runs.records)
    return not runs.is_peer, not runs.is_full_graph, -edges, runs.label


def _seed(record: RunRecord) -> tuple[float, str]:
    seed = record.config.get("seed")
    return (seed if isinstance(seed, int) else math.inf), repr(record)


def _split(task: dict[str, Any]) -> dict[str, Any]:
    return {f"{part} nodes": task.get(part) for part in ("train", "validation", "test")}


def _flat(model: dict[str, Any]) -> dict[str, Any]:
    """The facts of a model and its settings side by side."""
    settings = model.get("settings")
    return {**model, **settings} if isinstance(settings, dict) else model


def _agree(mine: dict[str, Any], theirs: dict[str, Any], names: Sequence[str]) -> bool:
    """Whether two sets of facts are equal where both tell."""
    return all(mine[name] == theirs[name] for name in names if name in mine and name in theirs)
