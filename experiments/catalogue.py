"""All experiments by name, and the groups that they can be run in."""

from __future__ import annotations

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
from experiments.open import choices, equal_edges, open_settings
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
OPEN = [module.EXPERIMENT for module in (equal_edges, choices, open_settings)]
BENCHMARKS = [
    module.EXPERIMENT
    for module in (
        attention_steps,
        attention_layers,
        attention_memory,
        attention_scaling,
        attention_reddit,
        attention_draws,
        training_speed,
        training_reddit,
        resistances,
        accuracy,
        smoothing,
        solver,
        reddit_size,
        parquet_memory,
        sparsifiers,
        before_after,
    )
]
EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (*PAPER, *OPEN, *BENCHMARKS)
}
GROUPS = {
    "all": list(EXPERIMENTS.values()),
    "paper": PAPER,
    "open": OPEN,
    "benchmarks": BENCHMARKS,
}
TRAINED = [experiment.name for experiment in (*PAPER, *OPEN)]  # which share rows with each other


def find_experiment(name: str) -> Experiment:
    """The experiment of a name."""
    if name not in EXPERIMENTS:
        raise InputError(f"name={name!r} is no experiment; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
