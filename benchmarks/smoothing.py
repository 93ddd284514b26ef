"""What smoothing leaves to the sketch, and what the solver's tolerance does to single edges.

    python benchmarks/smoothing.py

- mean share of the resistances that is sketched: averaging over neighbours (p(x) = x) against the
  best polynomials of one to four steps, 64 columns.
- Photo, 256 columns, one step: mean and worst relative error by solver tolerance.

Writes results/smoothing.json.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fastgat as fg
from fastgat import _core
from fastgat.data import load_graph
from fastgat.spectral.sketch import SketchSolver
from fastgat.spectral.smoothing import Smoothing, one_step, several_steps
from harness import write_record

BLOCKS = 4


def shares(name: str) -> dict[str, Any]:
    graph = load_graph(name)
    adjacency = graph.adjacency
    bridges, components = _core.find_bridges(adjacency)
    is_bridge = np.zeros(graph.num_edges, np.uint8)
    is_bridge[bridges] = 1
    solver = SketchSolver(graph, tolerance=1e-3, seed=7)
    blocks = [solver.solve_block(block) for block in range(BLOCKS)]
    smoothings = {
        "p(x) = x": Smoothing(np.array([0.0, 1.0])),
        "1 step": one_step(graph, components),
    }
    for steps in (2, 3, 4):
        terms = _core.walk_terms(adjacency, steps)
        smoothings[f"{steps} steps"] = several_steps(graph, components, terms)
    row: dict[str, Any] = {"dataset": name, "shift": smoothings["1 step"].shift}
    for case, smoothing in smoothings.items():
        distance = np.zeros(graph.num_edges)
        for block in blocks:
            _core.add_edge_distances(adjacency, smoothing.smooth(adjacency, block), distance)
        _, total = _core.measure_estimate(
            adjacency, smoothing.local, smoothing.shift, is_bridge, 16 * BLOCKS, distance
        )
        row[case] = total / graph.num_edges
    return row


def tolerances() -> list[dict[str, Any]]:
    graph = load_graph("photo")
    exact = fg.exact_effective_resistances(graph)
    rows = []
    for tolerance in (1e-2, 1e-3, 1e-4):
        estimate = fg.estimate_effective_resistances(
            graph, sketch_columns=256, smoothing_steps=1, tolerance=tolerance, seed=7
        )
        error = np.abs(estimate.resistance / exact - 1)
        rows.append(
            {
                "tolerance": tolerance,
                "iterations": estimate.iterations,
                "mean": float(error.mean()),
                "99.9 %": float(np.quantile(error, 0.999)),
                "worst": float(error.max()),
            }
        )
    return rows


def main() -> None:
    rows = {"shares": [shares(n) for n in ("cora", "pubmed", "world-highways")]}
    rows["tolerances"] = tolerances()
    for part in rows.values():
        for row in part:
            print(row)
    write_record("smoothing", "python benchmarks/smoothing.py", rows)


if __name__ == "__main__":
    main()
