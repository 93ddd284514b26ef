"""Exact resistances of a connected graph by dense elimination, accurate for weights of any range.

A degree is the sum of its weights: next to a weight of 1e8, one of 1e-8 is rounded away, and a
factor of L does not know of it. Elimination that keeps the weights instead, and never subtracts
(Grassmann, Taksar, Heyman 1985), gives every entry to full relative accuracy:

    eliminating k:   w_ij += w_ik w_jk / s_k,   s_k = sum of k's weights

With T the inverse of the factor, all of whose entries are positive, R_uv = |T_u - T_v|².
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress

BLOCK = 256  # nodes eliminated together
BATCH = 1 << 22  # numbers gathered at a time
# A matrix product is so much faster per number than gathering rows.
PRODUCT_GAIN = 40
# M_uu + M_vv - 2 M_uv loses what M exceeds R by: below this, differences of rows are used.
CANCELLATION = 1e-4

Array = NDArray[np.float64]
Nodes = NDArray[np.intp]


def dense_bytes(num_nodes: int) -> int:
    """Memory that `dense_resistances` takes, the edges aside."""
    return 8 * num_nodes * (num_nodes + 3 * BLOCK) + 32 * BATCH


def dense_resistances(
    num_nodes: int, source: Nodes, target: Nodes, weight: Array, tick: Progress
) -> Array:
    """Resistance of every edge of a connected graph; its last node is the ground.

    Args:
        num_nodes: of the graph.
        source: one end of every edge, in any order.
        target: the other end.
        weight: of every edge.
        tick: called with the fraction of the work that is done, several times a second.
    """
    matrix = np.zeros((num_nodes, num_nodes))
    low, high = np.minimum(source, target), np.maximum(source, target)
    matrix[low, high] = weight
    pivot = _eliminate(matrix, lambda done: tick(0.45 * done))
    _invert(matrix, pivot, lambda done: tick(0.45 + 0.45 * done))
    return _distances(matrix, low, high, lambda done: tick(0.9 + 0.1 * done))


def _eliminate(matrix: Array, tick: Progress) -> Array:
    """Turn the upper triangle of weights into the weights each node is eliminated with."""
    size = len(matrix) - 1
    pivot = np.empty(size)
    for begin in range(0, size, BLOCK):
        end = min(begin + BLOCK, size)
        for k in range(begin, end):
            row = matrix[k, k + 1 :]
            row += (matrix[begin:k, k] / pivot[begin:k]) @ matrix[begin:k, k + 1 :]
            pivot[k] = row.sum()
        rows = matrix[begin:end]
        share = rows / pivot[begin:end, None]
        for first in range(end, size, BLOCK):
            strip = slice(first, min(first + BLOCK, size))
            matrix[strip, first:] += share[:, strip].T @ rows[:, first:]
        tick(1 - (1 - end / size) ** 3)
    return pivot


def _invert(matrix: Array, pivot: Array, tick: Progress) -> None:
    """Replace the weights by T, the inverse of the factor U = sqrt(S) - W / sqrt(S)."""
    from scipy.linalg import solve_triangular  # slow to import, and seldom needed

    size = len(pivot)
    root = np.sqrt(pivot)
    for begin in reversed(range(0, size, BLOCK)):
        end = min(begin + BLOCK, size)
        scaled = matrix[begin:end, begin:size] / root[begin:end, None]
        corner = np.diag(root[begin:end]) - np.triu(scaled[:, : end - begin], 1)
        inverse = np.triu(solve_triangular(corner, np.eye(end - begin), check_finite=False))
        for first in range(end, size, BLOCK):
            last = min(first + BLOCK, size)
            product = scaled[:, end - begin : last - begin] @ matrix[end:last, first:last]
            matrix[begin:end, first:last] = inverse @ product
        matrix[begin:end, begin:end] = inverse
        tick((1 - begin / size) ** 3)
    matrix[:, size] = 0  # the ground's row is zero already


def _distances(rows: Array, low: Nodes, high: Nodes, tick: Progress) -> Array:
    """|T_u - T_v|² for every edge, nodes with few edges pair by pair, others by products."""
    size = len(rows)
    out = np.empty(low.size)
    order = np.argsort(low, kind="stable")
    square = np.einsum("ij,ij->i", rows, rows)
    start = np.searchsorted(low[order], np.arange(0, size + BLOCK, BLOCK))
    for block, (begin, end) in enumerate(pairwise(start.tolist())):
        edges = order[begin:end]
        first = block * BLOCK
        if PRODUCT_GAIN * edges.size > BLOCK * (size - first):
            # Row u starts at u, so that products with rows below need no more of it.
            gram = rows[first : first + BLOCK, first:] @ rows[first:, first:].T
            u, v = low[edges], high[edges]
            both = square[u] + square[v]
            out[edges] = both - 2 * gram[u - first, v - first]
            edges = edges[out[edges] < CANCELLATION * both]
        step = max(1, BATCH // (size - first))
        for at in range(0, edges.size, step):
            some = edges[at : at + step]
            apart = rows[low[some], first:] - rows[high[some], first:]
            out[some] = np.einsum("ij,ij->i", apart, apart)
        tick(end / low.size)
    return out
