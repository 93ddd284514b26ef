"""How many edges a method leaves out, in the paper's counting and with each edge counted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastgat.reproduce.edge_counts import reduction
from fastgat.reproduce.expected import expected
from fastgat.reproduce.experiment import Results
from fastgat.reproduce.summary import datasets_of, mean_of, rows_of
from fastgat.reproduce.table import BLANK, Table
from fastgat.reproduce.verdict import Finding, judge_share

COLUMNS = (
    "dataset",
    "method",
    "edges kept",
    "gone, each edge once",
    "gone, the paper's counting",
    "the paper's",
)


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
