"""Laplacian solves on hard graphs, and a million-node grid beside PyAMG.

    python benchmarks/solver.py

Residuals are recomputed from x, in the 2-norm. Writes results/solver.json.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyamg

import fastgat as fg
from fastgat.data import load_graph
from fastgat.graph.generators import grid
from harness import interleaved, write_record

REPEATS = 5


def right_side(graph: fg.Graph) -> Any:
    b = np.random.default_rng(11).standard_normal(graph.num_nodes)
    count, label = graph.components
    return b - (np.bincount(label, b, count) / np.bincount(label, minlength=count))[label]


def residual(laplacian: Any, x: Any, b: Any) -> float:
    return float(np.linalg.norm(b - laplacian @ x) / np.linalg.norm(b))


def hard_graph(name: str) -> dict[str, Any]:
    graph = load_graph(name)
    b = right_side(graph)
    solve = {"fastgat": lambda: fg.LaplacianSolver(graph, tolerance=1e-6).solve(b)}
    seconds, solutions = interleaved(solve, 3)
    solution = solutions["fastgat"]
    return {
        "graph": name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "preconditioner": solution.preconditioner,
        "iterations with the factor": solution.factor_iterations,
        "iterations in all": solution.iterations,
        "residual in the D^-1 norm": solution.residual,
        "residual in the 2-norm": residual(graph.laplacian(), solution.x, b),
        "seconds": seconds["fastgat"],
    }


def million_grid() -> dict[str, Any]:
    graph = grid(1000, 1000)
    laplacian = graph.laplacian()
    b = right_side(graph)
    edges = graph.source, graph.target

    def ours() -> Any:
        fresh = fg.Graph.from_edges(*edges, num_nodes=graph.num_nodes)
        return fg.LaplacianSolver(fresh, tolerance=1e-8).solve(b).x

    def smoothed_aggregation() -> Any:
        solver = pyamg.smoothed_aggregation_solver(laplacian)
        return solver.solve(b, tol=1e-8, accel="cg")

    cases = {"fastgat": ours, "PyAMG smoothed aggregation": smoothed_aggregation}
    seconds, x = interleaved(cases, REPEATS)
    return {
        "graph": "grid 1000 x 1000, tolerance 1e-8, set-up included",
        "seconds": seconds,
        "residual in the 2-norm": {case: residual(laplacian, x[case], b) for case in cases},
        "fastgat's share of PyAMG's time": seconds["fastgat"]
        / seconds["PyAMG smoothed aggregation"],
    }


def main() -> None:
    rows = [hard_graph(n) for n in ("world-highways", "world-highways-weighted", "web-google")]
    rows.append(million_grid())
    for row in rows:
        for key, value in row.items():
            print(f"{key}: {value}")
        print()
    write_record("solver", "python benchmarks/solver.py", rows)


if __name__ == "__main__":
    main()
