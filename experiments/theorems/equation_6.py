"""Equation 6: (1 - eps) lambda_i(L_G) <= lambda_i(L_H) <= (1 + eps) lambda_i(L_G).

The proofs use the stronger quadratic form, (1 - eps) x'L_G x <= x'L_H x <= (1 + eps) x'L_G x for
every x, of which this is the consequence (Courant-Fischer). A graph with its nodes renumbered has
eps = 0 here and any eps there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from experiments.paper_sampling import paper_sparsifier
from experiments.theorems.bound_check import Check
from experiments.theorems.matrices import (
    Matrix,
    laplacian,
    measured_epsilon,
)
from experiments.theorems.theorem_1 import theorem_1
from fastgat.check import check_between, check_seed
from fastgat.graph import Graph

_ZERO = 1e-10  # relative to the largest eigenvalue: what rounding leaves of a zero
EIGENVALUE_NODES = 3000  # up to here all eigenvalues are computed: some seconds


@dataclass(frozen=True)
class Promise:
    """What one draw of Algorithm 2 keeps of the epsilon it was given."""

    promised: float
    eigenvalues: float  # the least epsilon of eq. 6; not a number on graphs too large for it
    quadratic: float  # the least epsilon of the quadratic form
    lost: float  # share of the nodes that have an edge in G and none in H
    worst_cut: float  # largest |d_H / d_G - 1|: x is 1 at one node
    violated_cuts: float  # share of the single nodes where that is more than promised
    expected_cuts: float  # that share as a normal law gives it, where all leverages are alike

    def checks(self) -> list[Check]:
        """The promise in each of its forms, from the strongest."""
        cuts = f"{self.violated_cuts:.1%} violate it, {self.expected_cuts:.1%} foreseen"
        notes = {
            "eq. 6, quadratic form": (self.quadratic, f"{self.lost:.1%} of the nodes lost"),
            "eq. 6, eigenvalues": (self.eigenvalues, ""),
            "eq. 6, single-node cuts": (self.worst_cut, cuts),
        }
        return [
            Check(statement, self.quadratic, self.promised, observed, True, note)
            for statement, (observed, note) in notes.items()
            if not math.isnan(observed)
        ]


def keep_promise(graph: Graph, epsilon: float, *, seed: int = 0) -> Promise:
    """Draw once with Algorithm 2's int(0.16 N ln N / eps^2) draws and measure what comes out."""
    check_between("epsilon", epsilon, 0, 1)
    sparse = paper_sparsifier(epsilon).sparsify(graph, seed)
    small = graph.num_nodes <= EIGENVALUE_NODES
    before = graph.degree
    ratio = sparse.degree[before > 0] / before[before > 0]
    return Promise(
        promised=epsilon,
        eigenvalues=eigenvalue_epsilon(graph, sparse) if small else math.nan,
        quadratic=measured_epsilon(graph, sparse),
        lost=float(np.mean(ratio == 0)),
        worst_cut=float(np.abs(ratio - 1).max()),
        violated_cuts=float(np.mean(np.abs(ratio - 1) > epsilon)),
        expected_cuts=expected_violations(graph.num_nodes),
    )


def eigenvalue_epsilon(graph: Graph, sparse: Graph) -> float:
    """The least epsilon of eq. 6, from all eigenvalues; infinite if zeros became non-zero.

    >>> from fastgat.graph.gallery import complete
    >>> round(eigenvalue_epsilon(complete(5), complete(5)), 9)
    0.0
    """
    before, after = (_eigenvalues(which) for which in (graph, sparse))
    moved = before > 0
    if (after[~moved] > 0).any():
        return math.inf
    return float(np.abs(after[moved] / before[moved] - 1).max(initial=0.0))


def expected_violations(num_nodes: int, constant: float = 0.16) -> float:
    """Share of single-node cuts that break the promise, the same for every small epsilon.

    A node is drawn about mu = 2 constant ln N / eps^2 times, with deviation sqrt(mu): it is off by
    more than eps if a normal variable exceeds eps sqrt(mu) = sqrt(2 constant ln N). Where mu is a
    few draws only, or leverages differ from node to node, the share is larger.
    """
    excess = math.sqrt(2 * constant * math.log(max(num_nodes, 1)))
    return math.erfc(excess / math.sqrt(2))


def from_eigenvalues_alone(graph: Graph, *, seed: int = 0) -> Check:
    """Theorem 1 with the epsilon of eq. 6, on a graph and the same graph with its nodes renumbered.

    The eigenvalues agree, so the bound is 0 up to rounding, and the layers differ.
    """
    rng = np.random.default_rng(check_seed(seed))
    name = rng.permutation(graph.num_nodes)
    renumbered = Graph.from_edges(
        name[graph.source], name[graph.target], graph.weight, num_nodes=graph.num_nodes
    )
    error = theorem_1(graph, renumbered, seed=seed)
    return Check(
        "Theorem 1 from eq. 6 alone",
        error.epsilon,
        bound=error.bound / error.epsilon * eigenvalue_epsilon(graph, renumbered),
        observed=error.observed,
        assumptions_hold=True,
        note="nodes renumbered",
    )


def _eigenvalues(graph: Graph) -> Matrix:
    values = np.linalg.eigvalsh(laplacian(graph))
    return np.where(values > _ZERO * max(values[-1], 0), values, 0.0)
