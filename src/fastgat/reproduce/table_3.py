"""Table 3: FastGAT among the baselines, in accuracy."""

from __future__ import annotations

from fastgat.reproduce.experiment import Experiment, Results, Row
from fastgat.reproduce.method import Method, const, per_head, random_edges
from fastgat.reproduce.options import PAPER_DATASETS, Options
from fastgat.reproduce.summary import score_findings, score_table
from fastgat.reproduce.table import Table
from fastgat.reproduce.training import training_rows
from fastgat.reproduce.verdict import Finding

NAME = "table-3"
METHODS = (
    Method("FastGCN-400", network="FastGCN-400"),
    Method("FastGCN-800", network="FastGCN-800"),
    random_edges(0.5),
    random_edges(0.9),
    Method("sparseGAT", network="SparseGAT"),
    per_head(0.5),
    per_head(0.9),
    const(0.5),
    const(0.9),
)
LABELS = [method.label for method in METHODS]
BASELINE_SEEDS = 3


def rows(options: Options) -> list[Row]:
    """Every dataset, method and seed; fewer seeds of the baselines, which are slow."""
    datasets = options.names(PAPER_DATASETS)
    return training_rows(datasets, METHODS, options, baseline_seeds=BASELINE_SEEDS)


def tables(results: Results) -> list[Table]:
    """Accuracy."""
    return [score_table(NAME, results, LABELS)]


def findings(results: Results) -> list[Finding]:
    """All nine rows."""
    return score_findings(NAME, results, LABELS)


EXPERIMENT = Experiment(
    NAME,
    "Table 3: transductive learning beside the baselines",
    "FastGAT without `const` is Algorithm 1: a fresh graph for every head of every layer at every "
    "step, since the paper names drawing per layer a variation. Inference is on one draw, as the "
    "paper trains and infers on sparse graphs. Random edges are as many as FastGAT's distinct "
    "ones. FastGCN has its own paper's settings. Baselines that take seconds per epoch have fewer "
    "seeds.",
    rows,
    tables,
    findings,
)
