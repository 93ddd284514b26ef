"""Rows that time training: all methods of a dataset in turn, so that ratios are of one run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from experiments.experiment import Row
from experiments.options import FIRST_SEED, Options
from experiments.records import Result
from experiments.tasks import load_task
from experiments.timing import in_turn, peak_of
from experiments.training.method import PYG, Method
from experiments.training.rows import TRAINING, train, training_rows
from fastgat import _core
from fastgat.check import available_memory
from fastgat.data import NodeTask
from fastgat.train import Epoch, Plan, RunRecord
from fastgat.train.trainer import Trainer

EPOCHS, PEER_EPOCHS, TIMED_RUNS = 10, 3, 3
QUICK_EPOCHS, QUICK_TIMED_RUNS = 1, 1
WARM_UP = 1  # epochs: in the first one memory is new, and networks make what they need once
ONCE = ("preparation", "resistances", "sampling")  # of sampling: the draw that training begins with
PYG_BYTES_PER_ARC = 1244  # a step's peak with 8 heads of 8 channels, results/attention-memory.json
DENSE_COPIES = 3  # of the features: as given, after dropout, and the gradient's
ATTENTION_KERNELS = ("_forward", "_backward")  # as their names end


@dataclass(frozen=True)
class TimedRun:
    """What an epoch of one training took on average, the warm-up left out."""

    record: RunRecord
    training_seconds: float  # without evaluation, as the paper times it
    attention_seconds: float  # in our own kernels, those of evaluation included
    phases: dict[str, float]  # per epoch
    once: dict[str, float]  # before the first epoch


def timed_run(plan: Plan, task: NodeTask, epochs: int, device: str) -> TimedRun:
    """Train for the warm-up and `epochs` more, and time those.

    Args:
        plan: how to train; its config must have that many epochs and no patience.
        task: what to train for.
        epochs: how many are timed.
        device: where torch computes.
    """
    assert plan.config.epochs == WARM_UP + epochs and plan.config.patience is None
    trainer = Trainer(plan.make_model(task).to(device), task, plan.config)
    with torch.random.fork_rng(devices=[]):
        trainer.prepare()
        once = {name: trainer.watch.seconds[name] for name in ONCE}
        marks: list[tuple[dict[str, float], float]] = []

        def mark(_: Epoch) -> None:
            marks.append((dict(trainer.watch.seconds), attention_seconds()))

        trainer.train(mark)
        record = trainer.record(label=plan.label or "", command="", warnings=[])
    (first, attention_first), (last, attention_last) = marks[WARM_UP - 1], marks[-1]
    phases = {name: (last[name] - first[name]) / epochs for name in (*TRAINING, "evaluation")}
    # Not the sum of its phases: a GPU works on after them, and is waited for at the step's end.
    whole = sum(epoch.seconds for epoch in record.history[WARM_UP:]) / epochs
    return TimedRun(
        record,
        whole - phases["evaluation"],
        (attention_last - attention_first) / epochs,
        phases,
        once,
    )


def attention_seconds() -> float:
    """Seconds that the process has spent in the attention kernels, by the core's own counter."""
    seconds: dict[str, float] = _core.kernel_seconds()
    return sum(taken for name, taken in seconds.items() if name.endswith(ATTENTION_KERNELS))


