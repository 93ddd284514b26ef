"""Accuracy of the resistances and of the edge counts on every dataset.

References are exact where a dense inverse fits, else computed by SciPy alone (world highways: 400
edges chosen at random, each solved with SuperLU).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

import fastgat as fg
from experiments.benchmarks.reference import REFERENCES, reference_resistances
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import Table
from experiments.tasks import find_graph
from fastgat.data import dataset_names, missing_file

NAME = "accuracy"
SEEDS = (7, 19, 31)
DRAWS = 10
COMPARED = ("photo", "computers", "physics", "github", "cs", "cora")
ASKED: dict[str, tuple[float, ...]] = {
    "photo": (0.02, 0.01),
    "cora": (0.02, 0.01),
    "pubmed": (0.02, 0.01),
    "world-highways": (0.05,),
}
PAPER = ("physics", "cs", "computers", "photo", "github", "pubmed", "cora", "citeseer")
QUICK = ("cora",)


def rows(options: Options) -> list[Row]:
    """By kind and dataset: `foster`, `compared`, `asked`, `distinct`."""
    names = (
        QUICK if options.quick else [name for name in dataset_names() if missing_file(name) is None]
    )
    found: list[Row] = []

    def add(key: str, run: Callable[..., Result], name: str, *arguments: float) -> None:
        settings = {"quick": options.quick, "dataset": name, "of": [key, *arguments]}
        row_key = "/".join(map(str, (key, name, *arguments)))
        found.append(Row(row_key, settings, partial(run, name, *arguments)))

    for name in names:
        add("foster", foster_sum, name)
        if name in COMPARED:
            add("compared", compare_with_plain, name)
        for asked in ASKED.get(name, ()):
            add("asked", asked_and_found, name, asked)
        if name in PAPER:
            add("distinct", count_distinct, name)
    return found


def foster_sum(name: str) -> Result:
    """Foster's sum before clipping, at the default setting."""
    start = time.perf_counter()
    estimate = fg.estimate_effective_resistances(find_graph(name), seed=SEEDS[0])
    return {
        "ratio": estimate.foster_ratio,
        "seconds": time.perf_counter() - start,
        "columns": estimate.sketch_columns,
        "steps": estimate.smoothing_steps,
    }


def compare_with_plain(name: str) -> Result:
    """Mean relative error of 16 columns, mean of three seeds."""
    graph, reference = find_graph(name), reference_of(name)
    plain = [reference.error(fg.plain_effective_resistances(graph, 16, seed=s)) for s in SEEDS]
    smoothed = [
        reference.error(fg.effective_resistances(graph, sketch_columns=16, seed=s)) for s in SEEDS
    ]
    return {
        "plain error": float(np.mean(plain)),
        "smoothed error": float(np.mean(smoothed)),
        "ratio": float(np.mean(plain) / np.mean(smoothed)),
    }


def asked_and_found(name: str, asked: float) -> Result:
    """The error that `relative_error` asks for, and the one found."""
    graph, reference = find_graph(name), reference_of(name)
    estimates, seconds = [], []
    for seed in SEEDS:
        start = time.perf_counter()
        estimates.append(fg.estimate_effective_resistances(graph, asked, seed=seed))
        seconds.append(time.perf_counter() - start)
    return {
        "found": float(np.mean([reference.error(e.resistance) for e in estimates])),
        "columns": estimates[0].sketch_columns,
        "steps": estimates[0].smoothing_steps,
        "preconditioner": estimates[0].preconditioner,
        "seconds": float(np.median(seconds)),
    }


def count_distinct(name: str) -> Result:
    """Distinct edges of the paper's draws: by its plain sketch, and by the smoothed one.

    The probabilities of the smoothed sketch are less uneven. Means of ten draws from each of three
    sketches.
    """
    graph = find_graph(name)
    result: Result = {"edges": graph.num_edges}
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
            result[f"draws {epsilon}"] = draws[0].num_draws
            distinct = float(np.mean([draw.num_edges for draw in draws]))
            result[f"distinct {epsilon}, {estimator}"] = distinct
    return result


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
        """Mean relative error over the edges that the reference has."""
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


@cache
def reference_of(name: str) -> Reference:
    """The reference of a dataset, which several rows need."""
    return Reference(name, find_graph(name))


def tables(results: Results) -> list[Table]:
    """The sketches beside each other; what was asked for and found."""
    done = {key: row for key, row in results.items() if row.is_done}
    compared = [
        [
            str(row.settings["dataset"]),
            f"{row.result['plain error']:.1%}",
            f"{row.result['smoothed error']:.2%}",
            f"{row.result['ratio']:.1f}x",
        ]
        for key, row in done.items()
        if key.startswith("compared/")
    ]
    asked = [
        [
            str(row.settings["dataset"]),
            f"{row.settings['of'][1]:.0%}",
            f"{row.result['found']:.2%}",
            str(row.result["columns"]),
            str(row.result["steps"]),
            f"{1e3 * row.result['seconds']:.1f}",
        ]
        for key, row in done.items()
        if key.startswith("asked/")
    ]
    columns = ["graph", "plain", "smoothed", "ratio"]
    wanted = ["graph", "error asked for", "found", "columns", "smoothing steps", "ms"]
    found = [
        Table("Sixteen columns, smoothed against plain: mean relative error", columns, compared),
        Table("The error asked for, and the one found", wanted, asked),
    ]
    return [table for table in found if table.lines]


EXPERIMENT = Experiment(
    NAME,
    "Accuracy of the resistances",
    "Means of three seeds, against references computed without the library.",
    rows,
    tables,
    takes=(),
)
