"""The paper's estimator: the plain sketch, without smoothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import check_between, check_choice, check_count, check_seed
from fastgat.graph import Graph
from fastgat.spectral.sketch import MAX_COLUMNS, WIDTH, SketchSolver


def plain_resistances(
    graph: Graph,
    sketch_columns: int | None = None,
    *,
    distribution: Literal["signs", "gaussian"] = "signs",
    tolerance: float = 1e-2,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> NDArray[np.float64]:
    """R_uv = |Z_u - Z_v|² / t for every edge, with t random columns Z = L⁺ B' W^½ Q.

    t is round(4 ln N) unless `sketch_columns` says otherwise; the relative error is about
    sqrt(2/t). What the sketch gives is returned as it is: nothing is clipped or replaced.

    >>> from fastgat.graph.gallery import path
    >>> plain_resistances(path(4), tolerance=1e-6).round(4)  # signs are exact on bridges
    array([1., 1., 1.])
    """
    check_choice("distribution", distribution, ("signs", "gaussian"))
    check_between("tolerance", tolerance, 0, 1)
    check_seed(seed)
    if sketch_columns is None:
        sketch_columns = max(1, round(4 * math.log(max(graph.num_nodes, 1))))
    columns = check_count(
        "sketch_columns", sketch_columns, 1, MAX_COLUMNS, hint="16 make one block"
    )
    distance = np.zeros(graph.num_edges)
    if graph.num_edges == 0:
        return distance
    solver = SketchSolver(
        graph, tolerance=tolerance, seed=seed, gaussian=distribution == "gaussian"
    )
    for first in range(0, columns, WIDTH):
        if progress is not None:
            done, report = first / columns, progress
            solver.progress = lambda _, done=done, report=report: report(done)
            report(done)
        block = solver.solve_block(first // WIDTH, min(WIDTH, columns - first))
        _core.add_edge_distances(graph.adjacency, block, distance)
    if progress is not None:
        progress(1.0)
    distance /= columns
    return distance
