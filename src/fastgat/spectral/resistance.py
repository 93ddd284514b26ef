"""Effective resistances of all edges: the smoothed sketch."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import Progress, check_between, check_count, check_seed
from fastgat.graph import Graph
from fastgat.spectral.cache import Cache, content_key, open_cache
from fastgat.spectral.sketch import MAX_COLUMNS, WIDTH, SketchSolver, scale_weights, sketch_error
from fastgat.spectral.smoothing import (
    estimate_moments,
    one_step,
    several_steps,
    sketched_fraction,
)

MAX_STEPS = 6  # of smoothing: moments of higher order drown in rounding


@dataclass(frozen=True)
class ResistanceEstimate:
    """Resistances aligned with the graph's edges, and what they rest on."""

    resistance: NDArray[np.float64]
    sketch_columns: int
    smoothing_steps: int
    expected_error: float  # mean relative error that the sketch's variance predicts
    foster_ratio: float  # sum of w R before clipping over its exact value, nodes - components
    iterations: int  # of the solver, the most in any column
    preconditioner: str
    num_bridges: int


def estimate_effective_resistances(
    graph: Graph,
    relative_error: float = 0.02,
    sketch_columns: int | None = None,
    *,
    smoothing_steps: int | None = None,
    tolerance: float | None = None,
    seed: int = 0,
    cache: Cache = None,
    progress: Progress | None = None,
) -> ResistanceEstimate:
    """Estimate the effective resistance of every edge to a mean relative error.

    Columns and smoothing steps follow from the graph: a first block of columns tells how much of
    the resistances the sketch has to find and what a block costs.

    Args:
        graph: the resistances are aligned with its edges.
        relative_error: the mean over the edges; the number of columns follows from it.
        sketch_columns: a number of columns, whatever error they leave.
        smoothing_steps: a number of them, in place of the cheapest.
        tolerance: of the solver, by default a twentieth of `relative_error`, or 0.01 with given
            columns. A loose one leaves the mean error alone, but resistances of the few edges that
            cross a sparse cut come out too small (docs/method.md).
        seed: the same seed gives the same numbers, for any number of threads.
        cache: where the answer is kept and found again for the same graph, options and seed. True
            is the user's cache folder, a path is a folder; None never touches the disk.
        progress: called with the fraction of the work that is done.
    """
    check_between("relative_error", relative_error, 0, 1, hint="0.02 is plenty for sampling")
    if sketch_columns is not None:
        sketch_columns = check_count(
            "sketch_columns", sketch_columns, 1, MAX_COLUMNS, hint="16 make one block"
        )
    if smoothing_steps is not None:
        smoothing_steps = check_count("smoothing_steps", smoothing_steps, 1, MAX_STEPS)
    if tolerance is None:
        tolerance = 0.01 if sketch_columns else 0.05 * relative_error
    check_between("tolerance", tolerance, 0, 1)
    check_seed(seed)
    if graph.num_edges == 0:
        return ResistanceEstimate(np.zeros(0), 0, 1, 0.0, 1.0, 0, "diagonal", 0)
    store = None if cache is None else open_cache(cache)
    if store is not None:
        names = [field.name for field in fields(ResistanceEstimate)]
        options = {
            "relative_error": float(relative_error), "sketch_columns": sketch_columns,
            "smoothing_steps": smoothing_steps, "tolerance": float(tolerance), "seed": int(seed),
        }  # fmt: skip
        key = content_key(graph, {"result": names, **options})
        if found := store.load(key, graph.num_edges):
            if progress is not None:
                progress(1.0)
            return ResistanceEstimate(found[0], **found[1])
    scaled, exponent = scale_weights(graph)
    solver = SketchSolver(scaled, tolerance=tolerance, seed=seed)
    run = _Estimation(scaled, solver, relative_error, sketch_columns, progress)
    estimate = run.run(smoothing_steps)
    if exponent:
        resistance = np.ldexp(estimate.resistance, exponent)
        estimate = replace(estimate, resistance=resistance)
    if store is not None:
        metadata = {name: value for name, value in vars(estimate).items() if name != "resistance"}
        store.save(key, estimate.resistance, metadata)
    return estimate


