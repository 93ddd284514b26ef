"""Table 1: the sizes of the datasets."""

from __future__ import annotations

from functools import partial

from experiments.expected import expected
from experiments.experiment import Experiment, Results, Row
from experiments.options import FIRST_SEED, PAPER_DATASETS, SMALL_DATASETS, Options
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.tasks import load_task
from experiments.training.edges import paper_count
from experiments.training.scores import missing_files
from experiments.verdict import Finding, Verdict, judge_count

NAME = "table-1"
DATASETS = (*PAPER_DATASETS, "ppi", *SMALL_DATASETS, "ppi-rebuilt")
FACTS = ("nodes", "edges", "classes")


def rows(options: Options) -> list[Row]:
    """One row per dataset; it is quick enough for all of them."""
    names = options.names(DATASETS, DATASETS)
    return [Row(name, {"dataset": name}, partial(_read, name)) for name in names]


def _read(name: str) -> Result:
    task = load_task(name, FIRST_SEED)
    counted, how = paper_count(name, task)
    return {
        "nodes": task.num_nodes,
        "edges": counted,
        "classes": task.num_classes,
        "counting": how,
        "undirected_edges": task.graph.num_edges,
        "features": task.num_features,
        "graphs": task.num_graphs,
    }


def tables(results: Results) -> list[Table]:
    """Sizes, with the edges in the paper's counting and each counted once."""
    columns = ["dataset", "nodes", "edges", "counted", "edges, each once", "features", "classes"]
    lines = []
    for name, row in results.items():
        if not row.is_done:  # a remark says why
            continue
        found = row.result
        lines.append(
            [
                name,
                _beside(found["nodes"], name, "nodes"),
                _beside(found["edges"], name, "edges"),
                found["counting"],
                f"{found['undirected_edges']:,}",
                f"{found['features']:,}",
                _beside(found["classes"], name, "classes"),
            ]
        )
    return [Table("Sizes, ours (the paper's)", columns, lines, missing_files(results))]


def _beside(ours: int, name: str, fact: str) -> str:
    paper = expected(NAME, "count", fact, name)
    return f"{ours:,}" if paper is None else f"{ours:,} ({paper.printed})"


def findings(results: Results) -> list[Finding]:
    """Every size beside the paper's."""
    found: list[Finding] = []
    for name, row in results.items():
        for fact in FACTS:
            paper = expected(NAME, "count", fact, name)
            if paper is None:
                continue
            of = f"{NAME}/{name}/{fact}"
            if row.is_done:
                ours = row.result[fact]
                found.append(Finding(of, f"{ours:,}", paper.printed, judge_count(ours, paper)))
            elif row.failed is not None:
                found.append(Finding(of, "failed", paper.printed, Verdict.miss, row.failed))
            else:
                found.append(Finding(of, BLANK, paper.printed, Verdict.not_judged, "no file"))
    return found


EXPERIMENT = Experiment(
    NAME,
    "Table 1: dataset statistics",
    "Edges are counted as the paper does, which differs from dataset to dataset, and once each.",
    rows,
    tables,
    findings,
    takes=("datasets",),
)
