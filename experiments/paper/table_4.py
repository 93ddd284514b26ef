"""Table 4: inductive learning, training on some graphs and judging on others."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import f1_score

from experiments.expected import expected
from experiments.experiment import Experiment, MissingError, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.tasks import obtain
from experiments.training.cost import times_of
from experiments.training.method import GAT, Method, const, random_edges
from experiments.training.rows import training_rows
from experiments.training.scores import (
    absence,
    datasets_of,
    mean_of,
    missing_files,
    rows_of,
    score_findings,
    score_of,
    show_score,
)
from experiments.training.times import timing_row
from experiments.verdict import Finding, Verdict
from fastgat.data.archive import read_arrays
from fastgat.data.download import look_up
from fastgat.data.ppi_rebuilt import PPI_REBUILT

NAME = "table-4"
PPI, STAND_IN, QUICK = "ppi", "ppi-rebuilt", "ppi-like:1200"
METHODS = (
    GAT,
    Method("GraphSAGE", network="GraphSAGE"),
    random_edges(0.25),
    random_edges(0.5),
    const(0.25),
    const(0.5),
)
LABELS = [method.label for method in METHODS]
COLUMNS = (
    "method", "F1", "the paper's on PPI", "s per epoch", "the paper's", "edges", "epochs", "seeds",
)  # fmt: skip
LOOK_UP = f"{STAND_IN}/gene look-up"
# An epoch takes seconds: a few are enough to time, and three seeds to judge.
SEEDS, TIMED_EPOCHS = 3, 2


def rows(options: Options) -> list[Row]:
    """Times, then every method and seed, on PPI or on the stand-in where PPI cannot be had."""
    at_hand = STAND_IN if not options.quick and obtain(PPI) is not None else PPI
    found = []
    for dataset in options.names((at_hand,), (QUICK,)):
        if dataset == STAND_IN:
            found.append(Row(LOOK_UP, {"quick": options.quick, "dataset": dataset}, look_up_genes))
        found.append(timing_row(dataset, METHODS, options, epochs=TIMED_EPOCHS))
        found += training_rows([dataset], METHODS, options, seeds=SEEDS)
    return found


def look_up_genes() -> Result:
    """Micro-F1 of the test nodes if every gene has the labels it has among those for training."""
    missing = obtain(STAND_IN)
    path = look_up(PPI_REBUILT.graph_file)
    if missing is not None or path is None:
        raise MissingError(missing or PPI_REBUILT.graph_file)
    genes, labels, role = read_arrays(path, "entrez_gene", "y", "split")
    known = dict(zip(genes[role == 0].tolist(), labels[role == 0], strict=True))
    nothing = np.zeros(labels.shape[1], labels.dtype)
    test = role == 2
    found = np.array([known.get(gene, nothing) for gene in genes[test].tolist()])
    return {"test_f1": float(f1_score(labels[test], found, average="micro"))}


def tables(results: Results) -> list[Table]:
    """One table per dataset; the paper's figures are of PPI alone."""
    found = []
    for dataset in datasets_of(results):
        remarks = missing_files(results)
        if dataset == STAND_IN:
            remarks.append(
                "PPI (rebuilt labels) has the benchmark's graphs, split and features, and about "
                "99.9 % of its labels: the paper's figures are beside it, and nothing is judged."
            )
            known = results.get(LOOK_UP)
            if known is not None and known.is_done:
                remarks.append(
                    "Genes recur across tissues with the same labels: looking each up among those "
                    f"for training, without any network, scores {known.result['test_f1']:.3f}."
                )
        elif dataset != PPI:
            remarks.append(
                f"{dataset} stands in for PPI: other features and labels, so the paper's figures "
                "are beside it for orientation and nothing is judged."
            )
        lines = [
            _line(results, dataset, label) for label in LABELS if rows_of(results, dataset, label)
        ]
        found.append(Table(f"Inductive learning on {dataset}", COLUMNS, lines, remarks))
    return found


def _line(results: Results, dataset: str, label: str) -> list[str]:
    score, every = score_of(results, dataset, label), rows_of(results, dataset, label)
    edges, epochs = (mean_of(results, dataset, label, fact) for fact in ("edges", "epochs"))
    timed = times_of(results, dataset)
    printed = [expected(NAME, metric, label, PPI) for metric in ("f1", "seconds")]
    paper = [BLANK if figure is None else figure.printed for figure in printed]
    return [
        label,
        absence(every) if score is None else show_score(score),
        paper[0],
        BLANK if timed is None else f"{timed.result[label]['training_seconds']:.2f}",
        paper[1],
        BLANK if edges is None else f"{edges:,.0f}",
        BLANK if epochs is None else f"{epochs:.0f}",
        str(sum(row.is_done for row in every)),
    ]


def findings(results: Results) -> list[Finding]:
    """Scores on PPI; those on a stand-in are not the paper's to judge."""
    found = score_findings(NAME, results, LABELS)
    for dataset in datasets_of(results):
        for label in LABELS if dataset != PPI else ():
            score, paper = score_of(results, dataset, label), expected(NAME, "f1", label, PPI)
            if score is not None and paper is not None:
                of, ours = f"{NAME}/{label}/{dataset}/F1", show_score(score)
                why = f"{dataset} stands in for PPI"
                found.append(Finding(of, ours, paper.printed, Verdict.not_judged, why))
    return found


EXPERIMENT = Experiment(
    NAME,
    "Table 4: inductive learning",
    "The GAT paper's network for PPI: layers of 4 x 256 heads with a skip, then 6 heads averaged; "
    "training graphs alone are sparsified. An epoch can take tens of seconds on a CPU, so "
    "`--epochs` and `--seeds` may shorten it; the table says how many there were. The row that the "
    "paper prints as rand-0.9 is taken to be rand-0.5, as its text has it. GraphSAGE is trained "
    "here, with the two layers of its own paper; the 0.768 that the paper quotes is of the wider "
    "one with three layers in the GAT paper.",
    rows,
    tables,
    findings,
)
