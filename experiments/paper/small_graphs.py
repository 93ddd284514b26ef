"""The appendix' table on Cora, Citeseer and PubMed."""

from __future__ import annotations

from experiments.experiment import Experiment, Results, Row
from experiments.options import SMALL_DATASETS, Options
from experiments.table import Table
from experiments.training.cost import ratio_table, time_table
from experiments.training.edges import edge_findings, edge_table
from experiments.training.method import GAT, PEER, const, per_head
from experiments.training.scores import score_findings, score_table
from experiments.training.times import timed_and_trained
from experiments.verdict import Finding

NAME = "small-graphs"
SPARSE = (per_head(0.5), per_head(0.9))
METHODS = (GAT, *SPARSE, const(0.5), const(0.9))
TIMED = (PEER, *METHODS)
LABELS = [method.label for method in METHODS]
SPARSE_LABELS = [method.label for method in SPARSE]


def rows(options: Options) -> list[Row]:
    """Times, then every method and seed."""
    datasets = options.names(SMALL_DATASETS, ("cora",))
    return timed_and_trained(datasets, TIMED, METHODS, options)


def tables(results: Results) -> list[Table]:
    """Accuracy, edges and times."""
    timed = [method.label for method in TIMED]
    sparse = LABELS[1:]
    found = [
        score_table(NAME, results, LABELS),
        edge_table(NAME, results, sparse),
        ratio_table(NAME, results, GAT.label, sparse, "cpu-seconds", PEER.label),
        time_table(NAME, results, timed, "cpu", "cpu-seconds"),
        time_table(NAME, results, timed, "cuda", "gpu-seconds"),
    ]
    return [table for table in found if table is not None]


def findings(results: Results) -> list[Finding]:
    """Accuracy and edges."""
    scores = score_findings(NAME, results, LABELS)
    return scores + edge_findings(NAME, results, SPARSE_LABELS)


EXPERIMENT = Experiment(
    NAME,
    "Appendix: the small citation graphs",
    "The paper's rows are named FastGAT, not FastGAT-const, so they draw a graph per head; const "
    "is beside them for comparison. The split is its 10/20/70 at random, not the public one.",
    rows,
    tables,
    findings,
)
