"""Exact resistances of a connected graph from columns of the inverse, by a sparse factor.

Not every column is needed. Where the nodes left out are no two of them neighbours, an edge has its
M_uv in a column that is there, and row v of L M = I gives the diagonal of a node v left out:

    R_uv = M_uu + M_vv - 2 M_uv,   M_vv = (1 + sum of w_vj M_jv over v's neighbours j) / d_v
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, Progress, check_memory

if TYPE_CHECKING:
    import scipy.sparse

BATCH_BYTES = 1 << 26  # of solved columns, and as much again of right-hand sides
# R is a small difference of entries of M, which the rounding of degrees blurs to 2e-16 of
# themselves; rings of weak and strong edges in turn show errors of just that size.
MAX_ERROR = 1e-6

Array = NDArray[np.float64]
Nodes = NDArray[np.intp]

WAY_OUT = "estimate them (effective_resistances)"


def sparse_resistances(
    num_nodes: int, source: Nodes, target: Nodes, weight: Array, tick: Progress
) -> Array:
    """Resistance of every edge of a connected graph; arguments as in `dense_resistances`."""
    import scipy.sparse  # slow to import, and seldom needed
    from scipy.sparse.linalg import splu

    size = num_nodes - 1
    check_memory("the sparse factor", 24 * source.size + 2 * BATCH_BYTES, hint=WAY_OUT)
    arcs = scipy.sparse.coo_array(
        (np.tile(weight, 2), (np.append(source, target), np.append(target, source))),
        (num_nodes, num_nodes),
    ).tocsr()
    degree: Array = np.asarray(arcs.sum(axis=1))
    grounded = scipy.sparse.diags_array(degree[:size]) - arcs[:size, :size]
    try:
        factor = splu(
            grounded.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip
    except MemoryError:
        raise InputError(
            f"the sparse factor of {num_nodes} nodes does not fit into memory; {WAY_OUT}"
        ) from None
    except RuntimeError:  # singular: the degrees have rounded small weights away
        raise _too_wide(weight) from None

    column_of = _cover(arcs)
    columns = np.flatnonzero(column_of >= 0)
    # An edge is read from the column of its first end that has one; the ground needs none.
    swap = column_of[source] < 0
    near, far = np.where(swap, target, source), np.where(swap, source, target)
    across = np.zeros(source.size)
    diagonal = np.zeros(num_nodes)
    edges = np.argsort(column_of[near], kind="stable")
    batch = max(1, BATCH_BYTES // (8 * num_nodes))
    for first in range(0, columns.size, batch):
        tick(first / columns.size)
        nodes = columns[first : first + batch]
        right = np.zeros((size, nodes.size))
        right[nodes, np.arange(nodes.size)] = 1
        left = np.zeros((num_nodes, nodes.size))
        left[:size] = factor.solve(right)
        diagonal[nodes] = left[nodes, np.arange(nodes.size)]
        begin, end = np.searchsorted(column_of[near[edges]], [first, first + nodes.size])
        here = edges[begin:end]
        across[here] = left[far[here], column_of[near[here]] - first]
    others = np.flatnonzero(column_of[:size] < 0)
    total = np.bincount(far, weight * across, num_nodes)
    diagonal[others] = (1 + total[others]) / degree[others]
    both = diagonal[source] + diagonal[target]
    resistance = np.asarray(both - 2 * across)
    if not (np.finfo(float).eps * both <= MAX_ERROR * resistance).all():
        raise _too_wide(weight)
    return resistance


def _too_wide(weight: Array) -> InputError:
    return InputError(
        f"weights from {weight.min():.1e} to {weight.max():.1e} leave method='sparse' errors above "
        f"{MAX_ERROR:.0e}; use method='dense', or {WAY_OUT}"
    )


def _cover(arcs: scipy.sparse.csr_array) -> NDArray[np.int64]:
    """Which column of the inverse serves each node, or -1; no two neighbours go without.

    Nodes of few edges are left out first, as many as can be; the ground always is.
    """
    num_nodes = arcs.shape[0]
    wanted = np.zeros(num_nodes, bool)
    left_out = np.zeros(num_nodes, bool)
    for node in np.argsort(np.diff(arcs.indptr)[:-1], kind="stable"):
        if not wanted[node]:
            left_out[node] = True
            wanted[arcs.indices[arcs.indptr[node] : arcs.indptr[node + 1]]] = True
    wanted = ~left_out
    wanted[-1] = False
    return np.where(wanted, np.cumsum(wanted) - 1, -1)
