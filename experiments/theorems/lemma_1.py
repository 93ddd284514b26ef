"""Lemma 1: |A - D^-1 A D| <= |A| (|I - D^-1| + |D^-1| |I - D|), D diagonal and positive.

The proof's first line has A (I - D^-1) where (I - D^-1) A is meant; norms do not notice.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from experiments.theorems.bound_check import Check
from experiments.theorems.matrices import (
    Matrix,
    adjacency,
    measured_epsilon,
    spectral_norm,
    symmetric_laplacian,
)
from fastgat.check import InputError, check_between, check_count, check_seed
from fastgat.graph import Graph


def lemma_1(matrix: ArrayLike, diagonal: ArrayLike) -> Check:
    """Compare both sides for a square matrix A and the diagonal of D.

    >>> check = lemma_1([[0, 1], [0, 0]], [1, 2])
    >>> check.observed, check.bound
    (1.0, 1.5)
    """
    a, d = np.asarray(matrix, np.float64), np.asarray(diagonal, np.float64)
    if a.ndim != 2 or a.shape != (d.size, d.size) or d.ndim != 1:
        raise InputError(f"matrix has shape {a.shape} and diagonal {d.shape}: give (n, n) and (n,)")
    if not (d > 0).all():
        raise InputError(f"diagonal has {float(d.min())} as its least entry, but must be positive")
    factor = np.abs(1 - 1 / d).max() + (1 / d).max() * np.abs(1 - d).max()
    return Check(
        statement="Lemma 1",
        epsilon=math.nan,
        bound=spectral_norm(a) * float(factor),
        observed=spectral_norm(a - a * d / d[:, None]),
        assumptions_hold=True,
    )


def random_case(size: int, spread: float, *, seed: int = 0) -> tuple[Matrix, Matrix]:
    """A normal matrix, not symmetric, and a diagonal between exp(-spread) and exp(spread)."""
    rng = np.random.default_rng(check_seed(seed))
    check_between("spread", spread, 0, 100, closed=True)
    size = check_count("size", size, 1)
    return rng.standard_normal((size, size)), np.exp(rng.uniform(-spread, spread, size))


def lemma_1_in_the_proof(graph: Graph, sparse: Graph) -> Check:
    """The lemma where Theorem 2's proof uses it, against the eps (1 + eps) |L_s| read off it.

    There A is the sparse graph's L_sym and D^2 the ratio of the degrees. |I - D| is about eps / 2,
    so both norms together are about eps.
    """
    degree = sparse.degree
    if not (degree > 0).all():
        raise InputError(
            f"{int((degree == 0).sum())} nodes have no edge in the sparse graph: the degrees' "
            "ratio must be positive"
        )
    check = lemma_1(symmetric_laplacian(adjacency(sparse)), np.sqrt(degree / graph.degree))
    epsilon = measured_epsilon(graph, sparse)
    norm = spectral_norm(symmetric_laplacian(adjacency(sparse)))
    return Check(
        "Lemma 1 in Theorem 2's proof", epsilon, epsilon * (1 + epsilon) * norm, check.observed,
        assumptions_hold=epsilon < 1,
    )  # fmt: skip
