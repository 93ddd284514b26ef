"""Few edges, full accuracy: which edges keep what the full graph gives, at three densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import StoredRow
from experiments.table import BLANK, Table
from experiments.training.method import GAT, Method, degree_edges, independent, random_edges
from experiments.training.rows import training_rows
from experiments.training.scores import datasets_of, rows_of, score_of, score_table, show_score
from fastgat.report.runs import Spread

NAME = "few-edges"
DATASETS = ("photo", "computers", "cs", "physics", "github", "pubmed", "cora", "citeseer")
DENSITIES = ("0.9", "0.5", "5 %")  # epsilons, whose number of edges all keep; or a share
SHARES = {"5 %": 0.05}
RESISTANCE, SIMILARITY, GUIDED, PRODUCT = (
    "resistance",
    "similarity",
    "guided",
    "guided x similarity",
)
KINDS = (RESISTANCE, "degree", "random", SIMILARITY, GUIDED, PRODUCT)
CLOSE, NEAR = 0.005, 0.02  # of the full graph's F1


def method(kind: str, density: str) -> Method:
    """Edges of a kind at a density; those of other experiments have their labels there."""
    options = {"times": ["similarity"]} if kind == PRODUCT else {}
    edges = {"random": "uniform", PRODUCT: GUIDED}.get(kind, kind)
    if density in SHARES:
        return Method(f"{kind} {density}", edges=edges, sparsifier=options, share=SHARES[density])
    epsilon = float(density)
    known = {RESISTANCE: independent, "degree": degree_edges, "random": random_edges}
    if kind in known:
        return known[kind](epsilon)
    return Method(f"{kind} {density}", epsilon, edges=edges, sparsifier=options)


METHODS = {(kind, density): method(kind, density) for density in DENSITIES for kind in KINDS}


def rows(options: Options) -> list[Row]:
    """The full graph, then density by density."""
    found = training_rows(options.names(DATASETS), [GAT], options)
    for density in DENSITIES:
        chosen = [METHODS[kind, density] for kind in KINDS]
        # Rows that other experiments share are not judged on all edges there.
        new = [one.label for one in chosen if one.edges in (SIMILARITY, GUIDED)]
        found += training_rows(options.names(DATASETS), chosen, options, on_whole=new)
    return found


def tables(results: Results) -> list[Table]:
    """Scores by density, the loss against the full graph, the graph of inference, and epochs."""
    found = []
    for density in DENSITIES:
        labels = [GAT.label, *(METHODS[kind, density].label for kind in KINDS)]
        scores = score_table(NAME, results, labels, paper=False)
        if len(scores.lines) > 1:
            of = "of the edges" if density in SHARES else "epsilon, its number of edges"
            remarks = [*scores.remarks, *losses(results, density)]
            found.append(replace(scores, title=f"Test micro-F1, {density} {of}", remarks=remarks))
    return [*found, *filter(None, [inference_table(results), epochs_table(results)])]


def losses(results: Results, density: str) -> list[str]:
    """In words: how much every kind of edges loses against the full graph."""
    found = []
    for kind in KINDS:
        lost = {}
        for dataset in datasets_of(results):
            full = score_of(results, dataset, GAT.label)
            ours = score_of(results, dataset, METHODS[kind, density].label)
            if full is not None and ours is not None:
                lost[dataset] = full.mean - ours.mean
        if lost:
            worst = max(lost, key=lambda dataset: lost[dataset])
            close, near, above = (
                sum(value <= limit for value in lost.values()) for limit in (CLOSE, NEAR, 0)
            )
            found.append(
                f"{kind}: {fmean(lost.values()):.4f} below the full graph on average, at most "
                f"{lost[worst]:.4f} ({worst}); of {len(lost)} graphs within {CLOSE} on {close}, "
                f"within {NEAR} on {near}, at or above it on {above}."
            )
    return found


def better_of(rows: Sequence[StoredRow]) -> Spread | None:
    """Test F1 on the sparse or on the whole graph, whichever has the higher validation F1."""
    values = []
    for row in rows:
        whole = row.result.get("on_whole")
        if whole is not None:
            sparse = row.result["validation_f1"], row.result["test_f1"]
            better = whole["validation"] > sparse[0]
            values.append(whole["test"] if better else sparse[1])
    return Spread.of(values)


def inference_table(results: Results) -> Table | None:
    """Trained on few edges: judged on them, on all, and on the better by validation."""
    lines = []
    datasets = datasets_of(results)
    for (kind, density), one in METHODS.items():
        if one.edges not in (SIMILARITY, GUIDED):
            continue
        by_dataset = [rows_of(results, dataset, one.label) for dataset in datasets]
        if not any(by_dataset):
            continue
        whole = [
            Spread.of(row.result["on_whole"]["test"] for row in rows if "on_whole" in row.result)
            for rows in by_dataset
        ]
        sparse = [score_of(results, dataset, one.label) for dataset in datasets]
        better = [better_of(rows) for rows in by_dataset]
        for shown, spreads in (("few", sparse), ("all", whole), ("better", better)):
            cells = [BLANK if spread is None else show_score(spread) for spread in spreads]
            lines.append([f"{kind} {density}", shown, *cells])
    if not lines:
        return None
    remark = "better: few or all by the higher validation F1, as evaluate_on='better' chooses."
    return Table("Edges at inference", ["trained on", "judged on", *datasets], lines, [remark])


def epochs_table(results: Results) -> Table | None:
    """Epochs of whole runs, the warm-up included."""
    lines = []
    datasets = datasets_of(results)
    labels = [GAT.label, *(METHODS[kind, DENSITIES[0]].label for kind in KINDS)]
    for label in labels:
        cells = []
        for dataset in datasets:
            done = [row.result for row in rows_of(results, dataset, label) if row.is_done]
            cells.append(f"{fmean(one['epochs'] for one in done):.0f}" if done else BLANK)
        if any(cells):
            lines.append([label, *cells])
    remark = "The runs had other work beside them, so their seconds are not shown."
    return Table("Epochs of a run", ["method", *datasets], lines, [remark]) if lines else None


EXPERIMENT = Experiment(
    NAME,
    "Few edges, full accuracy",
    "Beyond the paper: the number of edges that epsilon 0.9 and 0.5 keep, and 5 % of them, chosen "
    "by resistance, degree, chance, similarity of features, and by the agreement of what the "
    "network itself predicts after a warm-up on all edges (guided). Validation and test labels "
    "choose no edge.",
    rows,
    tables,
)
