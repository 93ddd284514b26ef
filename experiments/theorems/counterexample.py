"""The counter-example to Theorem 2 as printed.

A hub with k spokes hub - a_i - b_i, all attention equal (a = 0), and the sparse graph the same
graph with its weights moved by a factor 1 +- eps, which is an exact eps-approximation: the edges
of a tree are independent. All values are 0 but the hub's. Each a_i sees the hub with a slightly
wrong coefficient, the k errors add up to sqrt(k), and the bound does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from experiments.theorems.bound_check import Check
from experiments.theorems.matrices import adjacency, spectral_norm, symmetric_laplacian
from fastgat.check import check_between, check_choice, check_count
from fastgat.graph import Graph

Weights = Literal["alternating", "opposed"]


@dataclass(frozen=True)
class SpokeError(Check):
    """The printed bound on a layer, and the layer's error in the degree-weighted norm."""

    weighted_observed: float = 0.0

    def weighted(self) -> Check:
        """The same layer in the degree-weighted norm."""
        return Check(
            "Theorem 2 (D norm)", self.epsilon, self.bound, self.weighted_observed,
            self.assumptions_hold, self.note,
        )  # fmt: skip


def spokes(num_spokes: int, inner: float | NDArray[np.float64] = 1.0, outer: float = 1.0) -> Graph:
    """Hub 0, a_i = 1..k, b_i = k+1..2k; `inner` weighs hub - a_i and `outer` a_i - b_i.

    >>> spokes(3)
    Graph(num_nodes=7, num_edges=6, weighted)
    """
    count = check_count("num_spokes", num_spokes, 1)
    first = np.arange(1, count + 1)
    weight = np.concatenate([np.broadcast_to(inner, count), np.broadcast_to(outer, count)])
    source = np.concatenate([np.zeros_like(first), first])
    return Graph.from_edges(source, np.concatenate([first, first + count]), weight)


def counterexample(
    num_spokes: int, epsilon: float = 0.1, *, weights: Weights = "alternating", loop: float = 1.0
) -> SpokeError:
    """The error of a GAT layer whose values are 1 at the hub and 0 elsewhere.

    ReLU and ELU change nothing, since no value is negative.

    Args:
        num_spokes: k.
        epsilon: by how much weights are moved.
        weights: "alternating" moves hub - a_i up and down in turn; "opposed" moves every hub - a_i
            up and every a_i - b_i down, which is worse: without loops exactly eps sqrt(k) / 2.
        loop: weight of a loop at every node.

    >>> counterexample(4000).verdict, round(counterexample(4000).observed, 2)
    ('fails', 1.41)
    """
    check_between("epsilon", epsilon, 0, 1)
    check_choice("weights", weights, ("alternating", "opposed"))
    full, thin = spokes(num_spokes), _moved(num_spokes, epsilon, weights)
    values = np.zeros(full.num_nodes)
    values[0] = 1
    degree = full.degree + loop
    error = _average(full, values, loop) - _average(thin, values, loop)
    norm = _laplacian_norm(full, loop)
    return SpokeError(
        statement="Theorem 2 as printed",
        epsilon=epsilon,
        bound=6 * epsilon * norm,
        observed=float(np.linalg.norm(error)),
        assumptions_hold=True,
        note=f"{weights} weights" + (", loops" if loop else ""),
        weighted_observed=float(np.linalg.norm(np.sqrt(degree) * error) / np.sqrt(degree[0])),
    )


def similarity_norm(num_spokes: int, epsilon: float = 0.1) -> Check:
    """The step of the proof that fails: |D^-1/2 X D^1/2| <= |X|, X = L_sym - L_sym,s."""
    full, thin = adjacency(spokes(num_spokes)), adjacency(_moved(num_spokes, epsilon, "opposed"))
    root = np.sqrt(full.sum(axis=1))
    error = symmetric_laplacian(full) - symmetric_laplacian(thin)
    return Check(
        statement="|D^-1/2 X D^1/2| <= |X|",
        epsilon=epsilon,
        bound=spectral_norm(error),
        observed=spectral_norm(error * root / root[:, None]),
        assumptions_hold=True,
        note="a step of Theorem 2's proof",
    )


def _moved(num_spokes: int, epsilon: float, weights: Weights) -> Graph:
    """The spokes with their weights moved by 1 +- eps."""
    if weights == "opposed":
        return spokes(num_spokes, 1 + epsilon, 1 - epsilon)
    sign = np.where(np.arange(num_spokes) % 2 == 0, 1.0, -1.0)
    return spokes(num_spokes, 1 + epsilon * sign)


def _average(graph: Graph, values: NDArray[np.float64], loop: float) -> NDArray[np.float64]:
    """D^-1 Gamma x."""
    return np.asarray((graph.to_scipy() @ values + loop * values) / (graph.degree + loop))


def _laplacian_norm(graph: Graph, loop: float) -> float:
    """|L_sym|: 2 without loops, since a tree is bipartite."""
    if loop == 0:
        return 2.0
    root = scipy.sparse.diags_array(1 / np.sqrt(graph.degree + loop))
    # Without a start vector of our own, equal calls would give unequal last digits.
    start = np.ones(graph.num_nodes)
    start[0] = -1.0
    matrix = root @ graph.laplacian() @ root
    return float(eigsh(matrix, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
