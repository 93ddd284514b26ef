"""Keep edges in proportion to weight x (1/degree + 1/degree)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress
from fastgat.graph import Graph
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.spectral import Cache, degree_effective_resistances


@dataclass(frozen=True)
class DegreeSparsifier(ScoreSparsifier):
    """Effective resistances by the degree formula: no Laplacian is solved."""

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """w (1/d_u + 1/d_v)."""
        return graph.weight * degree_effective_resistances(graph)
