"""Rows that time: all methods of a dataset in turns, so that their ratios are of one run."""

from __future__ import annotations

import multiprocessing
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from fastgat.check import available_memory
from fastgat.data import NodeTask
from fastgat.reproduce.experiment import Result, Row
from fastgat.reproduce.method import PYG, Method
from fastgat.reproduce.options import FIRST_SEED, Options
from fastgat.reproduce.tasks import load_task
from fastgat.reproduce.training import train, training_rows
from fastgat.reproduce.turn import WARM_UP, Turn, take_turn

EPOCHS, PEER_EPOCHS, TURNS = 10, 3, 3
QUICK_EPOCHS, QUICK_TURNS = 1, 1
PYG_BYTES_PER_ARC = 1244  # a step's peak with 8 heads of 8 channels, results/attention_memory.json
DENSE_COPIES = 3  # of the features: as given, after dropout, and the gradient's


def timing_row(
    dataset: str,
    methods: Sequence[Method],
    options: Options,
    *,
    epochs: int = EPOCHS,
    with_memory: bool = False,
) -> Row:
    """Seconds of an epoch's training and of an inference for each method, medians of turns.

    A turn is of `epochs` epochs after the warm-up, or fewer where PyG's layers run. `with_memory`
    adds the peak of every method, each in a process of its own: memory that one run gives back
    stays with the process, and would hide what the next one takes.
    """
    turns = QUICK_TURNS if options.quick else TURNS
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
        "turns": turns,
        "warm_up": WARM_UP,
        "with_memory": with_memory,
    }

    def run() -> Result:
        task = load_task(dataset, FIRST_SEED)
        able = [method for method in methods if fits(method, task)]
        turns_of: dict[str, list[Turn]] = {method.label: [] for method in able}
        for _ in range(turns):
            for method in able:
                timed = epochs_of[method.label]
                plan = method.plan(task, FIRST_SEED, epochs=WARM_UP + timed, patience=None)
                turns_of[method.label].append(take_turn(plan, task, timed, options.device))
        found: Result = {label: _times(runs) for label, runs in turns_of.items()}
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
    """Per dataset the times of all methods in one row, then every method and seed."""
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


def _times(turns: Sequence[Turn]) -> dict[str, Any]:
    """The turn of median training time stands for all; the others show how far they lie apart."""
    middle = sorted(turns, key=lambda turn: turn.training_seconds)[len(turns) // 2]
    record = middle.record
    return {
        "training_seconds": middle.training_seconds,
        "training_seconds_by_turn": [turn.training_seconds for turn in turns],
        "inference_seconds": statistics.median(turn.record.seconds["inference"] for turn in turns),
        "phases_per_epoch": middle.phases,
        "phases_once": middle.once,
        "attention_seconds": statistics.median(turn.attention_seconds for turn in turns),
        "edges": record.edges["trained_on"],
        "num_nodes": record.task["num_nodes"],
    }


def _in_own_process(dataset: str, method: Method, device: str) -> int | None:
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(memory_of, dataset, method, device).result()
    except BrokenProcessPool:  # ended by the system, most likely for want of memory
        return None


def memory_of(dataset: str, method: Method, device: str) -> int | None:
    """Bytes that two epochs take beyond what the process held with the task loaded."""
    task = load_task(dataset, FIRST_SEED)
    plan = method.plan(task, FIRST_SEED, epochs=2, patience=None)
    if device == "cpu":
        return train(plan, task, device).memory_bytes
    import torch

    torch.cuda.reset_peak_memory_stats()
    train(plan, task, device)
    return int(torch.cuda.max_memory_allocated())
