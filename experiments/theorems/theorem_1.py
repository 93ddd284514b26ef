"""Theorem 1: a GCN layer on the sparse graph is close to the one on the full graph.

With S = I - L_sym, `H_f = sigma(S HW)` and `H_s = sigma(S_s HW)`,

    |H_f - H_s|_F  <=  4 eps |L_sym| |HW|_F

where eps is the quadratic form's. Both sides are given relative to |HW|_F.
The paper's proof asks for 3 eps^2 + eps^3 < eps; docs/method.md has one with the constant
2 / (1 - eps) instead of 4, which covers eps <= 1/2, and says why larger ones are harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from experiments.theorems.bound_check import Check
from experiments.theorems.matrices import (
    Activation,
    Matrix,
    activate,
    adjacency,
    measured_epsilon,
    spectral_norm,
    symmetric_laplacian,
    worst_columns,
)
from fastgat.check import check_choice, check_count, check_seed
from fastgat.graph import Graph

Features = Literal["random", "worst"]
PAPER_LIMIT = (13**0.5 - 3) / 2  # the root 0.3028 of 3 eps^2 + eps^3 = eps


@dataclass(frozen=True)
class LayerError(Check):
    """A layer's error beside the printed bound and the proven one."""

    proven_bound: float = float("inf")  # 2 eps / (1 - eps) instead of the printed constant


def theorem_1(
    graph: Graph,
    sparse: Graph,
    *,
    seed: int = 0,
    features: Features = "random",
    activation: Activation = "relu",
    channels: int = 8,
    loop: float = 0.0,
) -> LayerError:
    """Compare a GCN layer on both graphs.

    Args:
        graph: the full one.
        sparse: on the same nodes.
        seed: of random features.
        features: "random", or "worst": for HW the direction in which the two layers differ most.
        activation: sigma.
        channels: of random features.
        loop: weight of a loop at every node.

    >>> from fastgat.graph.gallery import complete
    >>> check = theorem_1(complete(6), complete(6))
    >>> check.verdict, round(check.observed, 6)
    ('holds', 0.0)
    """
    rng = np.random.default_rng(check_seed(seed))
    check_choice("features", features, ("random", "worst"))
    epsilon = measured_epsilon(graph, sparse)
    full = symmetric_laplacian(adjacency(graph, loop))
    thin = symmetric_laplacian(adjacency(sparse, loop))
    projected = worst_columns(full - thin)
    if features == "random":
        projected = rng.standard_normal((graph.num_nodes, check_count("channels", channels, 1)))
    error = _layer(full, projected, activation) - _layer(thin, projected, activation)
    scale = epsilon * spectral_norm(full)
    return LayerError(
        statement="Theorem 1",
        epsilon=epsilon,
        bound=4 * scale,
        observed=float(np.linalg.norm(error) / np.linalg.norm(projected)),
        assumptions_hold=epsilon < PAPER_LIMIT,
        note=f"{activation}, {features} features" + (", loops" if loop else ""),
        proven_bound=proven(epsilon, scale),
    )


def proven(epsilon: float, scale: float) -> float:
    """`scale` x 2 / (1 - eps); infinite where a node may be lost."""
    return 2 * scale / (1 - epsilon) if epsilon < 1 else float("inf")


def _layer(laplacian: Matrix, projected: Matrix, activation: Activation) -> Matrix:
    """sigma((I - L_sym) HW): the paper prints L_sym - I, which is not the GCN layer."""
    return activate(activation, projected - laplacian @ projected)
