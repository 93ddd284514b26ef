"""The choices behind the defaults, each changed alone from FastGAT-const."""

from __future__ import annotations

from typing import Any

from fastgat import EffectiveResistanceSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training
from training_sections import Options, load, run, summary

DATASETS = ("photo", "computers", "cs", "pubmed")
EPSILONS = (0.5, 0.9)
CHANGES: dict[str, dict[str, Any]] = {
    "const": {},
    "log w prior": {"config": {"edge_weight": "prior"}},
    "independent": {"sparsifier": {"sampling": "independent"}},
    "paper's plain sketch": {"sparsifier": {"estimator": "plain"}},
    "judged on the full graph": {"config": {"evaluate_on": "full"}},
    "layer": {"settings": {"resample": "layer"}, "config": {"evaluate_on": "full"}},
    "head": {"settings": {"resample": "head"}, "config": {"evaluate_on": "full"}},
}


def run_section(options: Options) -> list[dict[str, Any]]:
    rows = []
    for name in options.tasks(DATASETS):
        for epsilon in EPSILONS:
            for label, change in CHANGES.items():
                records = []
                for seed in options.numbers():
                    task = load(name, seed)
                    sparsifier = EffectiveResistanceSparsifier(
                        epsilon=epsilon, **change.get("sparsifier", {})
                    )
                    common = {"seed": seed, **recommended_training(task)}
                    config = TrainConfig(
                        sparsifier=sparsifier, **common, **change.get("config", {})
                    )
                    plan = Plan(None, config, change.get("settings", {}))
                    key = "resistance" if label == "const" else label.replace(" ", "-")
                    records.append(run(plan, task, f"{key}-{epsilon}"))
                rows.append(summary(name, f"{label}, {epsilon}", records))
    return rows
