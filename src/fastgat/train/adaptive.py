"""Adaptive density: add edges while learning slows down, remove them while it does not (B.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_between, check_count, check_seed
from fastgat.graph import Graph
from fastgat.sparsify import SparsifiedGraph, subgraph
from fastgat.sparsify.density import expected_distinct, paper_draws
from fastgat.train.record import Epoch


@dataclass(frozen=True)
class AdaptiveDensity:
    """The paper's rule: every `every` epochs compare the slope of the training accuracy.

    If it fell, `step` of all edges are added, else as many removed; never fewer than a draw at
    epsilon=`fewest` keeps, never more than one at `most`.
    """

    fewest: float = 0.9  # epsilon: where it starts
    most: float = 0.5
    every: int = 20
    step: float = 0.003  # of the graph's edges

    def __post_init__(self) -> None:
        """Check the choices."""
        for name in ("fewest", "most", "step"):
            object.__setattr__(self, name, check_between(name, getattr(self, name), 0, 1))
        every = check_count("every", self.every, 2, hint="a slope needs two epochs")
        object.__setattr__(self, "every", every)
        if self.most > self.fewest:
            raise InputError(
                f"most={self.most} must be at most fewest={self.fewest}: "
                "a smaller epsilon keeps more edges"
            )


@dataclass(frozen=True)
class Decision:
    """What was decided after an epoch."""

    epoch: int
    slope: float
    previous_slope: float | None
    num_edges: int  # from the next epoch on


@dataclass
class EdgeCount:
    """How many edges are in use now, and why."""

    rule: AdaptiveDensity
    fewest: int
    most: int
    step: int
    num_edges: int
    decisions: list[Decision] = field(default_factory=list)

    @classmethod
    def of(cls, rule: AdaptiveDensity, graph: Graph, score: NDArray[np.float64]) -> EdgeCount:
        """A count that begins with the fewest edges.

        Args:
            rule: the choices of the user.
            graph: whose edges are added and removed.
            score: of every edge, by which they are drawn.
        """
        if graph.num_edges == 0:
            raise InputError("the graph has no edges: there is nothing to sparsify")
        probability = score / score.sum()
        fewest, most = (
            round(expected_distinct(probability, paper_draws(graph.num_nodes, epsilon)))
            for epsilon in (rule.fewest, rule.most)
        )
        step = max(1, round(rule.step * graph.num_edges))
        return cls(rule, fewest, most, step, fewest)

    def after_epoch(self, history: Sequence[Epoch]) -> bool:
        """Decide, if it is time to, by every epoch so far; tell whether the number changed."""
        epoch, every = history[-1].epoch, self.rule.every
        if epoch % every:
            return False
        slope = fitted_slope([earlier.train_f1 for earlier in history[-every:]])
        previous = self.decisions[-1].slope if self.decisions else None
        before = self.num_edges
        if previous is not None:
            change = self.step if slope < previous else -self.step
            self.num_edges = min(max(before + change, self.fewest), self.most)
        self.decisions.append(Decision(epoch, slope, previous, self.num_edges))
        return self.num_edges != before

    def to_json(self) -> list[dict[str, Any]]:
        """Every decision."""
        return [dict(vars(decision)) for decision in self.decisions]

    def restore(self, decisions: list[dict[str, Any]]) -> None:
        """Go on after these decisions."""
        self.decisions = [Decision(**decision) for decision in decisions]
        if self.decisions:
            self.num_edges = self.decisions[-1].num_edges


def edge_order(score: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """All edges in the order of drawing them without replacement in proportion to `score`.

    An edge's time is exponential with rate `score`; the first k edges are a draw of k.
    """
    times = np.random.default_rng(check_seed(seed)).exponential(size=score.size)
    with np.errstate(divide="ignore"):
        times /= score
    return np.argsort(times, kind="stable")


def first_edges(graph: Graph, score: NDArray[np.float64], seed: int, count: int) -> SparsifiedGraph:
    """The graph of the first edges of `edge_order`.

    Args:
        graph: the whole one.
        score: of every edge.
        seed: of the order.
        count: of the edges to take.
    """
    return subgraph(graph, edge_order(score, seed)[:count])


def fitted_slope(values: Sequence[float]) -> float:
    """Slope of the line that fits best.

    >>> round(fitted_slope([1.0, 3.0, 5.0]), 9)
    2.0
    """
    place = np.arange(len(values)) - 0.5 * (len(values) - 1)
    return float(place @ np.asarray(values) / (place @ place))
