"""Whole runs of the same epochs, evaluation included: ours, and PyG's layers on all edges.

Three ratios, never mixed: FastGAT over PyG's full graph, our full graph over PyG's (the engine),
FastGAT over our own full graph (sparsifying).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastgat import EffectiveResistanceSparsifier, load_dataset
from fastgat.data import NodeTask
from fastgat.pyg import PyGGAT
from fastgat.train import Plan, RunRecord, TrainConfig, recommended_training
from harness import take_turns
from training_sections import SEED

# Fewer than a run has: PyG takes minutes. More would favour the sparse graph, which is made once.
EPOCHS = {"photo": 100, "computers": 60, "cs": 30, "physics": 15}
TURNS = 3
NAMES = ("PyG, full graph", "full graph", "FastGAT-0.5")


def make_plans(task: NodeTask, epochs: int) -> dict[str, Plan]:
    common: dict[str, Any] = {
        "seed": SEED,
        "epochs": epochs,
        "patience": None,
        **recommended_training(task),
    }
    sparse = TrainConfig(sparsifier=EffectiveResistanceSparsifier(epsilon=0.5), **common)
    full = TrainConfig(**common)
    plans = Plan(None, full, network=PyGGAT), Plan(None, full), Plan(None, sparse)
    return dict(zip(NAMES, plans, strict=True))


def run_section(datasets: Sequence[str] | None) -> list[dict[str, Any]]:
    return [measure(name) for name in datasets or EPOCHS]


def measure(name: str) -> dict[str, Any]:
    task, epochs = load_dataset(name, split_seed=SEED), EPOCHS.get(name, 20)
    last: dict[str, RunRecord] = {}

    def turn(method: str, plan: Plan) -> Callable[[], float]:
        def seconds() -> float:
            last[method] = plan.run(task)
            return last[method].total_seconds

        return seconds

    plans = make_plans(task, epochs)
    took = take_turns({method: turn(method, plan) for method, plan in plans.items()}, TURNS)
    peer, full, sparse = (took[method] for method in NAMES)
    ratios = {
        "FastGAT-0.5 over PyG, full graph": peer / sparse,
        "engine: full graph over PyG, full graph": peer / full,
        "sparsifying: FastGAT-0.5 over full graph": full / sparse,
    }
    print(name, {key: round(value, 2) for key, value in ratios.items()}, flush=True)
    return {
        "dataset": name,
        "epochs": epochs,
        "turns": TURNS,
        "seconds": took,
        **ratios,
        "seconds by phase, last turn": {m: r.seconds for m, r in last.items()},
        "bytes beyond those held before": {
            m: (r.peak_bytes or 0) - (r.resident_bytes_before or 0) for m, r in last.items()
        },
    }
