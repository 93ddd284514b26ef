"""Micro-F1 with all edges, with those of highest resistance, and with as many chosen otherwise."""

from __future__ import annotations

from typing import Any

from fastgat import DegreeSparsifier, EffectiveResistanceSparsifier, UniformSparsifier
from fastgat.train import Plan, TrainConfig, recommended_training
from fastgat.train.equal_edges import as_many_edges
from training_sections import Options, is_finished, load, run, summary

DATASETS = ("photo", "computers", "cs", "pubmed", "physics", "github")
EPSILONS = (0.5, 0.9)


def run_one(name: str, seed: int) -> dict[str, Any]:
    """The records of all methods for one dataset and seed."""
    task = load(name, seed)
    options = {"seed": seed, **recommended_training(task)}
    records = {"full graph": run(Plan(None, TrainConfig(**options)), task, "full")}
    for epsilon in EPSILONS:
        chosen = EffectiveResistanceSparsifier(epsilon=epsilon)
        plan = Plan(None, TrainConfig(sparsifier=chosen, **options))
        records[f"FastGAT-const-{epsilon}"] = run(plan, task, f"resistance-{epsilon}")
        for method, kind in {"random": UniformSparsifier, "degree": DegreeSparsifier}.items():
            other = as_many_edges(kind, epsilon, task, seed)
            plan = Plan(None, TrainConfig(sparsifier=other, **options))
            records[f"{method}-{epsilon}"] = run(plan, task, f"{method}-{epsilon}")
    return records


def run_section(options: Options) -> list[dict[str, Any]]:
    rows = []
    for name in options.tasks(DATASETS):
        seeds = [seed for seed in options.numbers() if not options.finished or done(name, seed)]
        found = [run_one(name, seed) for seed in seeds]
        if found:
            rows += [summary(name, method, [one[method] for one in found]) for method in found[0]]
    return rows


def done(name: str, seed: int) -> bool:
    """Whether every method was trained with this seed."""
    methods = ("resistance", "random", "degree")
    keys = ["full", *(f"{method}-{epsilon}" for method in methods for epsilon in EPSILONS)]
    return all(is_finished(name, key, seed) for key in keys)
