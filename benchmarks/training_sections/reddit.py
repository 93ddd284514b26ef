"""The Reddit-size graph as `fastgat train reddit-like` trains it, sparse and full, in one run."""

from __future__ import annotations

import time
from typing import Any

from fastgat import EffectiveResistanceSparsifier, load_dataset
from fastgat.machine import forget_peak, peak_bytes
from fastgat.reproduce.attention_time import attention_seconds
from fastgat.train import Plan, TrainConfig
from harness import peak_of
from training_sections import SEED

EPOCHS = {"full graph": 3, "FastGAT-0.5": 6}


def run_section(datasets: object) -> list[dict[str, Any]]:
    rows, _ = peak_of(measure)  # in a process of its own
    return list(rows)


def measure() -> list[dict[str, Any]]:
    begin = time.perf_counter()
    task = load_dataset("reddit-like", split_seed=SEED)
    made, peak = time.perf_counter() - begin, peak_bytes()
    rows = []
    for method in ("FastGAT-0.5", "full graph"):
        sparsifier = EffectiveResistanceSparsifier(epsilon=0.5) if "Fast" in method else None
        config = TrainConfig(epochs=EPOCHS[method], patience=None, sparsifier=sparsifier, seed=SEED)
        forget_peak()
        by_epoch: list[float] = []  # what follows the last epoch is no epoch's
        with attention_seconds() as attention:
            record = Plan(None, config).run(
                task, on_epoch=lambda _, sums=by_epoch, so_far=attention: sums.append(so_far.total)
            )
        epochs = [epoch.seconds for epoch in record.history]
        rows.append(
            {
                "method": method,
                "nodes": task.num_nodes,
                "edges": record.edges["trained_on"],
                "seconds to make the task": made,
                "peak bytes while making the task": peak,
                "seconds per epoch": sorted(epochs)[len(epochs) // 2],
                "seconds in attention kernels per epoch": by_epoch[-1] / len(epochs),
                "seconds by phase": record.seconds,
                "loss": [epoch.loss for epoch in record.history],
                "test F1": record.scores["test"],
                "peak bytes while training": peak_bytes(),
            }
        )
        print({key: value for key, value in rows[-1].items() if key != "loss"}, flush=True)
    return rows
