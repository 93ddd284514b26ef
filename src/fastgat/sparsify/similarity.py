"""Keep edges between nodes that are alike: by their features, or by their neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat.check import InputError, Progress
from fastgat.graph import Graph
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.spectral import Cache

LEAST = 1e-3  # the score of nodes that have nothing in common: kept only where nothing better is


def edge_similarity(graph: Graph, features: Any = None) -> NDArray[np.float64]:
    """How alike the two ends of every edge are, from 0 to 1.

    Sparse features, such as words, are weighted by inverse frequency (TF-IDF), so that a rare one
    in common says more; of dense ones the mean over all nodes is taken off, which they all have in
    common. Both are compared by cosine, negative ones as 0. Without features it is Jaccard's index
    of the neighbourhoods.

    Args:
        graph: the result is aligned with its edges.
        features: one row per node, dense or of SciPy's sparse kinds.

    >>> graph = Graph.from_edges([0, 1], [1, 2])
    >>> edge_similarity(graph, np.array([[1.0, 0.0], [1.0, 0.1], [-1.0, -1.0]])).round(1).tolist()
    [1.0, 0.0]
    """
    if features is None:
        return _core.jaccard_index(graph.adjacency)
    from scipy.sparse import issparse  # slow to import, and `--help` need not wait for it

    if issparse(features):
        found = _sparse_cosine(graph, check_rows("features", features, graph))
    else:
        dense = check_rows("features", np.asarray(features), graph)
        found = row_cosine(graph, dense, centred=True)
    return np.clip(found, 0, 1)


def check_rows(name: str, rows: Any, graph: Graph) -> Any:
    """Refuse what has not one row per node."""
    if len(rows.shape) != 2 or rows.shape[0] != graph.num_nodes:
        raise InputError(
            f"{name} has shape {rows.shape}, but the graph has {graph.num_nodes} nodes: "
            "give one row per node"
        )
    return rows


def row_cosine(graph: Graph, rows: NDArray[Any], *, centred: bool = False) -> NDArray[np.float64]:
    """Cosine of the rows of both ends of every edge; a row of zeros is like no other.

    Args:
        graph: the result is aligned with its edges.
        rows: dense, one per node; one copy of them in single precision is made, nothing per edge.
        centred: take off the mean over all nodes first.
    """
    unit = np.array(rows, np.float32, order="C")
    if centred:
        unit -= unit.mean(axis=0, dtype=np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", unit, unit))
    unit /= np.maximum(length, np.finfo(np.float32).tiny)[:, None]
    return _core.dense_products(graph.adjacency, unit)


def _sparse_cosine(graph: Graph, features: Any) -> NDArray[np.float64]:
    features = features.tocsr()
    offset = np.asarray(features.indptr, np.int64)
    column = np.ascontiguousarray(features.indices, np.int32)
    frequency = np.bincount(column, minlength=features.shape[1])
    rarity = np.log((1 + graph.num_nodes) / (1 + frequency))
    value = np.asarray(features.data, np.float64) * rarity[column]
    row = np.repeat(np.arange(graph.num_nodes), np.diff(offset))
    length = np.sqrt(np.bincount(row, value**2, graph.num_nodes))
    value /= np.maximum(length, np.finfo(np.float32).tiny)[row]
    return _core.sparse_products(
        graph.adjacency, offset, column, value.astype(np.float32), features.shape[1]
    )


@dataclass(frozen=True)
class SimilaritySparsifier(ScoreSparsifier):
    """Every node keeps the edges to those most like it.

    In training it is given the task's features; on its own, give them to `prepare` or `sparsify`.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
        keep: density instead of `epsilon`.
        spanning_forest: keep one besides.
        per_node: true unless told otherwise: without it, nodes unlike all others lose every edge.

    >>> graph = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2])
    >>> features = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 1.1]])
    >>> sparse = SimilaritySparsifier(keep=0.5).sparsify(graph, features=features)
    >>> sparse.num_nodes
    4
    """

    takes: ClassVar[tuple[str, ...]] = ("features",)

    sampling: Sampling = "best"
    per_node: bool = field(default=True, kw_only=True)

    def score(
        self,
        graph: Graph,
        *,
        seed: int = 0,
        cache: Cache = None,
        progress: Progress | None = None,
        features: Any = None,
    ) -> NDArray[np.float64]:
        """Similarity of the ends, never quite 0.

        Args:
            graph: the result is aligned with its edges.
            seed: not used, as the next two.
            cache: not used.
            progress: not used.
            features: one row per node; without, neighbourhoods are compared.
        """
        return LEAST + edge_similarity(graph, features)
