"""The paper's estimator: resistances from a sketch without smoothing."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import Progress, check_between, check_choice, check_count, check_seed
from fastgat.graph import Graph
from fastgat.spectral.sketch import MAX_COLUMNS, WIDTH, SketchSolver, paper_columns, scale_weights


def plain_effective_resistances(
    graph: Graph,
    sketch_columns: int | None = None,
    *,
    distribution: Literal["signs", "gaussian"] = "signs",
    tolerance: float = 1e-2,
    seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """R_uv = |Z_u - Z_v|² / t for every edge, with t random columns Z = L⁺ B' W^½ Q.

    The relative error is about sqrt(2/t). What the sketch gives is returned as it is: nothing is
    clipped or replaced.

    Args:
        graph: the result is aligned with its edges.
        sketch_columns: t, by default the paper's round(4 ln N).
        distribution: of the entries of Q.
        tolerance: of the solver.
        seed: the same seed gives the same numbers.
        progress: called with the fraction of the columns that are done.

    >>> from fastgat.graph.gallery import path
    >>> plain_effective_resistances(path(4), tolerance=1e-6).round(4)  # signs are exact on bridges
    array([1., 1., 1.])
    """
    check_choice("distribution", distribution, ("signs", "gaussian"))
    check_between("tolerance", tolerance, 0, 1)
    check_seed(seed)
    if sketch_columns is None:
        sketch_columns = paper_columns(graph.num_nodes)
    columns = check_count(
        "sketch_columns", sketch_columns, 1, MAX_COLUMNS, hint="16 make one block"
    )
    distance = np.zeros(graph.num_edges)
    if graph.num_edges == 0:
        return distance
    scaled, exponent = scale_weights(graph)
    solver = SketchSolver(
        scaled, tolerance=tolerance, seed=seed, gaussian=distribution == "gaussian"
    )
    for first in range(0, columns, WIDTH):
        if progress is not None:
            done, report = first / columns, progress
            solver.progress = lambda _, done=done, report=report: report(done)
            report(done)
        block = solver.solve_block(first // WIDTH, min(WIDTH, columns - first))
        _core.add_edge_distances(scaled.adjacency, block, distance)
    if progress is not None:
        progress(1.0)
    distance /= columns
    return np.ldexp(distance, exponent) if exponent else distance
