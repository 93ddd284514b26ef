"""The largest λ of A x = λ B x, from products with A and B and solves with B."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress

Columns = NDArray[np.float64]
Operator = Callable[[Columns], Columns]  # on the columns of a matrix

# Several starting vectors: one alone may be nearly orthogonal to the eigenvector that is sought.
# Solves take four columns in little more time than one.
BLOCK = 4


@dataclass(frozen=True)
class Eigenvalue:
    """A Ritz value, which lies at or below the largest eigenvalue, and how far off it may be."""

    value: float
    error: float  # an eigenvalue is that close, by the residual


def largest_eigenvalue(
    multiply_a: Operator,
    multiply_b: Operator,
    solve_b: Operator,
    project: Operator,
    start: Columns,
    *,
    tolerance: float,
    max_steps: int = 200,
    progress: Progress | None = None,
) -> Eigenvalue:
    """Block Lanczos iteration with B⁺A in the inner product of B, all vectors kept orthogonal.

    `solve_b` need not be exact: products with A and B are, so every Ritz value is a true Rayleigh
    quotient. What rounding leaves of vectors in the null space of B has no length there: without
    `project`, making vectors unit would let it grow from step to step.

    Args:
        multiply_a: x -> A x.
        multiply_b: x -> B x.
        solve_b: x -> B⁺ x.
        project: x -> its part in the range of B.
        start: the vectors to begin with, as columns.
        tolerance: relative, of the eigenvalue.
        max_steps: how many blocks are tried.
        progress: called with the fraction of the digits that are found.
    """
    basis, dual, image = (_Stack(start.shape[0]) for _ in range(3))  # V, BV, AV
    fresh = solve_b(project(start))
    value = error = 0.0
    for _ in range(max_steps):
        size = float(np.max(np.sum(fresh * multiply_b(fresh), axis=0), initial=0.0))
        block = _orthonormalise(project(_beyond(fresh, basis, dual)), multiply_b, size)
        if block.shape[1] == 0:
            break  # nothing new: the basis spans all there is
        basis.append(block)
        dual.append(multiply_b(block))
        image.append(multiply_a(block))
        projected = basis.columns.T @ image.columns
        values, vectors = np.linalg.eigh(0.5 * (projected + projected.T))
        value, ritz = float(values[-1]), vectors[:, -1]
        fresh = solve_b(image.columns[:, -block.shape[1] :])
        # The residual, if solves were exact, is what the basis lacks of the last block.
        lacking = _beyond(fresh, basis, dual) @ ritz[-block.shape[1] :]
        error = _norm(lacking, multiply_b(lacking[:, None])[:, 0])
        if error <= tolerance * value:
            residual = image.columns @ ritz - value * (dual.columns @ ritz)
            error = _norm(residual, solve_b(residual[:, None])[:, 0])
            if error <= tolerance * value:
                break
        if progress is not None and value > 0 and error > 0:
            progress(float(np.clip(np.log(value / error) / np.log(1 / tolerance), 0, 1)))
    return Eigenvalue(value, error)


class _Stack:
    """Columns appended block by block to a matrix that grows by doubling."""

    def __init__(self, height: int) -> None:
        self._store = np.empty((height, 4 * BLOCK), order="F")
        self._count = 0

    @property
    def columns(self) -> Columns:
        return self._store[:, : self._count]

    def append(self, block: Columns) -> None:
        if self._count + block.shape[1] > self._store.shape[1]:
            grown = np.empty((self._store.shape[0], 2 * self._store.shape[1]), order="F")
            grown[:, : self._count] = self.columns
            self._store = grown
        self._store[:, self._count : self._count + block.shape[1]] = block
        self._count += block.shape[1]


def _beyond(block: Columns, basis: _Stack, dual: _Stack) -> Columns:
    """What the basis does not hold of the block."""
    for _ in range(2):  # twice is enough: what one pass leaves of the old the second removes
        block = block - basis.columns @ (dual.columns.T @ block)
    return block


def _orthonormalise(block: Columns, multiply_b: Operator, size: float) -> Columns:
    """An orthonormal basis, in the inner product of B, of what the columns span.

    `size` is the largest square of their lengths before the old was removed: what is left of a
    basis that holds everything is rounding, and nothing new.
    """
    values, vectors = np.linalg.eigh(block.T @ multiply_b(block))
    kept = values > max(1e-20 * size, 1e-300)
    first = block @ (vectors[:, kept] / np.sqrt(values[kept]))
    # Once more: the first pass leaves the columns as far from orthogonal as the block was bad.
    values, vectors = np.linalg.eigh(first.T @ multiply_b(first))
    kept = values > 0.5
    return np.asarray(first @ (vectors[:, kept] / np.sqrt(values[kept])))


def _norm(vector: Columns, dual: Columns) -> float:
    return float(np.sqrt(max(float(vector @ dual), 0.0)))
