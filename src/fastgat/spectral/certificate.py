"""How well a sparse graph keeps the spectrum: the measured epsilon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, Progress, check_between, check_seed
from fastgat.graph import Graph
from fastgat.spectral.lanczos import BLOCK, Columns, Eigenvalue, Operator, largest_eigenvalue
from fastgat.spectral.solver import LaplacianSolver, subtract_means

MEANINGLESS = 0.5  # an error of an eigenvalue beyond which nothing is known of it
QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Certificate:
    """lower x'L_G x <= x'L_H x <= upper x'L_G x for every x, H the sparse graph of G."""

    lower: float  # 0 if H falls apart where G does not
    upper: float  # infinite if H connects what G does not
    lower_nonzero: float  # the smallest generalised eigenvalue that is not 0
    error: float  # relative residual of upper and lower_nonzero: an eigenvalue is that close
    isolated: int  # nodes without an edge in H
    lost: int  # of these, nodes with an edge in G
    num_components: int  # of H
    num_components_before: int  # of G
    degree_quantiles: dict[float, float]  # of deg_H / deg_G over the nodes with an edge in G

    @property
    def epsilon(self) -> float:
        """The least epsilon with (1 - epsilon) L_G <= L_H <= (1 + epsilon) L_G."""
        return max(1 - self.lower, self.upper - 1)


def certify(
    graph: Graph,
    sparse: Graph,
    *,
    tolerance: float = 1e-4,
    seed: int = 0,
    progress: Progress | None = None,
) -> Certificate:
    """Measure the extreme generalised eigenvalues of (L_sparse, L_graph).

    They are found by Lanczos iteration on the complement of the null space: some tens of solves
    with each Laplacian.

    Args:
        graph: before sparsifying.
        sparse: on the same nodes.
        tolerance: relative, of the two eigenvalues.
        seed: of the vectors that the iteration starts from.
        progress: called with the fraction of the work that is done.

    >>> from fastgat.graph.gallery import complete
    >>> certificate = certify(complete(5), complete(5))
    >>> round(certificate.lower, 6), round(certificate.upper, 6), certificate.num_components
    (1.0, 1.0, 1)
    """
    check_between("tolerance", tolerance, 0, 1)
    check_seed(seed)
    if graph.num_nodes != sparse.num_nodes:
        raise InputError(
            f"the graph has {graph.num_nodes} nodes but the sparse one has {sparse.num_nodes}: "
            "they must be on the same nodes"
        )
    if graph.num_edges == 0:
        raise InputError("the graph has no edges: there is nothing to certify")
    count, label = graph.components
    sparse_count, sparse_label = sparse.components
    crosses = bool((label[sparse.source] != label[sparse.target]).any())
    quotient = _quotient(graph, sparse_label, sparse_count)
    upper = lower_nonzero = error = 0.0
    if sparse.num_edges:
        largest, inverse = _extremes(graph, sparse, quotient, tolerance, seed, progress)
        upper = float("inf") if crosses else largest.value
        lower_nonzero = 1 / inverse.value if inverse.value > 0 else 0.0
        error = max(found.error / max(found.value, 1e-300) for found in (largest, inverse))
        disordered = not crosses and lower_nonzero > upper * (1 + error + tolerance)
        if not error <= MEANINGLESS or min(largest.value, inverse.value) <= 0 or disordered:
            raise InputError(
                "the certificate cannot be computed: the solver cannot resolve weights from "
                f"{graph.weight.min():.3g} to {graph.weight.max():.3g} on this graph; bring them "
                "closer together, or certify parts of it"
            )
    connected = graph.degree > 0
    ratio = sparse.degree[connected] / graph.degree[connected]
    return Certificate(
        lower=0.0 if quotient.num_edges else lower_nonzero,
        upper=upper,
        lower_nonzero=lower_nonzero,
        error=error,
        isolated=int(np.count_nonzero(sparse.degree == 0)),
        lost=int(np.count_nonzero(ratio == 0)),
        num_components=sparse_count,
        num_components_before=count,
        degree_quantiles=dict(zip(QUANTILES, np.quantile(ratio, QUANTILES).tolist(), strict=True)),
    )


