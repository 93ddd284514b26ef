"""Random sketches of L⁺: blocks of 16 columns of Z = L⁺ B' W^½ Q."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, Progress, check_weight_range
from fastgat.graph import Graph
from fastgat.spectral.solver import STALL_LIMIT

WIDTH = _core.sketch_width
MAX_COLUMNS = 1 << 20  # a sketch of a million columns is 0.1 % off: solve exactly instead
MAX_ITERATIONS = 10_000

# Beyond this range of weights a cut may be of light edges only. The residual that the diagonal
# preconditioner measures does not see such a cut, and single precision not the currents through it.
EASY_WEIGHT_RANGE = 100.0

# Beyond this range, squares of what a sketch holds leave the numbers.
MAX_WEIGHT_RANGE = 1e30
# Weights beyond 2^40 or 2^-40 are scaled: single precision, with their squares, ends at 2^127.
EASY_EXPONENT = 40

Block = NDArray[np.float32] | NDArray[np.float64]


def paper_columns(num_nodes: int) -> int:
    """The paper's number of columns: round(4 ln N), at least one."""
    return max(1, round(4 * math.log(max(num_nodes, 1))))


def sketch_error(columns: int) -> float:
    """Mean relative error of a sketch: |chi^2_t / t - 1| has mean sqrt(4 / (pi t)) for large t."""
    return math.sqrt(4 / (math.pi * columns))


def scale_weights(graph: Graph) -> tuple[Graph, int]:
    """The graph with weights 4^k w near 1, and the exponent 2k: its resistances are R / 4^k.

    A power of four has a root without rounding, so nothing else changes. Graphs of ordinary weights
    are given back as they are; weights that no sketch can tell apart are refused.
    """
    least, greatest = check_weight_range(graph.stored_weight)
    if least < greatest / MAX_WEIGHT_RANGE:
        raise InputError(
            f"weights from {least:.3g} to {greatest:.3g} are too far apart for a sketch, which "
            f"resolves {MAX_WEIGHT_RANGE:.0e}; use exact_effective_resistances with method='dense'"
        )
    ends = math.frexp(least)[1], math.frexp(greatest)[1]
    if graph.stored_weight is None or max(map(abs, ends)) <= EASY_EXPONENT:
        return graph, 0
    exponent = -2 * (sum(ends) // 4)
    scaled = np.ldexp(graph.stored_weight, exponent)
    return Graph(graph.num_nodes, graph.source, graph.target, scaled), exponent


class SketchSolver:
    """Makes blocks of the sketch one after another and counts the work they take.

    Single precision and the diagonal preconditioner, unless the weights or a first block say that
    the graph is a hard one: then double precision and the approximate Cholesky factor, which
    brings all modes of the graph forward alike.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        tolerance: float,
        seed: int,
        gaussian: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Choose the precision by the weights; solving begins with the first block.

        Args:
            graph: whose L⁺ is sketched.
            tolerance: of the solver.
            seed: of the random matrix and of the factor.
            gaussian: normal entries in place of random signs.
            progress: called every 50 ms at most while a block is solved, with the fraction of it.
        """
        self.adjacency = graph.adjacency
        self.tolerance = tolerance
        self.seed = seed
        self.gaussian = gaussian
        self.progress = progress
        self.factor: _core.Factor | None = None
        self.iterations = 0  # the most that a column took
        self.work = 0.0  # arcs and factor entries passed over so far, for a block of columns each
        weight = graph.stored_weight
        self.single = weight is None or bool(
            weight.size == 0 or weight.max() <= EASY_WEIGHT_RANGE * weight.min()
        )

    def solve_block(self, block: int, columns: int = WIDTH) -> Block:
        """Columns [16 block, 16 block + columns) of Z, in an array of 16 columns (others zero)."""
        if self.single:
            right, left = self._start(block, columns)
            if not self._iterate(right, left, STALL_LIMIT):
                return left
            self.single = False
        if self.factor is None:
            self.factor = _core.Factor(self.adjacency, self.seed, self.progress)
        right, left = self._start(block, columns)
        self._iterate(right, left, 0)
        return left

    def _start(self, block: int, columns: int) -> tuple[Block, Block]:
        """The right-hand sides, and zeros to start from."""
        right = _core.sketch_right_side(
            self.adjacency, self.gaussian, self.single, self.seed, block
        )
        right[:, columns:] = 0
        return right, np.zeros_like(right)

    def _iterate(self, right: Block, left: Block, stall_limit: int) -> bool:
        taken, _, stalled = _core.solve(
            self.adjacency, self.factor, right, left,
            self.tolerance, MAX_ITERATIONS, stall_limit, True, self.progress,
        )  # fmt: skip
        steps = int(taken.max(initial=0))
        self.iterations = max(self.iterations, steps)
        entries = 0 if self.factor is None else self.factor.num_entries
        # An iteration passes once over the arcs, about ten times over the nodes and twice over the
        # factor.
        nodes, arcs = self.adjacency.num_nodes, 2 * self.adjacency.num_edges
        self.work += (steps + 1) * (arcs + 10 * nodes + 2 * entries)
        return stalled
