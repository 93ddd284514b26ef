"""Laplacian solves on hard graphs, and a million-node grid beside PyAMG."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.peers.optional import find_package
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.tasks import find_graph
from experiments.timing import calls_in_turn
from fastgat.graph.generators import grid

NAME = "solver"
GRAPHS, QUICK_GRAPHS = ("world-highways", "world-highways-weighted", "web-google"), ("pubmed",)
SIDE, QUICK_SIDE = 1000, 100
GRID = "grid"
HARD_REPEATS, REPEATS = 3, 5
PYAMG = "PyAMG smoothed aggregation"
SHARE = "fastgat's share of PyAMG's time"


def rows(options: Options) -> list[Row]:
    """The hard graphs, then the grid; without PyAMG it has our time alone."""
    repeats, side = options.rounds(HARD_REPEATS), QUICK_SIDE if options.quick else SIDE
    found = [
        Row(
            name,
            {"quick": options.quick, "graph": name, "tolerance": 1e-6, "repeats": repeats},
            partial(hard_graph, name, repeats),
        )
        for name in (QUICK_GRAPHS if options.quick else GRAPHS)
    ]
    repeats = options.rounds(REPEATS)
    settings = {"quick": options.quick, "side": side, "tolerance": 1e-8, "repeats": repeats}
    return [*found, Row(GRID, settings, partial(square_grid, side, repeats))]


def right_side(graph: fg.Graph) -> Any:
    """Normal numbers that sum to zero over every component."""
    b = np.random.default_rng(11).standard_normal(graph.num_nodes)
    count, label = graph.components
    return b - (np.bincount(label, b, count) / np.bincount(label, minlength=count))[label]


def residual(laplacian: Any, x: Any, b: Any) -> float:
    """|b - Lx| / |b|."""
    return float(np.linalg.norm(b - laplacian @ x) / np.linalg.norm(b))


def hard_graph(name: str, repeats: int) -> Result:
    """Iterations, residuals and seconds; residuals are recomputed from x."""
    graph = find_graph(name)
    b = right_side(graph)
    solve = {"fastgat": lambda: fg.LaplacianSolver(graph, tolerance=1e-6).solve(b)}
    seconds, solutions = calls_in_turn(solve, repeats)
    solution = solutions["fastgat"]
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "preconditioner": solution.preconditioner,
        "iterations with the factor": solution.factor_iterations,
        "iterations in all": solution.iterations,
        "residual in the D^-1 norm": solution.residual,
        "residual in the 2-norm": residual(graph.laplacian(), solution.x, b),
        "seconds": seconds["fastgat"],
    }


def square_grid(side: int, repeats: int) -> Result:
    """Seconds of both, set-up included."""
    graph = grid(side, side)
    laplacian = graph.laplacian()
    b = right_side(graph)
    edges = graph.source, graph.target

    def ours() -> Any:
        fresh = fg.Graph.from_edges(*edges, num_nodes=graph.num_nodes)
        return fg.LaplacianSolver(fresh, tolerance=1e-8).solve(b).x

    cases: dict[str, Callable[[], Any]] = {"fastgat": ours}
    pyamg = find_package("pyamg")
    if pyamg is not None:
        cases[PYAMG] = lambda: pyamg.smoothed_aggregation_solver(laplacian).solve(
            b, tol=1e-8, accel="cg"
        )
    seconds, x = calls_in_turn(cases, repeats)
    result: Result = {
        "seconds": seconds,
        "residual in the 2-norm": {case: residual(laplacian, x[case], b) for case in cases},
    }
    if pyamg is not None:
        result[SHARE] = seconds["fastgat"] / seconds[PYAMG]
    return result


def tables(results: Results) -> list[Table]:
    """Iterations on the hard graphs; the grid beside PyAMG."""
    hard, grids = [], []
    for key, row in results.items():
        if not row.is_done:
            continue
        result = row.result
        if key == GRID:
            times = result["seconds"]
            peer = f"{times[PYAMG]:.2f}" if PYAMG in times else BLANK
            share = f"{result[SHARE]:.2f}" if SHARE in result else BLANK
            side = row.settings["side"]
            grids.append([f"{side} x {side}", f"{times['fastgat']:.2f}", peer, share])
        else:
            hard.append(
                [
                    key,
                    f"{result['nodes']:,}",
                    f"{result['edges']:,}",
                    str(result["preconditioner"]),
                    str(result["iterations with the factor"]),
                    str(result["iterations in all"]),
                    f"{result['seconds']:.2f}",
                ]
            )
    columns = ["graph", "nodes", "edges", "preconditioner", "with it", "iterations", "seconds"]
    beside = ["grid", "fastgat, s", f"{PYAMG}, s", "our share of its time"]
    found = [
        Table("Hard graphs to 1e-6, the preconditioner chosen by the solver", columns, hard),
        Table("A grid to 1e-8, set-up included", beside, grids),
    ]
    return [table for table in found if table.lines]


EXPERIMENT = Experiment(
    NAME,
    "Laplacian solves, beside PyAMG",
    "Random right-hand sides, without a part in the null space.",
    rows,
    tables,
    takes=("repeats",),
)
