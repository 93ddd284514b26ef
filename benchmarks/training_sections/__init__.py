"""What the sections of `benchmarks/training.py` share."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgat.data import NodeTask, load_dataset
from fastgat.train import Plan, RunRecord
from harness import REFERENCES

RUNS = REFERENCES.parent / "training"
FIRST_SEED = 1
CURVE = 10  # every tenth epoch is recorded


@dataclass(frozen=True)
class Options:
    datasets: tuple[str, ...] | None
    seeds: int
    finished: bool = False  # train nothing

    def tasks(self, default: Sequence[str]) -> Sequence[str]:
        return self.datasets or default

    def numbers(self) -> range:
        return range(FIRST_SEED, FIRST_SEED + self.seeds)


def load(name: str, seed: int) -> NodeTask:
    """The dataset with the paper's split, dealt out by the seed."""
    return load_dataset(name, split_seed=seed)


def is_finished(name: str, key: str, seed: int) -> bool:
    return (RUNS / name / key / f"seed-{seed}" / "record.json").exists()


def run(plan: Plan, task: NodeTask, key: str) -> RunRecord:
    """The record of a run, which is kept: a section that was stopped goes on where it was."""
    folder = RUNS / task.name / key / f"seed-{plan.config.seed}"
    record = plan.run(task, folder=folder, resume=True, checkpoint_every=100_000)
    print(
        f"{task.name:10s} {key:32s} seed {plan.config.seed}: test {record.scores['test']:.4f} "
        f"best epoch {record.best_epoch}, {record.edges['trained_on']} edges",
        flush=True,
    )
    return record


def summary(dataset: str, method: str, records: Sequence[RunRecord]) -> dict[str, Any]:
    """One row: means and deviations over the seeds."""
    test = [record.scores["test"] for record in records]
    return {
        "dataset": dataset,
        "method": method,
        "seeds": [record.config["seed"] for record in records],
        "test F1": statistics.fmean(test),
        "test F1 deviation": statistics.stdev(test) if len(test) > 1 else None,
        "test F1 of each": test,
        "validation F1": statistics.fmean(record.scores["validation"] for record in records),
        "edges": statistics.fmean(record.edges["trained_on"] for record in records),
        "edges before": records[0].edges["before"],
        "lost nodes": _mean([record.edges["lost_nodes"] for record in records]),
        "best epoch": statistics.fmean(record.best_epoch for record in records),
        "epochs": statistics.fmean(len(record.history) for record in records),
        "edge-epochs": statistics.fmean(
            sum(epoch.num_edges for epoch in record.history) for record in records
        ),
        "epochs to 95 % of the best validation F1": statistics.fmean(
            epochs_to_share(record, 0.95) for record in records
        ),
        "validation curve": mean_curve(records),
    }


def epochs_to_share(record: RunRecord, share: float) -> int:
    """The first epoch whose validation score is that share of the run's best."""
    wanted = share * max(epoch.validation_f1 for epoch in record.history)
    return next(epoch.epoch for epoch in record.history if epoch.validation_f1 >= wanted)


def mean_curve(records: Sequence[RunRecord]) -> list[float]:
    """Validation F1 at every tenth epoch that all runs reached, a mean over the runs."""
    shortest = min(len(record.history) for record in records)
    places = range(CURVE - 1, shortest, CURVE)
    return [
        round(statistics.fmean(record.history[place].validation_f1 for record in records), 4)
        for place in places
    ]


def _mean(values: list[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None
