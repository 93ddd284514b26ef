"""Attention as a graph: the setting of Proposition 1 and Theorem 2.

With one vector for both ends (a_source = a_target) the unnormalised coefficients
Gamma_ij = exp(leaky(s_i + s_j)), s = HWa, are symmetric: weights of a graph, with loops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.matrices import Matrix
from fastgat.check import InputError, check_between, check_count, check_seed
from fastgat.graph import Graph

NEGATIVE_SLOPE = 0.2  # GAT's


@dataclass(frozen=True, eq=False)
class TiedAttention:
    """One head of a GAT layer with a tied attention vector, as a weighted graph."""

    graph: Graph  # its weights are Gamma off the diagonal
    loop: Matrix  # Gamma_ii
    projected: Matrix  # HW, one row per node
    vector: Matrix  # a, one half of the paper's

    @property
    def degree(self) -> Matrix:
        """Gamma's row sums: what the softmax divides by."""
        return np.asarray(self.graph.degree + self.loop)


def attend(graph: Graph, projected: ArrayLike, vector: ArrayLike) -> TiedAttention:
    """The attention graph of a layer with projected features HW and vector a."""
    values, tied = np.asarray(projected, np.float64), np.asarray(vector, np.float64)
    if values.shape != (graph.num_nodes, tied.size) or tied.ndim != 1:
        raise InputError(
            f"projected has shape {values.shape} and vector {tied.shape}, but the graph has "
            f"{graph.num_nodes} nodes: give (nodes, channels) and (channels,)"
        )
    if not (np.isfinite(values).all() and values.any()):
        raise InputError("projected must be finite and not all zero, or no error is relative to it")
    score = values @ tied
    weight = np.exp(leaky(score[graph.source] + score[graph.target]))
    weighted = Graph.from_edges(graph.source, graph.target, weight, num_nodes=graph.num_nodes)
    return TiedAttention(weighted, np.exp(leaky(2 * score)), values, tied)


def random_attention(
    graph: Graph, *, seed: int = 0, channels: int = 8, spread: float = 1.0
) -> TiedAttention:
    """Normal features and a vector such that scores have the standard deviation `spread`."""
    rng = np.random.default_rng(check_seed(seed))
    check_between("spread", spread, 0, 10, closed=True, hint="1 is common in trained layers")
    vector = rng.standard_normal(check_count("channels", channels, 1))
    projected = rng.standard_normal((graph.num_nodes, channels))
    return attend(graph, projected, spread * vector / np.linalg.norm(vector))


def sparsify_attention(attention: TiedAttention, keep: float, *, seed: int = 0) -> Graph:
    """Sample the attention graph by its own effective resistances; loops stay as they are."""
    sparsifier = paper_sparsifier(keep=keep, estimator="exact")
    return sparsifier.sparsify(attention.graph, seed)


def leaky(score: Matrix) -> Matrix:
    """LeakyReLU."""
    return np.where(score > 0, score, NEGATIVE_SLOPE * score)
