"""The Reddit-size graph as `fastgat train reddit-like` trains it, sparse and full, in one run."""

from __future__ import annotations

import time
from typing import Any

from fastgat import EffectiveResistanceSparsifier, _core
from fastgat.memory import forget_peak, peak_bytes
from fastgat.train import Plan, TrainConfig
from harness import peak_of
from training_sections import FIRST_SEED, Options, load

EPOCHS = {"full graph": 3, "FastGAT-0.5": 6}
KERNELS = ("additive_forward", "additive_backward")


def run_section(options: Options) -> list[dict[str, Any]]:
    rows, peak = peak_of(measure)
    for row in rows:
        row["peak bytes of the process"] = peak
    return list(rows)


def measure() -> list[dict[str, Any]]:
    begin = time.perf_counter()
    task = load("reddit-like", FIRST_SEED)
    made = time.perf_counter() - begin
    rows = []
    for method in ("FastGAT-0.5", "full graph"):
        sparsifier = EffectiveResistanceSparsifier(epsilon=0.5) if "Fast" in method else None
        config = TrainConfig(
            epochs=EPOCHS[method], patience=None, sparsifier=sparsifier, seed=FIRST_SEED
        )
        attention = time_kernels()
        forget_peak()
        record = Plan(None, config).run(task)
        epochs = [epoch.seconds for epoch in record.history]
        passes = EPOCHS[method]
        rows.append(
            {
                "method": method,
                "nodes": task.num_nodes,
                "edges": record.edges["trained_on"],
                "seconds to make the task": made,
                "seconds per epoch": sorted(epochs)[len(epochs) // 2],
                "seconds in attention kernels per epoch": sum(attention.values()) / passes,
                "seconds by phase": record.seconds,
                "loss": [epoch.loss for epoch in record.history],
                "test F1": record.scores["test"],
                "peak bytes while training": peak_bytes(),
            }
        )
        print({key: value for key, value in rows[-1].items() if key != "loss"}, flush=True)
    return rows


def time_kernels() -> dict[str, float]:
    """Seconds spent in the attention kernels from now on, by name."""
    spent = dict.fromkeys(KERNELS, 0.0)
    for name in KERNELS:
        kernel = getattr(_core, name)
        kernel = getattr(kernel, "original", kernel)

        def timed(*arguments: Any, kernel: Any = kernel, name: str = name) -> Any:
            begin = time.perf_counter()
            result = kernel(*arguments)
            spent[name] += time.perf_counter() - begin
            return result

        timed.original = kernel  # type: ignore[attr-defined]
        setattr(_core, name, timed)
    return spent
