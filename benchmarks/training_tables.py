"""The README's tables of whole training runs, from their records."""

from __future__ import annotations

from typing import Any

from fastgat.reproduce import adaptive, equal_edges
from fastgat.reproduce.experiment import Results
from fastgat.reproduce.method import GAT, const, degree_edges, independent, random_edges
from fastgat.reproduce.summary import datasets_of, score_of, show_score

Rows = list[dict[str, Any]]


def training_accuracy(results: Results) -> list[str]:
    columns = {"all edges": GAT}
    for epsilon in equal_edges.EPSILONS:
        kinds = {
            "FastGAT": independent,
            "with replacement": const,
            "random": random_edges,
            "degree": degree_edges,
        }
        columns |= {f"{shown} {epsilon}": make(epsilon) for shown, make in kinds.items()}
    lines = [
        "**Accuracy**: micro-F1 on the test nodes, mean ± deviation over seeds, each with its own "
        f"10/20/70 split (`fastgat reproduce {equal_edges.NAME}`). FastGAT tosses one coin "
        "per edge, the paper draws with replacement; random edges and edges by degree are as many.",
        "",
        f"| graph | seeds | {' | '.join(columns)} |",
        "|---" * (2 + len(columns)) + "|",
    ]
    for dataset in datasets_of(results):
        scores = [score_of(results, dataset, method.label) for method in columns.values()]
        numbers = [score.number for score in scores if score]
        seeds = " to ".join(map(str, dict.fromkeys((min(numbers), max(numbers)))))
        cells = ["" if score is None else show_score(score) for score in scores]
        lines.append(f"| {dataset} | {seeds} | {' | '.join(cells)} |")
    return [*lines, *(part for each in equal_edges.where_as_good(results) for part in ("", each))]


def training_speed(rows: Rows) -> list[str]:
    lines = [
        "**Whole runs** of the same epochs, evaluation, resistances and sampling "
        "included, medians of "
        f"{rows[0]['turns']} turns (`python benchmarks/training.py speed`): seconds, and "
        f"how many times faster.",
        "",
        "| graph | epochs | PyG, all edges | fastgat, all edges | fastgat, 0.5 | 0.5 over "
        "PyG | the engine's "
        "| the sparsifier's |",
        "|---" * 8 + "|",
    ]
    for row in rows:
        peer, full, sparse = row["seconds"].values()
        lines.append(
            f"| {row['dataset']} | {row['epochs']} | {peer:.1f} | {full:.2f} | {sparse:.2f} "
            f"| {row['FastGAT-0.5 over PyG, full graph']:.0f}x "
            f"| {row['engine: full graph over PyG, full graph']:.0f}x "
            f"| {row['sparsifying: FastGAT-0.5 over full graph']:.2f}x |"
        )
    return lines


def training_adaptive(results: Results) -> list[str]:
    (table,) = adaptive.tables(results)
    pairs = zip(table.lines[::2], table.lines[1::2], strict=True)
    parts = [
        f"{changing[0]}{' judged on all edges' * changing[1].endswith('full')} {changing[2]} with "
        f"{changing[5]} of the edges worked on at a constant 0.5, which gives {constant[2]}"
        for constant, changing in pairs
    ]
    command = f"`fastgat reproduce {adaptive.NAME}`"
    return [f"**Adaptive density**: {'; '.join(parts)} ({command})."]


def training_reddit(rows: Rows) -> list[str]:
    by_method = {row["method"]: row for row in rows}
    sparse, full = by_method["FastGAT-0.5"], by_method["full graph"]
    key = "seconds in attention kernels per epoch"
    made = full["peak bytes while making the task"] / 1e9
    peaks = [row["peak bytes while training"] / 1e9 for row in (full, sparse)]
    return [
        f"**A Reddit-size graph**, trained ({full['edges']:,} edges, 602 dense features, "
        f"evaluation included): {full['seconds per epoch']:.1f} s per epoch on all edges, "
        f"{sparse['seconds per epoch']:.2f} s at epsilon = 0.5; in the attention kernels "
        f"{full[key]:.1f} and {sparse[key]:.2f} s. Peak memory while training {peaks[0]:.1f} and "
        f"{peaks[1]:.1f} GB, while the graph is made {made:.1f} GB "
        "(`python benchmarks/training.py reddit`)."
    ]
