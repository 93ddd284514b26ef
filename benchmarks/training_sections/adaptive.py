"""Adaptive density beside epsilon = 0.5: the accuracy, and the edges that were worked on."""

from __future__ import annotations

from typing import Any

from fastgat import AdaptiveDensity, EffectiveResistanceSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training
from training_sections import Options, load, run, summary

DATASETS = ("cs", "physics")


def run_section(options: Options) -> list[dict[str, Any]]:
    rows = []
    for name in options.tasks(DATASETS):
        found: dict[str, list[Any]] = {"FastGAT-const-0.5": [], "adaptive": []}
        for seed in options.numbers():
            task = load(name, seed)
            common = {"seed": seed, **recommended_training(task)}
            sparsifier = EffectiveResistanceSparsifier(epsilon=0.5)
            const = TrainConfig(sparsifier=sparsifier, **common)
            found["FastGAT-const-0.5"].append(run(Plan(None, const), task, "resistance-0.5"))
            changing = TrainConfig(sparsifier=sparsifier, adaptive=AdaptiveDensity(), **common)
            found["adaptive"].append(run(Plan(None, changing), task, "adaptive"))
        for method, records in found.items():
            row = summary(name, method, records)
            row["decisions of the first seed"] = records[0].decisions
            rows.append(row)
    return rows
