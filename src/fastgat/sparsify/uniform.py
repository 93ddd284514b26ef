"""Keep edges at random, all alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress
from fastgat.graph import Graph
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.spectral import Cache


@dataclass(frozen=True)
class UniformSparsifier(ScoreSparsifier):
    """Every edge has the same chance, whatever its weight: the baseline."""

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """One for every edge."""
        return np.ones(graph.num_edges)
