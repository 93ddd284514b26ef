"""Graph: undirected, weighted, frozen; each edge once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat import _core
from fastgat.check import (
    MAX_NODES,
    InputError,
    check_count,
    check_memory,
    node_array,
    weight_array,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import networkx
    import scipy.sparse
    from torch_geometric.data import Data


@dataclass(frozen=True)
class Repairs:
    """What was mended to make a list of arcs an undirected simple graph."""

    self_loops: int = 0  # arcs u -> u, dropped
    repeated: int = 0  # arcs without weight that name an edge again, dropped
    merged: int = 0  # weighted arcs that name an arc again, added to it
    averaged: int = 0  # edges whose two directions had different weights


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph; make one with `from_edges`, `read_graph` or another `from_` method.

    >>> g = Graph.from_edges([0, 1, 2, 1], [1, 2, 0, 0])
    >>> g
    Graph(num_nodes=3, num_edges=3)
    >>> g.source, g.target, g.repairs.repeated
    (array([0, 0, 1], dtype=int32), array([1, 2, 2], dtype=int32), 1)
    """

    num_nodes: int
    source: NDArray[np.int32]  # sorted by (source, target), source < target
    target: NDArray[np.int32]
    stored_weight: NDArray[np.float64] | None = None  # None: every weight is 1
    repairs: Repairs = field(default_factory=Repairs)
    names: NDArray[np.str_] | None = None  # the node's name in the file it came from

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        weight: ArrayLike | None = None,
        num_nodes: int | None = None,
        *,
        names: NDArray[np.str_] | None = None,
    ) -> Graph:
        """Build a graph from arcs in any order and direction.

        (u, v) and (v, u) are one edge. Without weights repeats are dropped; with weights repeats
        of one arc add, and two directions that disagree are averaged. Self-loops are dropped.
        `repairs` counts each of these.

        Args:
            source: where each arc begins, numbered from 0.
            target: where it ends.
            weight: positive and finite; every weight is 1 where none is given.
            num_nodes: the largest number plus one, unless there are more.
            names: of the nodes, kept and written with the graph.
        """
        tail, head = node_array("source", source), node_array("target", target)
        if tail.size != head.size:
            raise InputError(
                f"source has {tail.size} entries but target has {head.size}: they go in pairs"
            )
        if tail.dtype != head.dtype:
            tail, head = tail.astype(np.int64, copy=False), head.astype(np.int64, copy=False)
        if names is not None:
            names = np.array(names, dtype=np.str_)
            names.setflags(write=False)
        conductance = None if weight is None else weight_array("weight", weight, tail.size)
        num_nodes = _check_nodes(tail, head, num_nodes)
        if names is not None and names.shape != (num_nodes,):
            raise InputError(f"names has shape {names.shape}, but num_nodes={num_nodes}")
        check_memory(
            f"a graph of num_nodes={num_nodes}",
            16 * num_nodes,
            hint="number the nodes 0, 1, 2, ... without gaps",
        )
        u, v, w, repairs = _core.canonical_edges(num_nodes, tail, head, conductance)
        if w is not None and not np.isfinite(w).all():
            raise InputError("weight of repeated arcs adds up to infinity; scale the weights down")
        return cls(num_nodes, u, v, w, Repairs(*repairs), names)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return int(self.source.size)

    @property
    def is_weighted(self) -> bool:
        """Whether weights are stored; otherwise every weight is 1."""
        return self.stored_weight is not None

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of every edge; takes no memory where all are 1."""
        if self.stored_weight is None:
            return np.broadcast_to(np.float64(1.0), self.source.shape)
        return self.stored_weight

    @cached_property
    def adjacency(self) -> _core.Adjacency:
        """The symmetric adjacency matrix in compressed rows, built on first use and kept."""
        arcs = 2 * self.num_edges
        check_memory(
            "the adjacency matrix",
            4 * arcs + 8 * arcs * self.is_weighted + 32 * self.num_nodes,
            hint="number the nodes without gaps, or use a machine with more memory",
        )
        return _core.Adjacency(self.num_nodes, self.source, self.target, self.stored_weight)

    @property
    def degree(self) -> NDArray[np.float64]:
        """Sum of the weights of every node's edges."""
        return self.adjacency.degree

    @cached_property
    def components(self) -> tuple[int, NDArray[np.int32]]:
        """Number of connected components, and every node's component."""
        return _core.connected_components(self.adjacency)

    @property
    def num_components(self) -> int:
        """Number of connected components; an isolated node is one."""
        return self.components[0]

    @property
    def is_isolated(self) -> NDArray[np.bool_]:
        """Which nodes have no edge."""
        isolated = np.ones(self.num_nodes, bool)
        isolated[self.source] = False
        isolated[self.target] = False
        return isolated

    @property
    def num_isolated(self) -> int:
        """Number of nodes without an edge."""
        return int(np.count_nonzero(self.is_isolated))

    @property
    def nbytes(self) -> int:
        """Bytes of the edge arrays."""
        weight = 0 if self.stored_weight is None else self.stored_weight.nbytes
        return self.source.nbytes + self.target.nbytes + weight

    def laplacian(self) -> scipy.sparse.csr_array:
        """L = D - A as a SciPy matrix."""
        from fastgat.graph.convert import to_laplacian

        return to_laplacian(self)

    @classmethod
    def from_scipy(cls, matrix: scipy.sparse.sparray | scipy.sparse.spmatrix) -> Graph:
        """From a square sparse adjacency matrix; all ones give a graph of unit weights."""
        from fastgat.graph.convert import from_scipy

        return from_scipy(matrix)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The symmetric adjacency matrix."""
        from fastgat.graph.convert import to_scipy

        return to_scipy(self)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, weight: str | None = "weight") -> Graph:
        """From a NetworkX graph; node labels other than 0..n-1 become `names`."""
        from fastgat.graph.convert import from_networkx

        return from_networkx(graph, weight)

    def to_networkx(self) -> networkx.Graph:
        """A `networkx.Graph` with attribute `weight` where weights are stored."""
        from fastgat.graph.convert import to_networkx

        return to_networkx(self)

    @classmethod
    def from_pyg(cls, data: Data) -> Graph:
        """From a PyG `Data`: `edge_index`, and `edge_weight` where there is one."""
        from fastgat.graph.convert import from_pyg

        return from_pyg(data)

    def to_pyg(self) -> Data:
        """A PyG `Data` with both directions of every edge, and `edge_weight` where stored."""
        from fastgat.graph.convert import to_pyg

        return to_pyg(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write by the suffix: `.npz`, `.parquet`, or text, also with `.gz` behind it.

        Text is `.mtx` (Matrix Market), `.csv`, `.tsv`, `.txt`, `.edges` or `.el`.
        """
        from fastgat.graph.formats import write_graph

        write_graph(self, path)

    def __repr__(self) -> str:
        """Sizes, and whether edges carry weights."""
        weighted = ", weighted" if self.is_weighted else ""
        sizes = f"num_nodes={self.num_nodes}, num_edges={self.num_edges}"
        return f"{type(self).__name__}({sizes}{weighted})"

    def __getstate__(self) -> Mapping[str, object]:
        """What is pickled: the edges, never what is derived from them."""
        derived = {"adjacency", "components"}
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        """Unpickled arrays are as read-only as any."""
        self.__dict__.update(state)
        for array in (self.source, self.target, self.stored_weight, self.names):
            if array is not None:
                array.setflags(write=False)


def _check_nodes(source: NDArray[Any], target: NDArray[Any], num_nodes: int | None) -> int:
    """Return the number of nodes; every node lies in [0, num_nodes)."""
    largest = int(_core.largest_node(source, target))
    if num_nodes is None:
        num_nodes = largest + 1
    num_nodes = check_count("num_nodes", num_nodes)
    limit = min(num_nodes, MAX_NODES)
    if source.size and (largest >= limit or min(source.min(), target.min()) < 0):
        outside = (source < 0) | (source >= limit) | (target < 0) | (target >= limit)
        u, v = (int(ends[np.argmax(outside)]) for ends in (source, target))
        node = u if not 0 <= u < limit else v
        if node < 0:
            raise InputError(f"edge ({u}, {v}) names node {node}, but nodes are numbered from 0")
        if node >= MAX_NODES:
            raise InputError(
                f"edge ({u}, {v}) names node {node}, but nodes end at {MAX_NODES - 1}: "
                "number them 0, 1, 2, ..."
            )
        raise InputError(f"edge ({u}, {v}) names node {node}, but num_nodes={num_nodes}")
    if num_nodes > MAX_NODES:
        raise InputError(f"num_nodes={num_nodes} must be at most {MAX_NODES}")
    return num_nodes
