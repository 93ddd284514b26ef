"""Keep edges in proportion to weight x effective resistance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress, check_between, check_choice
from fastgat.graph import Graph
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.spectral import (
    Cache,
    effective_resistances,
    exact_effective_resistances,
    plain_effective_resistances,
)

Estimator = Literal["smoothed", "plain", "exact"]


@dataclass(frozen=True)
class EffectiveResistanceSparsifier(ScoreSparsifier):
    """Keep edges in proportion to weight x effective resistance (Spielman, Srivastava 2011).

    Args:
        epsilon: density, as for every `ScoreSparsifier`, whose options these four are.
        sampling: "independent" or "replacement", the paper's.
        keep: density instead of `epsilon`.
        spanning_forest: keep one besides.
        relative_error: of the smoothed estimate.
        estimator: "plain" is the paper's setting: a sketch of 4 ln N columns, an error of about
            20 %; "exact" is for small graphs.

    >>> from fastgat.graph.gallery import complete
    >>> sparsifier = EffectiveResistanceSparsifier(keep=0.5, sampling="independent")
    >>> sparse = sparsifier.sparsify(complete(40))
    >>> sparse.num_nodes, 350 < sparse.num_edges < 430
    (40, True)
    """

    relative_error: float = 0.02
    estimator: Estimator = "smoothed"

    def __post_init__(self) -> None:
        """Check what this sparsifier adds to the options of all."""
        super().__post_init__()
        error = check_between("relative_error", self.relative_error, 0, 1)
        object.__setattr__(self, "relative_error", error)
        check_choice("estimator", self.estimator, get_args(Estimator))

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """Leverage: weight x effective resistance."""
        if self.estimator == "plain":
            resistance = plain_effective_resistances(graph, seed=seed, progress=progress)
        elif self.estimator == "exact":
            resistance = exact_effective_resistances(graph, progress=progress)
        else:
            resistance = effective_resistances(
                graph, self.relative_error, seed=seed, cache=cache, progress=progress
            )
        return graph.weight * resistance if graph.is_weighted else resistance