def timing_row(
    dataset: str,
    methods: Sequence[Method],
    options: Options,
    *,
    epochs: int = EPOCHS,
    with_memory: bool = False,
) -> Row:
    """Seconds of an epoch's training and of an inference for each method, medians of timed runs.

    Args:
        dataset: what to train on.
        methods: those that run in turn.
        options: of them the device, and whether it is quick.
        epochs: of a timed run after its warm-up; fewer where PyG's layers run.
        with_memory: whether to add the peak of every method, each in a process of its own: memory
            that one run gives back stays with the process, and would hide what the next one takes.
    """
    timed_runs = QUICK_TIMED_RUNS if options.quick else TIMED_RUNS
    if options.quick:
        epochs = QUICK_EPOCHS
    epochs_of = {
        method.label: min(epochs, PEER_EPOCHS) if method.network == PYG else epochs
        for method in methods
    }
    settings: dict[str, Any] = {
        "device": options.device,
        "quick": options.quick,
        "dataset": dataset,
        "methods": [method.settings() for method in methods],
        "epochs": epochs_of,
        "timed_runs": timed_runs,
        "warm_up": WARM_UP,
        "with_memory": with_memory,
    }

    def run() -> Result:
        task = load_task(dataset, FIRST_SEED)
        able = [method for method in methods if fits(method, task)]
        cases: dict[str, Callable[[], TimedRun]] = {}
        for method in able:
            timed = epochs_of[method.label]
            plan = method.plan(task, FIRST_SEED, epochs=WARM_UP + timed, patience=None)
            cases[method.label] = partial(timed_run, plan, task, timed, options.device)
        runs = in_turn(cases, timed_runs)
        found: Result = {label: _times(every) for label, every in runs.items()}
        if with_memory:
            for method in able:
                found[method.label]["memory_bytes"] = _in_own_process(
                    dataset, method, options.device
                )
        return found

    return Row(timing_key(dataset, options.device), settings, run)


def timed_and_trained(
    datasets: Sequence[str],
    timed: Sequence[Method],
    trained: Sequence[Method],
    options: Options,
    *,
    with_memory: bool = False,
) -> list[Row]:
    """Per dataset the times of all methods in one row, then every method and seed.

    Args:
        datasets: in the order of the rows.
        timed: methods of the rows of times.
        trained: methods of the rows that train.
        options: seeds, epochs, device, and whether it is quick.
        with_memory: whether the rows of times have peaks, too.
    """
    found = []
    for name in datasets:
        found.append(timing_row(name, timed, options, with_memory=with_memory))
        found += training_rows([name], trained, options)
    return found


def fits(method: Method, task: NodeTask) -> bool:
    """Whether PyG's layers find the memory they need; our own need next to none per arc."""
    if method.network != PYG:
        return True
    dense = 4 * task.num_nodes * task.num_features
    needed = PYG_BYTES_PER_ARC * 2 * task.graph.num_edges + DENSE_COPIES * dense
    return needed < available_memory()


def timing_key(dataset: str, device: str = "cpu") -> str:
    """The name of a row of times."""
    return f"{dataset}/times@{device}"


def _times(runs: Sequence[TimedRun]) -> dict[str, Any]:
    """The run of median training time stands for all; the others show how far they lie apart."""
    middle = sorted(runs, key=lambda run: run.training_seconds)[len(runs) // 2]
    record = middle.record
    return {
        "training_seconds": middle.training_seconds,
        "training_seconds_by_run": [run.training_seconds for run in runs],
        "inference_seconds": statistics.median(run.record.seconds["inference"] for run in runs),
        "phases_per_epoch": middle.phases,
        "phases_once": middle.once,
        "attention_seconds": statistics.median(run.attention_seconds for run in runs),
        "edges": record.edges["trained_on"],
        "num_nodes": record.task["num_nodes"],
    }


def _in_own_process(dataset: str, method: Method, device: str) -> int | None:
    try:
        return peak_of(memory_of, dataset, method, device)[0]
    except MemoryError:
        return None


def memory_of(dataset: str, method: Method, device: str) -> int | None:
    """Bytes that two epochs take beyond what the process held with the task loaded."""
    task = load_task(dataset, FIRST_SEED)
    plan = method.plan(task, FIRST_SEED, epochs=2, patience=None)
    if device == "cpu":
        return train(plan, task, device).memory_bytes
    torch.cuda.reset_peak_memory_stats()
    train(plan, task, device)
    return int(torch.cuda.max_memory_allocated())
