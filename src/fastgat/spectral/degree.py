"""Resistances by the degrees of an edge's ends alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgat.check import check_weight_range
from fastgat.graph import Graph


def degree_effective_resistances(graph: Graph) -> NDArray[np.float64]:
    """1/d_u + 1/d_v for every edge (u, v), with weighted degrees.

    What resistances tend to on graphs that mix fast.

    >>> from fastgat.graph.gallery import star
    >>> degree_effective_resistances(star(5))
    array([1.25, 1.25, 1.25, 1.25])
    """
    check_weight_range(graph.stored_weight)
    degree = graph.degree
    return np.asarray(1 / degree[graph.source] + 1 / degree[graph.target])
