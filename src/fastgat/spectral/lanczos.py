"""The largest generalised eigenvalue of A x = λ B x, given products with A and solves with B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Eigenvalue:
    """A Ritz value, which lies at or below the true one, and how far off it may be."""

    value: float
    error: float  # bound on the distance to an eigenvalue
    steps: int


def largest_eigenvalue(
    multiply: Callable[[Vector], Vector],
    solve: Callable[[Vector], Vector],
    start: Vector,
    *,
    tolerance: float,
    max_steps: int = 300,
    progress: Callable[[float], object] | None = None,
) -> Eigenvalue:
    """Lanczos iteration with B⁺A in the inner product of B, every vector kept orthogonal to all.

    `multiply` is A, `solve` is B⁺, `start` lies in the range of B.
    """
    from scipy.linalg import eigh_tridiagonal  # slow to import, and seldom needed

    dual = [start]  # B v, for every basis vector v
    basis = [solve(start)]
    norm = np.sqrt(max(float(basis[0] @ dual[0]), 0.0))
    if norm == 0:
        return Eigenvalue(0.0, 0.0, 0)
    basis[0], dual[0] = basis[0] / norm, dual[0] / norm
    diagonal: list[float] = []
    beside: list[float] = []
    value = error = 0.0
    for step in range(1, max_steps + 1):
        image = multiply(basis[-1])  # = B w
        vector = solve(image)
        diagonal.append(float(vector @ dual[-1]))
        # Twice is enough: what one pass leaves of the old directions the second removes.
        for _ in range(2):
            for old, old_dual in zip(basis, dual, strict=True):
                along = float(vector @ old_dual)
                vector = vector - along * old
                image = image - along * old_dual
        norm = np.sqrt(max(float(vector @ image), 0.0))
        values, vectors = eigh_tridiagonal(diagonal, beside)
        value, error = float(values[-1]), float(norm * abs(vectors[-1, -1]))
        if error <= tolerance * abs(value) or norm <= 1e-12 * abs(value) or step == start.size:
            break
        if progress is not None:
            done = np.log(abs(value) / error) / np.log(1 / tolerance)
            progress(float(np.clip(done, 0, 1)))
        beside.append(norm)
        basis.append(vector / norm)
        dual.append(image / norm)
    return Eigenvalue(value, error, len(diagonal))
