"""Sparsifiers side by side at equal edge counts: how much of the spectrum each keeps.

    python benchmarks/sparsifiers.py [dataset ...]

Every sparsifier keeps as many edges as the paper's sampling at eps = 0.5 and 0.9 gives on average;
5 draws each; `upper`, `lower_nonzero` and lost nodes are means and deviations. Writes
results/sparsifiers.json and results/sparsifiers.md.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import fastgat as fg
from fastgat.data import load_graph
from harness import RESULTS, write_record

DATASETS = ("cora", "citeseer", "pubmed", "photo", "computers", "cs", "physics", "github")
SEEDS = (7, 19, 31, 43, 59)


def sparsifiers(keep: int) -> dict[str, Any]:
    return {
        "resistance, replacement": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="replacement"
        ),
        "resistance, independent": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="independent"
        ),
        "resistance, independent, forest": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="independent", spanning_forest=True
        ),
        "degree, replacement": fg.DegreeSparsifier(keep=keep, sampling="replacement"),
        "degree, independent": fg.DegreeSparsifier(keep=keep, sampling="independent"),
        "uniform, independent": fg.UniformSparsifier(keep=keep, sampling="independent"),
        "k-neighbour": fg.KNeighborSparsifier(keep=keep),
    }


def measure(name: str, epsilon: float) -> list[dict[str, Any]]:
    graph = load_graph(name)
    paper = fg.EffectiveResistanceSparsifier(epsilon=epsilon, sampling="replacement").prepare(
        graph, seed=7
    )
    keep = round(np.mean([paper.draw(seed).num_edges for seed in SEEDS]))
    rows = []
    for method, sparsifier in sparsifiers(keep).items():
        try:
            prepared = sparsifier.prepare(graph, seed=7)
        except fg.InputError as refusal:
            print(f"{name} {epsilon} {method}: {refusal}")
            continue
        draws = [prepared.draw(seed) for seed in SEEDS]
        certificates = [fg.certify(graph, draw) for draw in draws]
        row: dict[str, Any] = {"dataset": name, "epsilon": epsilon, "method": method}
        row["edges"] = float(np.mean([draw.num_edges for draw in draws]))
        for field in ("upper", "lower_nonzero", "lost", "num_components"):
            values = [float(getattr(certificate, field)) for certificate in certificates]
            row[field] = float(np.mean(values))
            row[f"{field} deviation"] = float(np.std(values))
        rows.append(row)
        print(
            f"{name:10s} {epsilon} {method:32s} {row['edges']:9.0f} edges   "
            f"upper {row['upper']:7.3f}   lower_nonzero {row['lower_nonzero']:.4f}   "
            f"lost {row['lost']:7.1f}",
            flush=True,
        )
    return rows


def write_table(rows: list[dict[str, Any]]) -> None:
    lines = [
        "| graph | eps | sparsifier | edges | upper | lower_nonzero | lost nodes | components |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        upper = f"{row['upper']:.3f} ± {row['upper deviation']:.3f}"
        lower = f"{row['lower_nonzero']:.4f} ± {row['lower_nonzero deviation']:.4f}"
        lost = f"{row['lost']:.1f} ± {row['lost deviation']:.1f}"
        lines.append(
            f"| {row['dataset']} | {row['epsilon']} | {row['method']} | {row['edges']:.0f} | "
            f"{upper} | {lower} | {lost} | {row['num_components']:.1f} |"
        )
    (RESULTS / "sparsifiers.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    chosen = sys.argv[1:] or DATASETS
    rows = [row for name in chosen for epsilon in (0.5, 0.9) for row in measure(name, epsilon)]
    if len(chosen) == len(DATASETS):
        write_record("sparsifiers", "python benchmarks/sparsifiers.py", rows)
        write_table(rows)


if __name__ == "__main__":
    main()
