"""Rows that train: one dataset, one method, one seed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch

from experiments.baselines import BASELINES
from experiments.experiment import Row
from experiments.options import SEEDS, Options
from experiments.records import Result
from experiments.tasks import load_task
from experiments.training.edges import paper_count
from experiments.training.method import Method
from fastgat.data import NodeTask
from fastgat.train import Plan, RunRecord, fit, predict_with

TRAINING = ("sampling", "forward", "backward", "optimiser")  # phases of an epoch's training
FIRST_EPOCHS, EVERY = 10, 5  # of the curve: all of the first epochs, then every fifth


def training_row(
    dataset: str, method: Method, seed: int, options: Options, *, on_whole: bool = False
) -> Row:
    """Train a method, and keep what the paper's tables and figures show of it.

    Args:
        dataset: what it learns.
        method: a network and its edges.
        seed: of split, weights, draws and dropout.
        options: of the command.
        on_whole: keep also how the network that was trained on few edges does on all of them.
    """
    common = options.common()
    settings = {**common, "dataset": dataset, "method": method.settings(), "seed": seed}
    if on_whole:
        settings["on_whole"] = True

    def run() -> Result:
        task = load_task(dataset, seed)
        plan = method.plan(task, seed, **options.training())
        model = plan.make_model(task).to(options.device)
        record = fit(model, task, plan.config, label=plan.label)
        found = summarise(record, keep_epochs=method.is_adaptive)
        if on_whole:
            found["on_whole"] = scores_on_whole(model, task)
        return {**found, "paper_edges": paper_count(dataset, task)[0]}

    return Row(training_key(dataset, method, seed, options.device), settings, run)


def training_rows(
    datasets: Iterable[str],
    methods: Sequence[Method],
    options: Options,
    *,
    seeds: int = SEEDS,
    baseline_seeds: int | None = None,
    on_whole: Collection[str] = (),
) -> list[Row]:
    """Every dataset, method and seed.

    Args:
        datasets: in the order of the rows.
        methods: of each dataset.
        options: whose number of seeds, if one was given, goes before both below.
        seeds: how many.
        baseline_seeds: how many of the baselines, which may be slow; None: as many.
        on_whole: labels of methods that are judged on all edges as well.
    """
    return [
        training_row(dataset, method, seed, options, on_whole=method.label in on_whole)
        for dataset in datasets
        for method in methods
        for seed in options.numbers(
            baseline_seeds if baseline_seeds is not None and method.network in BASELINES else seeds
        )
    ]


def training_key(dataset: str, method: Method, seed: int, device: str) -> str:
    """The name of a row; rows of another device are kept beside those of the CPU."""
    at = "" if device == "cpu" else f"@{device}"
    return f"{dataset}/{method.label}/seed-{seed}{at}"


def train(plan: Plan, task: NodeTask, device: str, **options: Any) -> RunRecord:
    """Run a plan on a device; `options` are those of `fit`."""
    model = plan.make_model(task).to(device)
    return fit(model, task, plan.config, label=plan.label, **options)


def scores_on_whole(model: torch.nn.Module, task: NodeTask) -> dict[str, float]:
    """Micro-F1 of a trained network on the whole graph."""
    assert task.split is not None
    right = predict_with(model, task).predicted == task.labels
    masks = task.split.masks()
    return {name: float(right[masks[name]].mean()) for name in ("validation", "test")}


def summarise(record: RunRecord, *, keep_epochs: bool = False) -> Result:
    """What is stored of a run."""
    history = record.history
    facts: Result = {
        "test_f1": record.scores.get("test"),
        "validation_f1": record.scores["validation"],
        "edges": record.edges["trained_on"],
        "edges_before": record.edges["before"],
        "num_nodes": record.task["num_nodes"],
        "lost_nodes": record.edges["lost_nodes"],
        "evaluated_on": record.edges["evaluated_on"],
        "epochs": len(history),
        "best_epoch": record.best_epoch,
        "stopped": record.stopped,
        "training_seconds": training_seconds(record),
        "inference_seconds": record.seconds["inference"],
        "phases": record.seconds,
        "curve": [
            [epoch.epoch, round(epoch.train_f1, 4), round(epoch.validation_f1, 4)]
            for epoch in history
            if epoch.epoch <= FIRST_EPOCHS or epoch.epoch % EVERY == 0
        ],
        "config": record.config,
        "model": record.model,
    }
    if keep_epochs:
        facts["edges_by_epoch"] = [epoch.num_edges for epoch in history]
        facts["seconds_by_epoch"] = [round(epoch.seconds, 5) for epoch in history]
    return facts


def training_seconds(record: RunRecord) -> float:
    """Seconds of an epoch without its evaluation, as the paper times it.

    Not the sum of its phases: a GPU works on after them, and is waited for at the step's end.
    """
    whole = sum(epoch.seconds for epoch in record.history)
    return (whole - record.seconds["evaluation"]) / len(record.history)