def _extremes(
    graph: Graph,
    sparse: Graph,
    quotient: Graph,
    tolerance: float,
    seed: int,
    progress: Progress | None,
) -> tuple[Eigenvalue, Eigenvalue]:
    """The largest generalised eigenvalue, and the inverse of the smallest that is not 0."""
    from threadpoolctl import threadpool_limits

    start = np.random.default_rng(seed).standard_normal((graph.num_nodes, BLOCK))
    solver_tolerance = 1e-2 * tolerance
    first, second = (_Half(progress, begin) for begin in (0.0, 0.5))
    # Threads of a matrix product would wait for cores that the solver's threads still hold.
    with threadpool_limits(1, user_api="blas"):
        largest = largest_eigenvalue(
            _product(sparse), _product(graph), _inverse(graph, solver_tolerance, first.keep),
            lambda x: subtract_means(x, graph), start,
            tolerance=tolerance, progress=first.advance,
        )  # fmt: skip
        inverse = largest_eigenvalue(
            _complement(graph, quotient, sparse.components[1], solver_tolerance, second.keep),
            _product(sparse), _inverse(sparse, solver_tolerance, second.keep),
            lambda x: subtract_means(x, sparse), start,
            tolerance=tolerance, progress=second.advance,
        )  # fmt: skip
    return largest, inverse


def _product(graph: Graph) -> Operator:
    laplacian = graph.laplacian()
    return lambda x: laplacian @ x


def _inverse(graph: Graph, tolerance: float, progress: Progress) -> Operator:
    solver = LaplacianSolver(graph, tolerance=tolerance, progress=progress)
    return lambda b: solver.solve(b).x


def _sums(columns: Columns, label: NDArray[np.int32], count: int) -> Columns:
    """The sum of every column over every component."""
    return np.stack([np.bincount(label, column, count) for column in columns.T], axis=1)


def _quotient(graph: Graph, label: NDArray[np.int32], count: int) -> Graph:
    """The graph with every set of equal labels drawn together into one node."""
    source, target = label[graph.source], label[graph.target]
    across = source != target
    low, high = np.minimum(source, target)[across], np.maximum(source, target)[across]
    return Graph.from_edges(low, high, graph.weight[across], num_nodes=count)


def _complement(
    graph: Graph, quotient: Graph, label: NDArray[np.int32], tolerance: float, progress: Progress
) -> Operator:
    """K = L_G - L_G S (S' L_G S)⁺ S' L_G, S the indicators of the sparse graph's components.

    x'Kx is the energy of x in G with the level of every component of H chosen at its best: on what
    H can tell apart, the pencil (L_H, K) has the non-zero eigenvalues of (L_H, L_G).
    """
    multiply = _product(graph)
    if quotient.num_edges == 0:
        return multiply
    solver = LaplacianSolver(quotient, tolerance=tolerance, progress=progress)

    def complement(columns: Columns) -> Columns:
        current = multiply(columns)
        level = solver.solve(_sums(current, label, quotient.num_nodes)).x
        return current - multiply(level[label])

    return complement


class _Half:
    """One half of a bar that two runs share; it never goes back."""

    def __init__(self, progress: Progress | None, begin: float) -> None:
        self._report: Progress = progress or (lambda fraction: None)
        self._begin = self._done = begin

    def advance(self, fraction: float) -> None:
        """Report a fraction of the run: digits found may be lost again for a step."""
        self._done = max(self._done, self._begin + 0.5 * fraction)
        self._report(self._done)

    def keep(self, _: float) -> None:
        """Report where the run is: a solve, one of many, tells its own fraction."""
        self._report(self._done)
