"""What smoothing leaves to the sketch, and what the solver's tolerance does to single edges."""

from __future__ import annotations

from functools import partial

import numpy as np

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import Table
from experiments.tasks import find_graph
from fastgat import _core
from fastgat.spectral.sketch import SketchSolver
from fastgat.spectral.smoothing import Smoothing, one_step, several_steps

NAME = "smoothing"
BLOCKS = 4
GRAPHS, QUICK_GRAPHS = ("cora", "pubmed", "world-highways"), ("cora",)
TOLERANCES = (1e-2, 1e-3, 1e-4)
TOLERANCE_GRAPH, QUICK_TOLERANCE_GRAPH = "photo", "cora"


def rows(options: Options) -> list[Row]:
    """Shares by graph, then errors by tolerance."""
    found = [
        Row(
            f"shares/{name}",
            {"quick": options.quick, "dataset": name},
            partial(measure_shares, name),
        )
        for name in (QUICK_GRAPHS if options.quick else GRAPHS)
    ]
    name = QUICK_TOLERANCE_GRAPH if options.quick else TOLERANCE_GRAPH
    return found + [
        Row(
            f"tolerances/{tolerance}",
            {"quick": options.quick, "dataset": name, "tolerance": tolerance},
            partial(measure_errors, name, tolerance),
        )
        for tolerance in TOLERANCES
    ]


def measure_shares(name: str) -> Result:
    """Mean share of the resistances that is sketched, 64 columns."""
    graph = find_graph(name)
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
    result: Result = {"shift": smoothings["1 step"].shift}
    for case, smoothing in smoothings.items():
        distance = np.zeros(graph.num_edges)
        for block in blocks:
            _core.add_edge_distances(adjacency, smoothing.smooth(adjacency, block), distance)
        _, total = _core.measure_estimate(
            adjacency, smoothing.local, smoothing.shift, is_bridge, 16 * BLOCKS, distance
        )
        result[case] = total / graph.num_edges
    return result


def measure_errors(name: str, tolerance: float) -> Result:
    """Mean and worst relative error of 256 columns and one step, by the solver's tolerance."""
    graph = find_graph(name)
    exact = fg.exact_effective_resistances(graph)
    estimate = fg.estimate_effective_resistances(
        graph, sketch_columns=256, smoothing_steps=1, tolerance=tolerance, seed=7
    )
    error = np.abs(estimate.resistance / exact - 1)
    return {
        "iterations": estimate.iterations,
        "mean": float(error.mean()),
        "99.9 %": float(np.quantile(error, 0.999)),
        "worst": float(error.max()),
    }


def tables(results: Results) -> list[Table]:
    """Shares by the number of steps; errors by tolerance."""
    done = {key: row for key, row in results.items() if row.is_done}
    cases = ["p(x) = x", "1 step", "2 steps", "3 steps", "4 steps"]
    lines = [
        [str(row.settings["dataset"]), *(f"{row.result[case]:.1%}" for case in cases)]
        for key, row in done.items()
        if key.startswith("shares/")
    ]
    kinds = ["mean", "99.9 %", "worst"]
    errors = [
        [
            str(row.settings["dataset"]),
            f"{row.settings['tolerance']:g}",
            str(row.result["iterations"]),
            *(f"{row.result[kind]:.2%}" for kind in kinds),
        ]
        for key, row in done.items()
        if key.startswith("tolerances/")
    ]
    found = [
        Table("Share of the resistances that is sketched", ["graph", *cases], lines),
        Table("Relative error by tolerance", ["graph", "tolerance", "iterations", *kinds], errors),
    ]
    return [table for table in found if table.lines]


EXPERIMENT = Experiment(
    NAME,
    "What smoothing leaves to the sketch",
    "Averaging over neighbours (p(x) = x) against the best polynomials of one to four steps, 64 "
    "columns; and 256 columns, one step, by the solver's tolerance.",
    rows,
    tables,
    takes=(),
)
