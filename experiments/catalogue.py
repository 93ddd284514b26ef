"""All experiments by name, and the groups that they can be run in."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from experiments.benchmarks import (
    accuracy,
    attention_draws,
    attention_layers,
    attention_memory,
    attention_reddit,
    attention_scaling,
    attention_steps,
    before_after,
    parquet_memory,
    reddit_size,
    resistances,
    smoothing,
    solver,
    sparsifiers,
    training_reddit,
    training_speed,
)
from experiments.experiment import Experiment
from experiments.open import choices, equal_edges, few_edges, open_settings
from experiments.paper import (
    adaptive,
    dense_scaling,
    figure_1,
    figure_2,
    rate_of_learning,
    small_graphs,
    table_1,
    table_2,
    table_3,
    table_4,
    table_5,
)
from experiments.theorems import statements
from fastgat.check import InputError

# In the paper's order.
PAPER = [
    module.EXPERIMENT
    for module in (
        table_1,
        table_2,
        table_3,
        table_4,
        table_5,
        small_graphs,
        figure_1,
        figure_2,
        rate_of_learning,
        adaptive,
        dense_scaling,
        statements,
    )
]
OPEN = [module.EXPERIMENT for module in (equal_edges, few_edges, choices, open_settings)]
# By the headings of docs/results.md.
BENCHMARKS = {
    "Attention": [
        module.EXPERIMENT
        for module in (
            attention_steps,
            attention_layers,
            attention_memory,
            attention_scaling,
            attention_reddit,
            attention_draws,
            before_after,
        )
    ],
    "Training": [module.EXPERIMENT for module in (training_speed, training_reddit)],
    "Resistances and solves": [
        module.EXPERIMENT
        for module in (resistances, accuracy, smoothing, reddit_size, solver, parquet_memory)
    ],
    "Sparsifiers": [sparsifiers.EXPERIMENT],
}
GROUPS: dict[str, list[Experiment]] = {
    "paper": PAPER,
    "open": OPEN,
    "benchmarks": [experiment for part in BENCHMARKS.values() for experiment in part],
}
GROUPS["all"] = [experiment for group in GROUPS.values() for experiment in group]
EXPERIMENTS = {experiment.name: experiment for experiment in GROUPS["all"]}
TRAINED = [experiment.name for experiment in (*PAPER, *OPEN)]  # which share rows with each other


def find_experiment(name: str, others: Sequence[str] = ()) -> Experiment:
    """The experiment of a name; `others` are words that may have been meant as well."""
    if name not in EXPERIMENTS:
        near = difflib.get_close_matches(name, [*EXPERIMENTS, *GROUPS, *others], n=1)
        way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(EXPERIMENTS)}"
        raise InputError(f"name={name!r} is no experiment; {way_out}")
    return EXPERIMENTS[name]
