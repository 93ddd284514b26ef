"""Table 5: the same with cosine and GaAN attention."""

from __future__ import annotations

from dataclasses import replace

from experiments.experiment import Experiment, Results, Row
from experiments.options import PAPER_DATASETS, Options
from experiments.table import Table
from experiments.training.cost import ratio_table, time_table
from experiments.training.method import Method
from experiments.training.scores import score_findings, score_table
from experiments.training.times import timed_and_trained
from experiments.verdict import Finding

NAME = "table-5"
EPSILONS = (0.5, 0.9)
ATTENTIONS = {"cosine": "cosine", "GaAN": "gaan"}
FULL = {shown: Method(f"{shown}, full graph", attention=key) for shown, key in ATTENTIONS.items()}
SPARSE = {
    shown: [Method(f"{shown}, {epsilon}", epsilon, attention=key) for epsilon in EPSILONS]
    for shown, key in ATTENTIONS.items()
}
METHODS = [method for shown in ATTENTIONS for method in (FULL[shown], *SPARSE[shown])]
LABELS = [method.label for method in METHODS]


def rows(options: Options) -> list[Row]:
    """Times, then every method and seed."""
    datasets = options.names(PAPER_DATASETS)
    return timed_and_trained(datasets, METHODS, METHODS, options)


def tables(results: Results) -> list[Table]:
    """Accuracy, and times beside the paper's."""
    found: list[Table | None] = [score_table(NAME, results, LABELS)]
    for shown, full in FULL.items():
        sparse = [method.label for method in SPARSE[shown]]
        ratios = ratio_table(NAME, results, full.label, sparse, "seconds")
        if ratios is not None:
            found.append(replace(ratios, title=f"{ratios.title}, {shown} attention"))
    # The paper's seconds stand beside the CPU's alone, since it does not say whose they are.
    found.append(time_table(NAME, results, LABELS, "cpu", "seconds"))
    found.append(time_table(NAME, results, LABELS, "cuda", "none"))
    return [table for table in found if table is not None]


def findings(results: Results) -> list[Finding]:
    """Accuracy of both attentions."""
    return score_findings(NAME, results, LABELS)


EXPERIMENT = Experiment(
    NAME,
    "Table 5: cosine and GaAN attention",
    "FastGAT-const with other scores. GaAN follows equation 10, without gates; of its networks the "
    "paper gives no widths: one hidden layer of the head's width, LeakyReLU 0.1. The paper does "
    "not say which device its times are of; they are near those that table 2 has for a GPU.",
    rows,
    tables,
    findings,
)
