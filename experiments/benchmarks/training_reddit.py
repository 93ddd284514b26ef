"""The Reddit-size graph as `fastgat train reddit-like` trains it, full and sparse."""

from __future__ import annotations

import statistics
import time
from functools import partial

from experiments.experiment import Experiment, Results, Row
from experiments.options import FIRST_SEED, Options
from experiments.records import Result
from experiments.table import Table
from experiments.timing import peak_of
from experiments.training.times import attention_seconds
from fastgat import EffectiveResistanceSparsifier, load_dataset
from fastgat.machine import forget_peak, peak_bytes
from fastgat.train import Plan, TrainConfig

NAME = "training-reddit"
DATASET, QUICK_NODES = "reddit-like", 3_000
EPOCHS, QUICK_EPOCHS = {"full graph": 3, "FastGAT-0.5": 6}, 1
ATTENTION = "seconds in attention kernels per epoch"


def rows(options: Options) -> list[Row]:
    """Both methods, each in a process of its own."""
    found = []
    for method, epochs in EPOCHS.items():
        epochs = QUICK_EPOCHS if options.quick else epochs
        nodes = QUICK_NODES if options.quick else None
        settings = {"quick": options.quick, "method": method, "epochs": epochs}
        found.append(Row(method, settings, partial(_in_own_process, method, epochs, nodes)))
    return found


def _in_own_process(method: str, epochs: int, num_nodes: int | None) -> Result:
    return peak_of(measure, method, epochs, num_nodes)[0]


def measure(method: str, epochs: int, num_nodes: int | None) -> Result:
    """Seconds and memory of making the task and of training.

    Args:
        method: a key of EPOCHS.
        epochs: how many to train.
        num_nodes: of a smaller graph for a quick run.
    """
    begin = time.perf_counter()
    if num_nodes is None:
        task = load_dataset(DATASET, split_seed=FIRST_SEED)
    else:
        task = load_dataset("synthetic", split_seed=FIRST_SEED, num_nodes=num_nodes)
    made, peak = time.perf_counter() - begin, peak_bytes()
    sparsifier = EffectiveResistanceSparsifier(epsilon=0.5) if "Fast" in method else None
    config = TrainConfig(epochs=epochs, patience=None, sparsifier=sparsifier, seed=FIRST_SEED)
    forget_peak()
    before = attention_seconds()
    by_epoch: list[float] = []  # what follows the last epoch is no epoch's
    record = Plan(None, config).run(task, on_epoch=lambda _: by_epoch.append(attention_seconds()))
    seconds = [epoch.seconds for epoch in record.history]
    return {
        "nodes": task.num_nodes,
        "edges": record.edges["trained_on"],
        "seconds to make the task": made,
        "peak bytes while making the task": peak,
        "seconds per epoch": statistics.median_high(seconds),
        ATTENTION: (by_epoch[-1] - before) / len(seconds),
        "seconds by phase": record.seconds,
        "loss": [epoch.loss for epoch in record.history],
        "test F1": record.scores["test"],
        "peak bytes while training": peak_bytes(),
    }


def tables(results: Results) -> list[Table]:
    """Seconds per epoch, the attention's part of them, and memory."""
    lines = [
        [
            method,
            f"{row.result['edges']:,}",
            f"{row.result['seconds per epoch']:.2f}",
            f"{row.result[ATTENTION]:.2f}",
            f"{row.result['peak bytes while making the task'] / 1e9:.1f}",
            f"{row.result['peak bytes while training'] / 1e9:.1f}",
        ]
        for method, row in results.items()
        if row.is_done
    ]
    columns = [
        "method",
        "edges",
        "seconds per epoch",
        "in attention kernels",
        "peak while the graph is made, GB",
        "peak while training, GB",
    ]
    return [Table("Training on a Reddit-size graph", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Training on a Reddit-size graph",
    f"`fastgat train {DATASET}`, on all edges and at epsilon = 0.5: 602 dense features, "
    "evaluation included.",
    rows,
    tables,
    takes=(),
)
