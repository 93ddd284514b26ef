"""From the edges that a sparsifier draws to the arcs that PyG stores."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.pyg.stored_arcs import StoredArcs
from fastgat.sparsify import Sparsifier
from fastgat.sparsify.draws import draw_graph


def seed_of_graph(seed: int, place: int) -> int:
    """The seed of a graph by its place in a batch; the first graph has the batch's own.

    >>> seed_of_graph(7, 0), seed_of_graph(7, 1) != seed_of_graph(7, 2)
    (7, True)
    """
    if place == 0:
        return seed
    return int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0])


def arc_scales(sparsifier: Sparsifier, arcs: StoredArcs, seed: int) -> NDArray[np.float64]:
    """By what the weight of each arc is multiplied: 0 if its edge goes, 1 if it is a loop.

    Args:
        sparsifier: draws every graph on its own.
        arcs: of one graph, or of several.
        seed: of the first graph; the others' follow from it.
    """
    source, target, weight, ptr = arcs.source, arcs.target, arcs.weight, arcs.ptr
    if ptr.size == 2:
        return _scales_of_graph(sparsifier, source, target, weight, int(ptr[1]), seed)
    part = np.searchsorted(ptr, source, side="right") - 1
    across = np.flatnonzero(part != np.searchsorted(ptr, target, side="right") - 1)
    if across.size:
        raise InputError(
            f"edge_index[:, {across[0]}] joins two graphs of the batch, which are drawn one by one;"
            " give Sparsify the graphs before they are batched, or a Data that is no Batch"
        )
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(ptr.size))
    scale = np.empty(source.size)
    for k in np.unique(part).tolist():
        place = order[ends[k] : ends[k + 1]]
        start, size = ptr[k], int(ptr[k + 1] - ptr[k])
        own = None if weight is None else weight[place]
        try:
            scale[place] = _scales_of_graph(
                sparsifier, source[place] - start, target[place] - start, own, size,
                seed_of_graph(seed, k),
            )  # fmt: skip
        except InputError as error:
            raise InputError(f"graph {k} of the batch: {error}") from None
    return scale


def _scales_of_graph(
    sparsifier: Sparsifier,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    weight: NDArray[np.float64] | None,
    num_nodes: int,
    seed: int,
) -> NDArray[np.float64]:
    graph = Graph.from_edges(source, target, weight, num_nodes)
    if graph.num_edges == 0:
        return np.ones(source.size)  # no arcs, or loops alone
    sparse = draw_graph(sparsifier.prepare(graph, seed=seed), seed)
    # A scale, not the new weight: directions and repeats may have weights of their own.
    scale = sparse.weight / graph.weight[sparse.edge_id]
    shape = (num_nodes, num_nodes)
    kept = scipy.sparse.csr_matrix((scale, (sparse.source, sparse.target)), shape=shape)
    low, high = np.minimum(source, target), np.maximum(source, target)
    # Looked up row by row: several times faster than one search among all edges.
    scale_of_arc: NDArray[np.float64] = np.asarray(kept[low, high]).ravel()
    scale_of_arc[low == high] = 1.0
    return scale_of_arc
