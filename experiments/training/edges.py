"""Edges as the paper counts them, which differs by dataset, and how many of them are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from experiments.expected import expected
from experiments.experiment import Results
from experiments.table import BLANK, Table
from experiments.training.scores import datasets_of, mean_of, rows_of
from experiments.verdict import Finding, judge_share
from fastgat.data import NodeTask
from fastgat.data.catalogue import CATALOGUE
from fastgat.data.download import look_up
from fastgat.data.planetoid import count_listed

# The denominators that the paper's reductions can be recomputed with.
BOTH_DIRECTIONS = ("physics", "cs")
# One-sided files with some edges in both directions; lists of neighbours with repeats and loops.
AS_STORED = ("computers", "photo", "ppi", "cora", "citeseer", "pubmed")
COLUMNS = (
    "dataset",
    "method",
    "edges kept",
    "gone, each edge once",
    "gone, the paper's counting",
    "the paper's",
)


def paper_count(name: str, task: NodeTask) -> tuple[int, str]:
    """The edges of a dataset as the paper counts them, and in words how that is."""
    if name in BOTH_DIRECTIONS:
        return 2 * task.graph.num_edges, "both directions"
    if name in AS_STORED:
        return _stored_edges(name), "as stored"
    return task.graph.num_edges, "undirected"


def _stored_edges(name: str) -> int:
    total = 0
    for place in CATALOGUE[name].files(graph_only=True):
        path = look_up(place)
        assert path is not None  # the task was read from it
        if path.suffix == ".json":
            total += len(json.loads(path.read_text(encoding="utf-8"))["links"])
        elif path.suffix == ".graph":
            total += count_listed(path) // 2
        else:
            with np.load(path, allow_pickle=False) as stored:
                total += int(stored["adj_indptr"][-1])
    return total


def reduction(kept: float, before: int) -> float:
    """The share of edges that is gone.

    >>> reduction(25, 100)
    0.75
    """
    return 1 - kept / before


def edge_table(experiment: str, results: Results, labels: Sequence[str]) -> Table | None:
    """Kept edges and both shares."""
    lines = []
    for dataset, label, kept, before, counted in _kept(results, labels):
        paper = expected(experiment, "edge-reduction", label, dataset)
        lines.append(
            [
                dataset,
                label,
                f"{kept:,.0f} of {before:,}",
                f"{reduction(kept, before):.1%}",
                f"{reduction(kept, counted):.1%}",
                BLANK if paper is None else paper.printed,
            ]
        )
    return Table("Edges left out", COLUMNS, lines) if lines else None


def edge_findings(experiment: str, results: Results, labels: Sequence[str]) -> list[Finding]:
    """Every share in the paper's counting beside the one it prints.

    Quick rows are judged too: edges do not depend on epochs.
    """
    found = []
    for dataset, label, kept, _, counted in _kept(results, labels):
        paper = expected(experiment, "edge-reduction", label, dataset)
        if paper is not None:
            ours = reduction(kept, counted)
            of, verdict = f"{experiment}/{label}/{dataset}/edges", judge_share(ours, paper)
            found.append(Finding(of, f"{ours:.2%}", paper.printed, verdict))
    return found


def _kept(results: Results, labels: Sequence[str]) -> Iterator[tuple[str, str, float, int, int]]:
    """Dataset, label, edges kept, edges before, and those as the paper counts them."""
    for dataset in datasets_of(results):
        for label in labels:
            kept = mean_of(results, dataset, label, "edges")
            done = [row for row in rows_of(results, dataset, label) if row.is_done]
            if kept is not None and done:
                first = done[0].result
                yield dataset, label, kept, first["edges_before"], first["paper_edges"]
