"""Accuracy of the resistances and of the edge counts on every dataset.

    python benchmarks/accuracy.py

- 16 columns, smoothed against plain: mean relative error, mean of 3 seeds.
- the error asked for by `relative_error` against the one found, with columns, steps and seconds.
- Foster's sum before clipping, on every dataset at the default setting.
- distinct edges of the paper's setting (plain sketch) at eps = 0.5 and 0.9, mean of 10 draws from
  each of 3 sketches, and with the smoothed sketch, whose probabilities are less uneven.

References are exact where a dense inverse fits, else computed by SciPy alone (world highways: 400
edges chosen at random, each solved with SuperLU). Writes results/accuracy.json.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

import fastgat as fg
from fastgat.data import dataset_names, load_graph, missing_file
from harness import REFERENCES, write_record
from harness.reference import reference_resistances

SEEDS = (7, 19, 31)
DRAWS = 10
COMPARED = ("photo", "computers", "physics", "github", "cs", "cora")
ASKED = {"photo": (0.02, 0.01), "cora": (0.02, 0.01), "pubmed": (0.02, 0.01)}
ASKED |= {"world-highways": (0.05,)}
PAPER = ("physics", "cs", "computers", "photo", "github", "pubmed", "cora", "citeseer")


class Reference:
    """Resistances of some edges of a graph, found without the library."""

    def __init__(self, name: str, graph: fg.Graph) -> None:
        count, label = graph.components
        if name == "world-highways":
            self.edges = np.sort(
                np.random.default_rng(3).choice(graph.num_edges, 400, replace=False)
            )
            self.values = _solve_edges(name, graph, self.edges)
            return
        # Component by component: the references are for connected graphs.
        sizes = np.bincount(label, minlength=count)
        number = np.empty(graph.num_nodes, np.int64)
        order = np.argsort(label, kind="stable")
        number[order] = np.arange(graph.num_nodes) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self.edges = np.arange(graph.num_edges)
        self.values = np.empty(graph.num_edges)
        edge_label = label[graph.source]
        for part in np.unique(edge_label):
            inside = edge_label == part
            ends = number[graph.source[inside]], number[graph.target[inside]]
            self.values[inside] = reference_resistances(int(sizes[part]), *ends)[0]

    def error(self, resistance: NDArray[np.float64]) -> float:
        return float(np.abs(resistance[self.edges] / self.values - 1).mean())


def _solve_edges(name: str, graph: fg.Graph, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    path = REFERENCES / f"{name}-edges.npy"
    if not path.exists():
        half = sp.coo_array(
            (np.ones(graph.num_edges), (graph.source, graph.target)),
            shape=(graph.num_nodes, graph.num_nodes),
        )
        matrix = sp.csc_array(half + half.T)
        laplacian = sp.csc_array(sp.diags_array(matrix.sum(axis=0)) - matrix)
        _, label = graph.components
        kept = np.ones(graph.num_nodes, bool)
        kept[np.unique(label, return_index=True)[1]] = False  # one ground per component
        number = np.cumsum(kept) - 1
        factor = splu(laplacian[kept][:, kept], permc_spec="MMD_AT_PLUS_A")
        values = np.empty(edges.size)
        for k, e in enumerate(edges):
            right = np.zeros(int(kept.sum()))
            ends = [(graph.source[e], 1.0), (graph.target[e], -1.0)]
            for node, sign in ends:
                if kept[node]:
                    right[number[node]] = sign
            x = factor.solve(right)
            values[k] = sum(sign * x[number[node]] for node, sign in ends if kept[node])
        REFERENCES.mkdir(parents=True, exist_ok=True)
        np.save(path, values)
    return np.asarray(np.load(path))


def compare_with_plain(name: str, graph: fg.Graph, reference: Reference) -> dict[str, Any]:
    plain = [reference.error(fg.plain_effective_resistances(graph, 16, seed=s)) for s in SEEDS]
    smoothed = [
        reference.error(fg.effective_resistances(graph, sketch_columns=16, seed=s)) for s in SEEDS
    ]
    return {
        "dataset": name,
        "plain error": float(np.mean(plain)),
        "smoothed error": float(np.mean(smoothed)),
        "ratio": float(np.mean(plain) / np.mean(smoothed)),
    }


def asked_and_found(name: str, graph: fg.Graph, reference: Reference) -> list[dict[str, Any]]:
    rows = []
    for asked in ASKED.get(name, ()):
        estimates, seconds = [], []
        for seed in SEEDS:
            start = time.perf_counter()
            estimates.append(fg.estimate_effective_resistances(graph, asked, seed=seed))
            seconds.append(time.perf_counter() - start)
        rows.append(
            {
                "dataset": name,
                "asked": asked,
                "found": float(np.mean([reference.error(e.resistance) for e in estimates])),
                "columns": estimates[0].sketch_columns,
                "steps": estimates[0].smoothing_steps,
                "preconditioner": estimates[0].preconditioner,
                "seconds": float(np.median(seconds)),
            }
        )
    return rows


def count_distinct(name: str, graph: fg.Graph) -> dict[str, Any]:
    row: dict[str, Any] = {"dataset": name, "edges": graph.num_edges}
    for epsilon in (0.5, 0.9):
        for estimator in ("plain", "smoothed"):
            sparsifier = fg.EffectiveResistanceSparsifier(
                epsilon=epsilon, sampling="replacement", estimator=estimator
            )
            draws = [
                prepared.draw(draw)
                for prepared in (sparsifier.prepare(graph, seed=seed) for seed in SEEDS)
                for draw in range(DRAWS)
            ]
            row[f"draws {epsilon}"] = draws[0].num_draws
            distinct = float(np.mean([draw.num_edges for draw in draws]))
            row[f"distinct {epsilon}, {estimator}"] = distinct
    return row


def main() -> None:
    rows: dict[str, list[Any]] = {"compared": [], "asked": [], "foster": [], "distinct": []}
    for name in dataset_names():
        if missing_file(name):
            continue
        graph = load_graph(name)
        start = time.perf_counter()
        estimate = fg.estimate_effective_resistances(graph, seed=7)
        seconds = time.perf_counter() - start
        foster = {"dataset": name, "ratio": estimate.foster_ratio, "seconds": seconds}
        foster |= {"columns": estimate.sketch_columns, "steps": estimate.smoothing_steps}
        rows["foster"].append(foster)
        print(foster, flush=True)
        if name in COMPARED or name in ASKED:
            reference = Reference(name, graph)
            if name in COMPARED:
                rows["compared"].append(compare_with_plain(name, graph, reference))
                print(rows["compared"][-1], flush=True)
            for row in asked_and_found(name, graph, reference):
                rows["asked"].append(row)
                print(row, flush=True)
        if name in PAPER:
            rows["distinct"].append(count_distinct(name, graph))
            print(rows["distinct"][-1], flush=True)
    write_record("accuracy", "python benchmarks/accuracy.py", rows)


if __name__ == "__main__":
    main()
