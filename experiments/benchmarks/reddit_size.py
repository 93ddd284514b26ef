"""Resistances on block-model graphs up to Reddit's size, beside one SciPy product A @ X."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import Table
from experiments.timing import calls_in_turn, peak_of
from fastgat.data.reddit import REDDIT
from fastgat.graph.generators import block_model
from fastgat.machine import peak_bytes

NAME = "reddit-size"
NODES, EDGES, _, COMMUNITIES = astuple(REDDIT.sizes)
SHARES, QUICK_SHARES = (0.1, 10**-0.5, 1.0), (0.01,)
REPEATS = 5


def rows(options: Options) -> list[Row]:
    """One row per share of Reddit's size, each in processes of its own."""
    repeats = options.rounds(REPEATS)
    found = []
    for share in QUICK_SHARES if options.quick else SHARES:
        nodes, edges = round(NODES * share), round(EDGES * share)
        settings = {"quick": options.quick, "nodes": nodes, "edges": edges, "repeats": repeats}
        found.append(Row(f"{edges} edges", settings, partial(measure, nodes, edges, repeats)))
    return found


def measure(num_nodes: int, num_edges: int, repeats: int) -> Result:
    """Times in one process, and the memory of a single estimate in another."""
    times, _ = peak_of(timings, num_nodes, num_edges, repeats)
    once, _ = peak_of(estimate_once, num_nodes, num_edges)
    return times | once


def make(num_nodes: int, num_edges: int) -> fg.Graph:
    """The block model, the same in every process."""
    return block_model(num_nodes, num_edges, COMMUNITIES, seed=7)[0]


def estimate_once(num_nodes: int, num_edges: int) -> Result:
    """Memory of one estimate on its own, from the graph on."""
    start = time.perf_counter()
    graph = make(num_nodes, num_edges)
    made, peak_made = time.perf_counter() - start, peak_bytes()
    fg.effective_resistances(graph, sketch_columns=16, seed=7)
    return {"generation seconds": made, "generation peak": peak_made, "peak": peak_bytes()}


def timings(num_nodes: int, num_edges: int, repeats: int) -> Result:
    """Seconds from compressed rows and from edge arrays, beside a product with 16 columns."""
    graph = make(num_nodes, num_edges)
    rows = graph.adjacency
    matrix = sp.csr_array(
        (np.ones(2 * num_edges, np.float32), rows.neighbor, rows.offset),
        shape=(num_nodes, num_nodes),
    )
    x = np.random.default_rng(3).standard_normal((num_nodes, 16)).astype(np.float32)
    # As a file would have them: in any order.
    shuffle = np.random.default_rng(5).permutation(num_edges)
    source, target = graph.source[shuffle], graph.target[shuffle]

    def from_rows() -> Any:
        fresh = fg.Graph(num_nodes, graph.source, graph.target)
        fresh.__dict__["adjacency"] = rows
        return fg.estimate_effective_resistances(fresh, sketch_columns=16, seed=7)

    def from_arrays() -> Any:
        fresh = fg.Graph.from_edges(source, target, num_nodes=num_nodes)
        return fg.estimate_effective_resistances(fresh, sketch_columns=16, seed=7)

    cases: dict[str, Callable[[], Any]] = {
        "A @ X": lambda: matrix @ x,
        "from rows": from_rows,
        "from arrays": from_arrays,
    }
    seconds, values = calls_in_turn(cases, repeats)
    estimate = values["from rows"]
    return {
        "seconds": seconds,
        "from rows, in products": seconds["from rows"] / seconds["A @ X"],
        "from arrays, in products": seconds["from arrays"] / seconds["A @ X"],
        "iterations": estimate.iterations,
        "expected error": estimate.expected_error,
        "Foster ratio": estimate.foster_ratio,
    }


def tables(results: Results) -> list[Table]:
    """Times in units of the product, and memory."""
    lines = [
        [
            f"{row.settings['nodes']:,}",
            f"{row.settings['edges']:,}",
            f"{row.result['seconds']['from arrays']:.2f}",
            f"{row.result['from rows, in products']:.1f}",
            f"{row.result['from arrays, in products']:.1f}",
            f"{row.result['expected error']:.2%}",
            f"{row.result['peak'] / 1e9:.1f}",
        ]
        for row in results.values()
        if row.is_done
    ]
    columns = [
        "nodes",
        "edges",
        "seconds from arrays",
        "from rows, in products",
        "from arrays, in products",
        "expected error",
        "peak, GB",
    ]
    return [Table("In times of one product A @ X", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Resistances up to Reddit's size",
    "16 columns on block models; from compressed rows and from unsorted edge arrays, beside one "
    "SciPy product `A @ X` with 16 float32 columns. The peak includes the graph.",
    rows,
    tables,
    takes=("repeats",),
)
