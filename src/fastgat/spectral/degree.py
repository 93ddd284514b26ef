"""The degree formula: what resistances tend to on graphs that mix fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgat.graph import Graph


def degree_resistances(graph: Graph) -> NDArray[np.float64]:
    """1/d_u + 1/d_v for every edge (u, v), with weighted degrees.

    >>> from fastgat.graph.gallery import star
    >>> degree_resistances(star(5))
    array([1.25, 1.25, 1.25, 1.25])
    """
    degree = graph.degree
    return np.asarray(1 / degree[graph.source] + 1 / degree[graph.target])
