"""As many edges, chosen otherwise: how much of the accuracy is due to the resistances?"""

from __future__ import annotations

from dataclasses import replace

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.table import Table
from experiments.training.method import GAT, Method, const, degree_edges, independent, random_edges
from experiments.training.rows import training_rows
from experiments.training.scores import datasets_of, is_as_good, score_table

NAME = "equal-edges"
DATASETS = ("photo", "computers", "cs", "pubmed", "physics", "github")
EPSILONS = (0.5, 0.9)
OTHERS = {"random, same count": random_edges, "degree, same count": degree_edges}
METHODS = (
    GAT,
    *(make(epsilon) for epsilon in EPSILONS for make in (const, independent, *OTHERS.values())),
    Method("DropEdge", network="DropEdge"),
)
LABELS = [method.label for method in METHODS]


def rows(options: Options) -> list[Row]:
    """Every dataset, method and seed."""
    return training_rows(options.names(DATASETS), METHODS, options)


def tables(results: Results) -> list[Table]:
    """Accuracy, and in words where other edges do as well."""
    scores = score_table(NAME, results, LABELS, paper=False)
    return [replace(scores, remarks=[*scores.remarks, *where_as_good(results)])]


def where_as_good(results: Results) -> list[str]:
    """Where a kind of edges does as well as those by resistance."""
    sentences = []
    for shown, make in OTHERS.items():
        where = [
            f"{dataset} at {epsilon}"
            for dataset in datasets_of(results)
            for epsilon in EPSILONS
            if is_as_good(results, dataset, make(epsilon).label, independent(epsilon).label)
        ]
        if where:
            sentences.append(
                f"{shown.capitalize()}: as good or better, or less by at most a deviation, on "
                f"{', '.join(where)}."
            )
    return sentences


EXPERIMENT = Experiment(
    NAME,
    "As many edges, chosen otherwise",
    "Beyond the paper, whose FastGAT-const draws edges with replacement. All others here sample "
    "independently, and keep as many on average; they are compared with FastGAT's "
    "independent edges. DropEdge trains on a fresh half of the edges at every step and infers on "
    "all.",
    rows,
    tables,
)
