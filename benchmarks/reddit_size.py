"""Resistances on block-model graphs up to Reddit's size, beside one SciPy product A @ X.

    python benchmarks/reddit_size.py

X has 16 float32 columns. Time from compressed rows (the graph's adjacency is there) and from edge
arrays. Each size runs in a process of its own, whose peak memory is recorded, the graph included.
Writes results/reddit_size.json.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.sparse as sp

import fastgat as fg
from fastgat.graph.generators import block_model
from harness import interleaved, peak_bytes, peak_of, write_record

REDDIT_NODES, REDDIT_EDGES, COMMUNITIES = 232_965, 57_307_946, 41
REPEATS = 5


def make(num_nodes: int, num_edges: int) -> fg.Graph:
    return block_model(num_nodes, num_edges, COMMUNITIES, seed=7)[0]


def estimate_once(num_nodes: int, num_edges: int) -> dict[str, float]:
    """Memory of one estimate on its own, from the graph on."""
    start = time.perf_counter()
    graph = make(num_nodes, num_edges)
    made, peak_made = time.perf_counter() - start, peak_bytes()
    fg.effective_resistances(graph, sketch_columns=16, seed=7)
    return {"generation seconds": made, "generation peak": peak_made, "peak": peak_bytes()}


def timings(num_nodes: int, num_edges: int) -> dict[str, Any]:
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

    cases = {"A @ X": lambda: matrix @ x, "from rows": from_rows, "from arrays": from_arrays}
    seconds, values = interleaved(cases, REPEATS)
    estimate = values["from rows"]
    return {
        "nodes": num_nodes,
        "edges": num_edges,
        "seconds": seconds,
        "from rows, in products": seconds["from rows"] / seconds["A @ X"],
        "from arrays, in products": seconds["from arrays"] / seconds["A @ X"],
        "iterations": estimate.iterations,
        "expected error": estimate.expected_error,
        "Foster ratio": estimate.foster_ratio,
    }


def main() -> None:
    rows = []
    for share in (0.1, 10**-0.5, 1.0):
        size = round(REDDIT_NODES * share), round(REDDIT_EDGES * share)
        row, _ = peak_of(timings, *size)
        row |= peak_of(estimate_once, *size)[0]
        rows.append(row)
        print(row)
    for case in ("from rows, in products", "from arrays, in products"):
        ratios = [row[case] for row in rows]
        print(f"{case}: {min(ratios):.2f} to {max(ratios):.2f}")
    write_record("reddit_size", "python benchmarks/reddit_size.py", rows)


if __name__ == "__main__":
    main()
