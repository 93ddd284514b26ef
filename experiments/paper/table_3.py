"""Table 3: FastGAT among the baselines, in accuracy."""

from __future__ import annotations

from dataclasses import replace

from experiments.experiment import Experiment, Results, Row
from experiments.options import PAPER_DATASETS, Options
from experiments.table import Table
from experiments.training.method import (
    FAST_GCN_400,
    FAST_GCN_800,
    SPARSE_GAT,
    const,
    per_head,
    random_edges,
)
from experiments.training.rows import training_rows
from experiments.training.scores import datasets_of, is_as_good, score_findings, score_table
from experiments.verdict import Finding

NAME = "table-3"
METHODS = (
    FAST_GCN_400,
    FAST_GCN_800,
    random_edges(0.5),
    random_edges(0.9),
    SPARSE_GAT,
    per_head(0.5),
    per_head(0.9),
    const(0.5),
    const(0.9),
)
LABELS = [method.label for method in METHODS]
OTHERS = (FAST_GCN_400, FAST_GCN_800, SPARSE_GAT)
COMPARED = {
    const(epsilon).label: [method.label for method in (*OTHERS, random_edges(epsilon))]
    for epsilon in (0.5, 0.9)
}
BASELINE_SEEDS = 3


def rows(options: Options) -> list[Row]:
    """Every dataset, method and seed; fewer seeds of the baselines, which are slow."""
    datasets = options.names(PAPER_DATASETS)
    return training_rows(datasets, METHODS, options, baseline_seeds=BASELINE_SEEDS)


def tables(results: Results) -> list[Table]:
    """Accuracy, and in words where a baseline does as well as FastGAT."""
    scores = score_table(NAME, results, LABELS)
    return [replace(scores, remarks=[*scores.remarks, *where_as_good(results)])]


def where_as_good(results: Results) -> list[str]:
    """One sentence for each epsilon."""
    sentences = []
    for ours, others in COMPARED.items():
        where = [
            f"{label} on {', '.join(names)}"
            for label in others
            if (names := [d for d in datasets_of(results) if is_as_good(results, d, label, ours)])
        ]
        if where:
            sentences.append(
                f"As good as {ours} or better, or less by at most a deviation: {'; '.join(where)}."
            )
    return sentences


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
