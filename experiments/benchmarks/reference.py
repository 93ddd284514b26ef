"""Resistances without the library: exact by a dense inverse, or 2,000 smoothed columns in SciPy."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

REFERENCES = Path(__file__).parents[2] / "build" / "references"
DENSE_LIMIT = 14_000
COLUMNS = 2_000


def reference_resistances(n: int, source: Any, target: Any) -> tuple[NDArray[np.float64], str]:
    """Resistances of a connected graph of unit weights, and how they were found; kept in build/."""
    digest = hashlib.sha256(np.stack([source, target]).astype(np.int64).tobytes()).hexdigest()[:16]
    path = REFERENCES / f"{digest}.npy"
    kind = "exact" if n <= DENSE_LIMIT else f"{COLUMNS} smoothed columns"
    if not path.exists():
        REFERENCES.mkdir(parents=True, exist_ok=True)
        values = (_exact if n <= DENSE_LIMIT else _smoothed)(n, source, target)
        np.save(path, values)
    return np.load(path), kind


def adjacency(n: int, source: Any, target: Any) -> sp.csr_array:
    """The symmetric matrix of n nodes; every edge is given once and weighs 1."""
    half = sp.coo_array((np.ones(len(source)), (source, target)), shape=(n, n))
    return sp.csr_array(half + half.T)


def _exact(n: int, source: Any, target: Any) -> NDArray[np.float64]:
    matrix = -adjacency(n, source, target).toarray()
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    matrix += 1.0 / n  # the null space of a connected graph's Laplacian
    inverse = scipy.linalg.inv(matrix, overwrite_a=True, assume_a="pos")
    diagonal = np.diag(inverse)
    return np.asarray(diagonal[source] + diagonal[target] - 2 * inverse[source, target])


def _smoothed(n: int, source: Any, target: Any) -> NDArray[np.float64]:
    """1/d_u + 1/d_v - 2/(d_u d_v) + |Y_u - Y_v|^2 with Y = D^-1 A Z, Z by conjugate gradients."""
    matrix = adjacency(n, source, target)
    degree = matrix.sum(axis=1)
    incidence = sp.csr_array(
        (
            np.tile([1.0, -1.0], len(source)),
            np.stack([source, target], axis=1).ravel(),
            np.arange(0, 2 * len(source) + 1, 2),
        ),
        shape=(len(source), n),
    )
    rng = np.random.default_rng(20201)
    total = np.zeros(len(source))
    for _ in range(COLUMNS // 100):
        signs = rng.choice([-1.0, 1.0], size=(len(source), 100))
        right = incidence.T @ signs
        y = (matrix @ _conjugate_gradients(matrix, degree, right)) / degree[:, None]
        total += np.einsum("ij,ij->i", y[source] - y[target], y[source] - y[target])
    exact = 1 / degree[source] + 1 / degree[target] - 2 / (degree[source] * degree[target])
    return np.asarray(exact + total / COLUMNS)


def _conjugate_gradients(matrix: Any, degree: Any, right: Any) -> NDArray[np.float64]:
    x = np.zeros_like(right)
    rest = right.copy()
    scaled = rest / degree[:, None]
    direction = scaled.copy()
    rho = np.einsum("ij,ij->j", rest, scaled)
    goal = 1e-12 * rho
    while (rho > goal).any():
        image = degree[:, None] * direction - matrix @ direction
        step = rho / np.einsum("ij,ij->j", direction, image)
        x += step * direction
        rest -= step * image
        scaled = rest / degree[:, None]
        before, rho = rho, np.einsum("ij,ij->j", rest, scaled)
        direction = scaled + (rho / before) * direction
    return np.asarray(x)
