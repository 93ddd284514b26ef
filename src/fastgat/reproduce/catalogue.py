"""All experiments by name, in the paper's order; at the end those that it has not."""

from __future__ import annotations

from fastgat.check import InputError
from fastgat.reproduce import (
    adaptive,
    choices,
    dense_scaling,
    equal_edges,
    figure_1,
    figure_2,
    open_settings,
    rate_of_learning,
    small_graphs,
    statements,
    table_1,
    table_2,
    table_3,
    table_4,
    table_5,
)
from fastgat.reproduce.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
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
        equal_edges,
        choices,
        open_settings,
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of a name."""
    if name not in EXPERIMENTS:
        raise InputError(f"name={name!r} is no experiment; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
