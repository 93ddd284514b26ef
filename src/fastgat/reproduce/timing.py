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
from fastgat.reproduce.attention_time import attention_seconds
from fastgat.reproduce.experiment import Result, Row
from fastgat.reproduce.method import PYG, Method
from fastgat.reproduce.options import FIRST_SEED, Options
from fastgat.reproduce.tasks import load_task
from fastgat.reproduce.training import TRAINING, train, training_rows, training_seconds
from fastgat.train import RunRecord

Turn = tuple[RunRecord, float]  # and the seconds in attention kernels

EPOCHS, PEER_EPOCHS, TURNS = 10, 3, 3
QUICK_EPOCHS, QUICK_TURNS = 2, 1
PYG_BYTES_PER_ARC = 431  # 8 heads of 8 channels, measured
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

    A turn is of `epochs` epochs, or fewer where PyG's layers run. `with_memory` adds the peak of
    every method, each in a process of its own: memory that one run gives back stays with the
    process, and would hide what the next one takes.
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
        "with_memory": with_memory,
    }

    def run() -> Result:
        task = load_task(dataset, FIRST_SEED)
        able = [method for method in methods if fits(method, task)]
        turns_of: dict[str, list[Turn]] = {method.label: [] for method in able}
        for _ in range(turns):
            for method in able:
                limit = {"epochs": epochs_of[method.label], "patience": None}
                plan = method.plan(task, FIRST_SEED, **limit)
                with attention_seconds() as attention:
                    record = train(plan, task, options.device, on_epoch=attention.mark)
                turns_of[method.label].append((record, attention.marked))
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
    """The turn of median training time stands for all."""
    records = sorted((record for record, _ in turns), key=training_seconds)
    middle = records[len(records) // 2]
    epochs = len(middle.history)
    each = {name: middle.seconds[name] / epochs for name in (*TRAINING, "evaluation")}
    once = {name: middle.seconds[name] for name in ("preparation", "resistances")}
    return {
        "training_seconds": training_seconds(middle),
        "inference_seconds": statistics.median(r.seconds["inference"] for r in records),
        "phases_per_epoch": each,
        "phases_once": once,
        "attention_seconds": statistics.median(seconds for _, seconds in turns) / epochs,
        "edges": middle.edges["trained_on"],
        "num_nodes": middle.task["num_nodes"],
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
