"""What the sparsifiers that draw by a score per edge share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, check_choice
from fastgat.graph import Graph
from fastgat.sparsify.density import (
    check_density,
    count_of,
    draws_for_distinct,
    expected_distinct,
    inclusion_probability,
    paper_draws,
)
from fastgat.sparsify.prepared import IndependentDraws, PreparedSparsifier, ReplacementDraws
from fastgat.sparsify.sparsified import SparsifiedGraph

Sampling = Literal["replacement", "independent"]
Cache = bool | str | Path | None
Progress = Callable[[float], object]


@dataclass(frozen=True)
class ScoreSparsifier(ABC):
    """Keeps edges in proportion to a score; subclasses say which.

    The density is `epsilon` (as many edges as the paper's number of draws gives) or `keep` (a
    fraction of the edges, or their number). `sampling="independent"` tosses one coin per edge;
    `"replacement"` is the paper's way, which keeps as many edges on average but leaves more nodes
    without any. `spanning_forest` keeps a spanning forest of greatest score besides, so that
    nothing is disconnected.
    """

    epsilon: float | None = None  # density: smaller keeps more edges; 0.5 unless keep is given
    sampling: Sampling = "independent"
    keep: float | int | None = None
    spanning_forest: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        epsilon, keep = check_density(self.epsilon, self.keep)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "keep", keep)
        object.__setattr__(self, "spanning_forest", bool(self.spanning_forest))
        check_choice("sampling", self.sampling, ("replacement", "independent"))

    @abstractmethod
    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """Positive score of every edge; only ratios matter."""

    def prepare(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> PreparedSparsifier:
        """Compute the scores once; the result draws many sparse graphs."""
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        score = self.score(graph, seed=seed, cache=cache, progress=progress)
        forest = None
        if self.spanning_forest:
            forest = _core.maximum_spanning_forest(
                graph.num_nodes, graph.source, graph.target, score
            )
        if self.sampling == "replacement":
            return self._prepare_replacement(graph, score, forest)
        return self._prepare_independent(graph, score, forest)

    def sparsify(
        self, graph: Graph, seed: int = 0, *, cache: Cache = None, progress: Progress | None = None
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph).draw(seed)`."""
        return self.prepare(graph, seed=seed, cache=cache, progress=progress).draw(seed)

    def _prepare_replacement(
        self, graph: Graph, score: NDArray[np.float64], forest: NDArray[np.int64] | None
    ) -> ReplacementDraws:
        always = None
        if forest is not None:
            always = np.zeros(graph.num_edges, np.uint8)
            always[forest] = 1
            score = np.where(always, 0.0, score)
        if self.epsilon is not None:
            draws = paper_draws(graph.num_nodes, self.epsilon)
        else:
            assert self.keep is not None
            wanted = self._beyond_forest(count_of(self.keep, graph.num_edges), forest)
            total = score.sum()
            draws = draws_for_distinct(score / total, wanted) if total > 0 and wanted else 1
        return ReplacementDraws(graph, score, draws, always, graph.num_isolated)

    def _prepare_independent(
        self, graph: Graph, score: NDArray[np.float64], forest: NDArray[np.int64] | None
    ) -> IndependentDraws:
        if self.keep is not None:
            expected = float(count_of(self.keep, graph.num_edges))
        else:
            assert self.epsilon is not None
            draws = paper_draws(graph.num_nodes, self.epsilon)
            expected = expected_distinct(score / score.sum(), draws)
        if forest is None:
            probability = inclusion_probability(score, expected)
        else:
            rest = score.copy()
            rest[forest] = 0
            probability = inclusion_probability(rest, self._beyond_forest(expected, forest))
            probability[forest] = 1
        return IndependentDraws(graph, probability, graph.num_isolated)

    def _beyond_forest(self, count: float, forest: NDArray[np.int64] | None) -> float:
        """What is left of the edges asked for once the forest has taken its own."""
        size = 0 if forest is None else forest.size
        if self.keep is not None and count < size:
            raise InputError(
                f"keep={self.keep} asks for fewer edges than the spanning forest's {size}; "
                "keep more, or leave out spanning_forest"
            )
        return max(count - size, 0)
