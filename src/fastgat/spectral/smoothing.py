"""Walk polynomials: the part of a resistance that is known exactly, and what is left to sketch.

With P = D⁻¹A, any polynomial p with p(1) = 1 splits a resistance exactly (docs/method.md):

    R_uv = b' q(P) D⁻¹ b + |Y_u - Y_v|²,   Y = p(P) Z,   q(x) = (1 - p(x)²) / (1 - x)

Only the second term is sketched. Summed over the edges with their weights it is the sum of p(x)²
over the eigenvalues x of P other than 1, so the best p of a degree follows from the moments of P.
"""

# Sums over nodes and edges are einsum's: a threaded matrix product would wait for cores that the
# core's own threads have not let go of yet.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.graph import Graph
from fastgat.spectral.sketch import Block

Coefficients = NDArray[np.float64]


@dataclass(frozen=True)
class Smoothing:
    """A walk polynomial and, beyond one step, the exact part of every resistance."""

    polynomial: Coefficients  # p: coefficients of 1, x, x², ...
    local: NDArray[np.float64] | None = None  # None: one step, the degrees tell

    @property
    def steps(self) -> int:
        """Degree of the polynomial."""
        return self.polynomial.size - 1

    @property
    def shift(self) -> float:
        """For one step, p(x) = (x + shift) / (1 + shift)."""
        return float(self.polynomial[0] / self.polynomial[1]) if self.steps == 1 else 0.0

    def smooth(self, adjacency: _core.Adjacency, block: Block) -> Block:
        """Y = p(P) Z."""
        out: Block = self.polynomial[-1].astype(block.dtype) * block
        for coefficient in self.polynomial[-2::-1]:  # Horner
            out = _core.walk_product(adjacency, out)
            out += coefficient.astype(block.dtype) * block
        return out


def one_step(graph: Graph, num_components: int) -> Smoothing:
    """The best polynomial of degree one; its moments are known from the degrees."""
    traces = np.array([_num_connected(graph), 0.0, _core.two_step_returns(graph.adjacency)])
    return Smoothing(best_polynomial(_without_ones(graph, num_components, traces)))


def several_steps(graph: Graph, num_components: int, terms: NDArray[np.float64]) -> Smoothing:
    """The best polynomial for the walk terms b' Pⁱ D⁻¹ b of every edge, two for each step."""
    # The sum of w b' Pⁱ D⁻¹ b over the edges is trace Pⁱ - trace Pⁱ⁺¹; trace P⁰ is known.
    drops = np.einsum("i,ij->j", graph.weight, terms)
    traces = _num_connected(graph) - np.concatenate([[0.0], np.cumsum(drops)])
    polynomial = best_polynomial(_without_ones(graph, num_components, traces))
    return Smoothing(polynomial, np.einsum("ij,j->i", terms, exact_coefficients(polynomial)))


def _num_connected(graph: Graph) -> int:
    """Nodes with an edge: P lives on these."""
    return int(np.count_nonzero(graph.degree))


def _without_ones(
    graph: Graph, num_components: int, traces: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Moments over the eigenvalues other than 1, of which every component with an edge has one."""
    return np.asarray(traces - (num_components - (graph.num_nodes - _num_connected(graph))))


def best_polynomial(moments: NDArray[np.float64]) -> Coefficients:
    """p of degree k with p(1) = 1 and the least sum of p², from the moments 0 .. 2k."""
    degree = (moments.size - 1) // 2
    if degree == 1:
        spread = moments[0] - moments[1]
        shift = max((moments[2] - moments[1]) / spread, 0.0) if spread > 0 else 0.0
        return np.array([shift, 1.0]) / (1.0 + shift)
    gram = np.array([moments[i : i + degree + 1] for i in range(degree + 1)])
    # With no more eigenvalues than steps the matrix is singular, and the best polynomial, which
    # vanishes on all of them, lies in its null space. A whisper on the diagonal finds it there.
    values, vectors = np.linalg.eigh(gram)
    ridge = 1e-10 * max(moments[0], 1.0)
    solution = vectors @ (vectors.sum(axis=0) / (np.maximum(values, 0.0) + ridge))
    return np.asarray(solution / solution.sum())


def estimate_moments(graph: Graph, rank: int, block: Block, highest: int) -> NDArray[np.float64]:
    """Moments 0 .. highest of P over its eigenvalues other than 1, from a block of the sketch.

    There are `rank` of these, nodes less components. The energy of P^i Z against P^j Z has the mean
    moment i + j; every product of the block with P gives two more.
    """
    moments = np.empty(highest + 1)
    current, following = block, _core.walk_product(graph.adjacency, block)
    for power in range(highest + 1):
        left = following if power % 2 else current
        moments[power] = _core.walk_energy(graph.adjacency, left, current, following)
        if power % 2:
            current, following = following, _core.walk_product(graph.adjacency, following)
    # Where weights are far apart, rounding may leave no energy at all: nothing is known then.
    moments *= rank / moments[0] if moments[0] > 0 else 0.0
    return moments


def sketched_fraction(moments: NDArray[np.float64]) -> float:
    """What the best polynomial leaves to the sketch, as a fraction of the sum of w R."""
    polynomial = best_polynomial(moments)
    square = np.convolve(polynomial, polynomial)
    return max(float(square @ moments[: square.size] / max(moments[0], 1e-300)), 0.0)


def exact_coefficients(polynomial: Coefficients) -> Coefficients:
    """q = (1 - p²) / (1 - x): the tail sums of the coefficients of p²."""
    square = np.convolve(polynomial, polynomial)
    return np.asarray(np.cumsum(square[::-1])[::-1][1:])
