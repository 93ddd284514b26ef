"""LaplacianSolver: L x = b for one or many right-hand sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat import _core
from fastgat.check import (
    InputError,
    Progress,
    check_between,
    check_choice,
    check_count,
    check_seed,
    check_weight_range,
)
from fastgat.graph import Graph

Preconditioner = Literal["auto", "diagonal", "cholesky"]

# The factor costs about 60 diagonal iterations to build and each of its 30-40 iterations about two:
# it pays where the diagonal would need more than this.
STALL_LIMIT = 120

# Rounding lets the recurrence run ahead of the true residual; this many fresh starts make it up.
MAX_RESTARTS = 4


@dataclass(frozen=True)
class Solution:
    """x = L⁺b with what it took; for several columns the worst of them."""

    x: NDArray[np.float64]
    iterations: int  # in all
    factor_iterations: int  # of these, with the approximate Cholesky factor
    residual: float  # |b - Lx| / |b| in the norm of D⁻¹, recomputed from x
    converged: bool
    preconditioner: str  # the last one used: "diagonal" or "cholesky"


class LaplacianSolver:
    """Solves L x = b by conjugate gradients; what is prepared for a graph serves every b.

    Starts with the diagonal preconditioner and builds an approximate Cholesky factor when the
    iterations so far say that it will not do, going on from the x it has.

    >>> from fastgat.graph.gallery import path
    >>> import numpy as np
    >>> solution = LaplacianSolver(path(3)).solve([1.0, 0.0, -1.0])
    >>> np.round(solution.x, 6), solution.converged
    (array([ 1.,  0., -1.]), True)
    """

    def __init__(
        self,
        graph: Graph,
        *,
        tolerance: float = 1e-8,
        max_iterations: int = 10_000,
        preconditioner: Preconditioner = "auto",
        seed: int = 0,
        progress: Progress | None = None,
    ) -> None:
        """Check the options; the factor is built when it is first needed.

        Args:
            graph: whose Laplacian L is.
            tolerance: a column is done when |b - Lx| / |b|, in the norm of D⁻¹, is at most this.
            max_iterations: for a call of `solve`.
            preconditioner: "auto" goes from the diagonal to the factor where that pays.
            seed: of the randomised factor.
            progress: called every 50 ms at most, with the fraction of what runs at the time:
                building the factor, or solving for some of the columns.
        """
        check_weight_range(graph.stored_weight)
        self.graph = graph
        self.tolerance = check_between("tolerance", tolerance, 0, 1)
        self.max_iterations = check_count("max_iterations", max_iterations)
        self.preconditioner = check_choice(
            "preconditioner", preconditioner, ("auto", "diagonal", "cholesky")
        )
        self.seed = check_seed(seed)
        self.progress = progress
        self._factor: _core.Factor | None = None

    def solve(self, b: ArrayLike) -> Solution:
        """Solve for a vector b, or for every column of a matrix b.

        b is first made to sum to zero over every component (what is left cannot be reached by
        L); x sums to zero over every component too, so that x = L⁺b.
        """
        right = subtract_means(self._columns(b), self.graph)
        scale = np.abs(right).max(axis=0, initial=0.0)
        scale[scale == 0] = 1.0
        right /= scale  # squares of very large or small entries would leave the range of numbers
        left = np.zeros_like(right)
        steps = np.zeros(right.shape[1], np.int64)
        factor_steps = np.zeros_like(steps)
        if self.preconditioner == "cholesky":
            self._build_factor()
        residual = np.zeros(right.shape[1])
        for _ in range(1 + MAX_RESTARTS):
            budget = self.max_iterations - int(steps.max(initial=0))
            limit = STALL_LIMIT if self.preconditioner == "auto" and self._factor is None else 0
            taken, residual, stalled = _core.solve(
                self.graph.adjacency, self._factor, right, left,
                self.tolerance, budget, limit, False, self.progress,
            )  # fmt: skip
            steps += taken
            if self._factor is not None:
                factor_steps += taken
            if stalled:
                self._build_factor()
            elif not taken.any() or budget <= 0:
                break  # this residual is not the recurrence's: it was computed from x
        else:
            _, residual, _ = _core.solve(
                self.graph.adjacency, None, right, left, self.tolerance, 0, 0, False
            )
        worse = residual > 1  # than no solution at all: rounding has had the last word
        left[:, worse], residual[worse] = 0.0, 1.0
        left = subtract_means(left, self.graph) * scale
        return Solution(
            x=left.reshape(np.shape(b)),
            iterations=int(steps.max(initial=0)),
            factor_iterations=int(factor_steps.max(initial=0)),
            residual=float(residual.max(initial=0.0)),
            converged=bool((residual <= self.tolerance).all()),
            preconditioner="diagonal" if self._factor is None else "cholesky",
        )

    def _build_factor(self) -> None:
        if self._factor is None:
            self._factor = _core.Factor(self.graph.adjacency, self.seed, self.progress)

    def _columns(self, b: ArrayLike) -> NDArray[np.float64]:
        array = np.asarray(b, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[0] != self.graph.num_nodes:
            raise InputError(
                f"b has shape {array.shape}, but needs one row for each of the "
                f"{self.graph.num_nodes} nodes"
            )
        if not np.isfinite(array).all():
            raise InputError("b has entries that are not finite")
        return array[:, None] if array.ndim == 1 else array


def subtract_means(columns: NDArray[np.float64], graph: Graph) -> NDArray[np.float64]:
    """Make every column sum to zero over every component of the graph."""
    count, label = graph.components
    size = np.bincount(label, minlength=count)
    centred = np.empty_like(columns, order="C")
    for c, column in enumerate(columns.T):
        centred[:, c] = column - (np.bincount(label, column, count) / size)[label]
    return centred