def effective_resistances(
    graph: Graph,
    relative_error: float = 0.02,
    sketch_columns: int | None = None,
    seed: int = 0,
    cache: Cache = None,
    *,
    smoothing_steps: int | None = None,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """Effective resistance of every edge, aligned with the graph's edges.

    Estimated by the smoothed sketch; `estimate_effective_resistances` also tells what the numbers
    rest on.

    Args:
        graph: undirected, with any number of components.
        relative_error: the mean over the edges; the number of columns follows from it.
        sketch_columns: a number of columns, whatever error they leave.
        seed: the same seed gives the same numbers, for any number of threads.
        cache: True is the user's cache folder, a path is a folder; None never touches the disk.
        smoothing_steps: a number of them, in place of the cheapest.
        tolerance: of the solver; as loose as the error allows unless given.
        progress: called with the fraction of the work that is done.

    >>> from fastgat.graph.gallery import complete
    >>> effective_resistances(complete(4)).round(4)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    return estimate_effective_resistances(
        graph, relative_error, sketch_columns,
        smoothing_steps=smoothing_steps, tolerance=tolerance, seed=seed, cache=cache,
        progress=progress,
    ).resistance  # fmt: skip


class _Estimation:
    """One estimate in the making."""

    def __init__(
        self,
        graph: Graph,
        solver: SketchSolver,
        relative_error: float,
        sketch_columns: int | None,
        progress: Progress | None,
    ) -> None:
        self.graph = graph
        self.solver = solver
        self.adjacency = graph.adjacency
        self.relative_error = relative_error
        self.wanted = sketch_columns
        self.report = progress or (lambda fraction: None)
        self.done = 0.0
        solver.progress = lambda _: self.report(self.done)
        self.distance = _core.edge_zeros(self.adjacency)
        bridges, self.num_components = _core.find_bridges(self.adjacency)
        self.num_bridges = int(bridges.size)
        self.is_bridge: NDArray[np.uint8] | None = None
        if bridges.size:
            self.is_bridge = np.zeros(graph.num_edges, np.uint8)
            self.is_bridge[bridges] = 1
        self.smoothing = one_step(graph, self.num_components)

    def run(self, smoothing_steps: int | None) -> ResistanceEstimate:
        columns = min(self.wanted or WIDTH, WIDTH)
        block = self.solver.solve_block(0, columns)
        block_work = self.solver.work
        self._add(block)
        if smoothing_steps is None:
            smoothing_steps = self._plan_steps(block, columns, block_work)
        if smoothing_steps > 1:
            terms = _core.walk_terms(
                self.adjacency, smoothing_steps, lambda _: self.report(self.done)
            )
            self.smoothing = several_steps(self.graph, self.num_components, terms)
            del terms
            self.distance[:] = 0
            self._add(block)
        del block

        needed = self.wanted or self._columns_for(self._share(columns))
        while columns < needed:
            self.done = columns / needed
            self.report(self.done)
            width = min(WIDTH, needed - columns)
            self._add(self.solver.solve_block(columns // WIDTH, width))
            columns += width
            if self.wanted is None:
                needed = self._columns_for(self._share(columns))
        return self._finish(columns)

    def _add(self, block: NDArray[np.float32] | NDArray[np.float64]) -> None:
        _core.add_edge_distances(
            self.adjacency, self.smoothing.smooth(self.adjacency, block), self.distance
        )

    def _share(self, columns: int) -> float:
        """Mean over the edges of the sketched part of R."""
        _, share = _core.measure_estimate(
            self.adjacency, self.smoothing.local, self.smoothing.shift,
            self.is_bridge, columns, self.distance,
        )  # fmt: skip
        return share / self.graph.num_edges

    def _columns_for(self, share: float) -> int:
        """Columns, in whole blocks, that bring the expected error below what is asked for."""
        # Solved for t: share * sketch_error(t) = relative_error.
        columns = 2 * (share * math.sqrt(2 / math.pi) / self.relative_error) ** 2
        return WIDTH * max(1, math.ceil(min(columns, MAX_COLUMNS) / WIDTH))

    def _plan_steps(
        self, block: NDArray[np.float32] | NDArray[np.float64], columns: int, block_work: float
    ) -> int:
        """The number of smoothing steps that makes the whole estimate cheapest.

        Where the columns are given, it may cost as much again as they do.
        """
        share = self._share(columns)
        needed = self.wanted or self._columns_for(share)
        blocks = math.ceil(needed / WIDTH)
        budget = block_work * (blocks if self.wanted else blocks - 1)
        walks = [0.0, 0.0]  # by steps
        for steps in range(2, MAX_STEPS + 1):
            work = _core.estimate_walk_work(self.adjacency, steps, 256, budget)
            if work >= budget:
                break
            walks.append(work)
        if len(walks) == 2:
            return 1
        rank = self.graph.num_nodes - self.num_components
        moments = estimate_moments(self.graph, rank, block, 2 * len(walks) - 2)
        fraction = [1.0, *(sketched_fraction(moments[: 2 * k + 1]) for k in range(1, len(walks)))]

        def cost(steps: int) -> float:
            if self.wanted:
                return fraction[steps]
            left = share * fraction[steps] / max(fraction[1], 1e-300)
            return walks[steps] + block_work * (self._columns_for(left) / WIDTH)

        return min(range(1, len(walks)), key=cost)

    def _finish(self, columns: int) -> ResistanceEstimate:
        resistance = self.distance
        foster, share = _core.finish_estimate(
            self.adjacency, self.smoothing.local, self.smoothing.shift,
            self.is_bridge, columns, resistance,
        )  # fmt: skip
        _core.clip_resistances(self.adjacency, resistance)
        self.report(1.0)
        exact = self.graph.num_nodes - self.num_components
        return ResistanceEstimate(
            resistance=resistance,
            sketch_columns=columns,
            smoothing_steps=self.smoothing.steps,
            expected_error=share / self.graph.num_edges * sketch_error(columns),
            foster_ratio=foster / exact,
            iterations=self.solver.iterations,
            preconditioner="diagonal" if self.solver.factor is None else "cholesky",
            num_bridges=self.num_bridges,
        )
