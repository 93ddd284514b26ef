"""ScoreSparsifier: everything about a sparsifier that draws by a score per edge, but the score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, Progress, check_choice, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.contract import SparsifiedGraph
from fastgat.sparsify.density import (
    check_density,
    count_of,
    draws_for_distinct,
    expected_distinct,
    inclusion_probability,
    paper_draws,
)
from fastgat.sparsify.draws import BestEdges, IndependentDraws, ReplacementDraws
from fastgat.sparsify.per_node import PerNodeDraws
from fastgat.spectral import Cache

Sampling = Literal["replacement", "independent", "best"]


@dataclass(frozen=True)
class ScoreSparsifier(ABC):
    """Keeps edges in proportion to a score; a subclass says which, and needs nothing else:

    >>> @dataclass(frozen=True)
    ... class HeavySparsifier(ScoreSparsifier):
    ...     def score(self, graph, **options):
    ...         return graph.weight**2
    >>> HeavySparsifier(keep=2).sparsify(Graph.from_edges([0, 0, 1], [1, 2, 2], [9.0, 9.0, 0.1]))
    SparsifiedGraph(num_nodes=3, num_edges=2, weighted)

    Args:
        epsilon: density: as many edges as the paper's number of draws gives; smaller keeps more.
            0.5 unless `keep` is given.
        sampling: "independent" keeps or leaves every edge on its own (Bernoulli); "replacement" is
            the paper's way, which keeps as many edges on average but leaves more nodes without any;
            "best" keeps those of highest score, equal ones at random.
        keep: density instead of `epsilon`: a fraction of the edges, or their number.
        spanning_forest: keep a spanning forest of greatest score besides, so that nothing is
            disconnected.
        per_node: every node keeps its share: its best edges, or such as it draws from its own;
            edges keep their weights. See `fastgat.sparsify.per_node`.
    """

    takes: ClassVar[tuple[str, ...]] = ()  # what `score` looks at besides: features, predictions

    epsilon: float | None = None
    sampling: Sampling = "independent"
    keep: float | int | None = None
    spanning_forest: bool = False
    per_node: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse bad options at once, and keep plain numbers: the repr tells options apart."""
        epsilon, keep = check_density(self.epsilon, self.keep)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "keep", keep)
        object.__setattr__(self, "spanning_forest", bool(self.spanning_forest))
        object.__setattr__(self, "per_node", bool(self.per_node))
        check_choice("sampling", self.sampling, get_args(Sampling))
        if self.per_node and self.sampling == "replacement":
            raise InputError(
                'per_node=True and sampling="replacement" exclude each other: '
                'use "independent" or "best"'
            )

    @abstractmethod
    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """Score of every edge, 0 or more; only ratios matter.

        Args:
            graph: the result is aligned with its edges.
            seed: where scores are estimated.
            cache: where resistances are kept, as `effective_resistances` takes it.
            progress: called with the fraction of the work that is done.
        """

    def prepare(
        self,
        graph: Graph,
        *,
        seed: int = 0,
        cache: Cache = None,
        progress: Progress | None = None,
        features: Any = None,
        predictions: Any = None,
    ) -> ReplacementDraws | IndependentDraws | PerNodeDraws | BestEdges:
        """Compute the scores once; the result draws many sparse graphs.

        Args:
            graph: to draw from; one without edges is refused.
            seed: of the scores, where they are estimated.
            cache: where resistances are kept, as `effective_resistances` takes it.
            progress: called with the fraction of the work that is done.
            features: one row per node, for a sparsifier that looks at them.
            predictions: class probabilities, one row per node, for one that looks at those.
        """
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        options: dict[str, Any] = {"seed": check_seed(seed), "cache": cache, "progress": progress}
        for name, given in (("features", features), ("predictions", predictions)):
            if given is not None:
                if name not in self.takes:
                    raise InputError(f"{name} are not looked at by {type(self).__name__}")
                options[name] = given
        score = _checked_score(self.score(graph, **options), graph.num_edges)
        forest = None
        if self.spanning_forest:
            forest = _core.maximum_spanning_forest(
                graph.num_nodes, graph.source, graph.target, score
            )
        if self.sampling == "replacement":
            return self._prepare_replacement(graph, score, forest)
        expected = self._expected(graph, score)
        if self.per_node:
            self._beyond_forest(expected, forest)
            best = self.sampling == "best"
            return PerNodeDraws(graph, score, expected, best, forest, seed)
        if self.sampling == "best":
            rest = round(self._beyond_forest(expected, forest))
            return BestEdges(graph, score, rest, forest)
        return self._prepare_independent(graph, score, forest, expected)

    def sparsify(
        self,
        graph: Graph,
        seed: int = 0,
        *,
        cache: Cache = None,
        progress: Progress | None = None,
        features: Any = None,
        predictions: Any = None,
    ) -> SparsifiedGraph:
        """One sparse graph: `prepare(graph, seed=seed).draw(seed)`.

        Args:
            graph: to draw from.
            seed: of the scores and of the draw.
            cache: as in `prepare`.
            progress: as in `prepare`.
            features: as in `prepare`.
            predictions: as in `prepare`.
        """
        return self.prepare(
            graph, seed=seed, cache=cache, progress=progress,
            features=features, predictions=predictions,
        ).draw(seed)  # fmt: skip

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
        self,
        graph: Graph,
        score: NDArray[np.float64],
        forest: NDArray[np.int64] | None,
        expected: float,
    ) -> IndependentDraws:
        if forest is None:
            probability = inclusion_probability(score, expected)
        else:
            rest = score.copy()
            rest[forest] = 0
            probability = inclusion_probability(rest, self._beyond_forest(expected, forest))
            probability[forest] = 1
        return IndependentDraws(graph, probability, graph.num_isolated)

    def _expected(self, graph: Graph, score: NDArray[np.float64]) -> float:
        """The number of edges asked for."""
        if self.keep is not None:
            return float(count_of(self.keep, graph.num_edges))
        assert self.epsilon is not None
        draws = paper_draws(graph.num_nodes, self.epsilon)
        return expected_distinct(score / score.sum(), draws)

    def _beyond_forest(self, count: float, forest: NDArray[np.int64] | None) -> float:
        """What is left of the edges asked for once the forest has taken its own."""
        size = 0 if forest is None else forest.size
        if self.keep is not None and count < size:
            raise InputError(
                f"keep={self.keep} asks for fewer edges than the spanning forest's {size}; "
                "keep more, or leave out spanning_forest"
            )
        return max(count - size, 0)


def _checked_score(score: NDArray[np.float64], num_edges: int) -> NDArray[np.float64]:
    """Scores as the core takes them; a subclass from elsewhere may have given anything."""
    array = np.require(score, np.float64, ["C", "A"])
    if array.shape != (num_edges,):
        raise InputError(f"score has shape {array.shape}, but the number of edges is {num_edges}")
    if not (array.min() >= 0 and array.max() < np.inf):  # a NaN makes both false
        bad = int(np.argmin((array >= 0) & (array < np.inf)))
        raise InputError(f"score[{bad}]={array[bad]} must be 0 or more, and finite")
    if array.max() == 0:
        raise InputError("score is 0 for every edge: give those that may be kept more than 0")
    return array
