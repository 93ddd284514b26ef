"""Keep edges between nodes that a model takes for the same kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, Progress, check_choice, check_count
from fastgat.graph import Graph
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.sparsify.similarity import LEAST, check_rows, edge_similarity, row_cosine
from fastgat.spectral import Cache, effective_resistances

Factor = Literal["similarity", "leverage"]  # what agreement may be multiplied with


def edge_agreement(graph: Graph, predictions: Any) -> NDArray[np.float64]:
    """How much a model's predictions for both ends of every edge agree, from 0 to 1.

    It is the cosine of the two rows. Their product alone, the probability that two draws agree,
    would rank neighbours by how sure the model is of them: cosines do not.

    Args:
        graph: the result is aligned with its edges.
        predictions: class probabilities, one row per node.

    >>> graph = Graph.from_edges([0, 1], [1, 2])
    >>> edge_agreement(graph, np.array([[0.9, 0.1], [0.8, 0.2], [0.0, 1.0]])).round(2).tolist()
    [0.99, 0.24]
    """
    rows = check_rows("predictions", np.asarray(predictions), graph)
    if rows.size and not (rows.min() >= 0 and rows.max() < np.inf):  # a NaN makes both false
        raise InputError("predictions must be probabilities: 0 or more, and finite")
    return np.clip(row_cosine(graph, rows), 0, 1)


@dataclass(frozen=True)
class GuidedSparsifier(ScoreSparsifier):
    """Every node keeps the edges to those that a model takes for its own kind.

    In training the model is the one that is trained: after `warm_up` epochs on all edges its
    predictions choose edges, and with these it goes on from the best of those epochs. No label of
    a validation or test node has a say in which edges they are. On its own, give `predictions` to
    `prepare` or `sparsify`.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
        keep: density instead of `epsilon`.
        spanning_forest: keep one besides.
        per_node: true unless told otherwise.
        warm_up: epochs on all edges before edges are chosen.
        refresh: epochs from one choice to the next; None chooses once. With it, training goes on
            from the last epoch of the warm-up instead of from its best.
        times: what agreement is multiplied with: "similarity" of features, "leverage", or both.

    >>> graph = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2])
    >>> predictions = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8]])
    >>> sparse = GuidedSparsifier(keep=0.5).sparsify(graph, predictions=predictions)
    >>> sparse.num_nodes
    4
    """

    takes: ClassVar[tuple[str, ...]] = ("features", "predictions")

    sampling: Sampling = "best"
    per_node: bool = field(default=True, kw_only=True)
    warm_up: int = field(default=60, kw_only=True)
    refresh: int | None = field(default=None, kw_only=True)
    times: tuple[Factor, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Refuse bad options at once."""
        super().__post_init__()
        object.__setattr__(self, "warm_up", check_count("warm_up", self.warm_up, 1))
        if self.refresh is not None:
            hint = "None chooses once"
            object.__setattr__(self, "refresh", check_count("refresh", self.refresh, 1, hint=hint))
        given: Any = self.times
        times = (given,) if isinstance(given, str) else tuple(given)
        for factor in times:
            check_choice("times", factor, get_args(Factor))
        object.__setattr__(self, "times", times)

    def score(
        self,
        graph: Graph,
        *,
        seed: int = 0,
        cache: Cache = None,
        progress: Progress | None = None,
        features: Any = None,
        predictions: Any = None,
    ) -> NDArray[np.float64]:
        """Agreement of the ends, times what else was asked for; never quite 0.

        Args:
            graph: the result is aligned with its edges.
            seed: of resistances, where leverage counts.
            cache: where those are kept.
            progress: is told how far those are.
            features: one row per node, where similarity counts; without, neighbourhoods do.
            predictions: class probabilities, one row per node.
        """
        if predictions is None:
            raise InputError(
                "GuidedSparsifier needs predictions, one row of class probabilities per node; "
                "fit makes them itself, and SimilaritySparsifier needs none"
            )
        score = LEAST + edge_agreement(graph, predictions)
        if "similarity" in self.times:
            score *= LEAST + edge_similarity(graph, features)
        if "leverage" in self.times:
            resistance = effective_resistances(graph, seed=seed, cache=cache, progress=progress)
            score *= graph.weight * resistance
        return score
