"""Arcs read block by block, and the graph they make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import MAX_NODES, InputError
from fastgat.files import naming
from fastgat.graph.graph import Graph

NAMES_HINT = "nodes given by name need names=True (--names on the command line)"


class ArcBuffer:
    """Arcs gathered in 8 bytes each, 16 with weights; blocks are checked before they go in."""

    def __init__(self, capacity: int, *, weighted: bool) -> None:
        """Room for `capacity` arcs; memory is taken only where arcs are, and grows if needed."""
        self.size = 0
        self._source = np.empty(capacity, np.int32)
        self._target = np.empty(capacity, np.int32)
        self._weight = np.empty(capacity, np.float64) if weighted else None

    @property
    def source(self) -> NDArray[np.int32]:
        """Where the arcs begin."""
        return self._source[: self.size]

    @property
    def target(self) -> NDArray[np.int32]:
        """Where the arcs end."""
        return self._target[: self.size]

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """Their weights, if they have any."""
        return None if self._weight is None else self._weight[: self.size]

    def append(
        self, source: NDArray[Any], target: NDArray[Any], weight: NDArray[Any] | None
    ) -> None:
        """Add a block that `first_bad_arc` found nothing in."""
        begin, end = self.size, self.size + source.size
        if end > self._source.size:
            self._grow(max(end, 2 * begin))
        self._source[begin:end] = source
        self._target[begin:end] = target
        if self._weight is not None:
            self._weight[begin:end] = weight
        self.size = end

    def _grow(self, capacity: int) -> None:
        # One array after the other, so that only one is held twice.
        self._source = _enlarged(self._source, self.size, capacity)
        self._target = _enlarged(self._target, self.size, capacity)
        if self._weight is not None:
            self._weight = _enlarged(self._weight, self.size, capacity)

    def graph(
        self, path: Path, num_nodes: int | None, names: NDArray[np.str_] | None = None
    ) -> Graph:
        """The graph of all arcs; a file without edges must at least say how many nodes it has."""
        return build_graph(path, self.source, self.target, self.weight, num_nodes, names)


def build_graph(
    path: Path,
    source: NDArray[Any],
    target: NDArray[Any],
    weight: NDArray[Any] | None,
    num_nodes: int | None,
    names: NDArray[np.str_] | None = None,
) -> Graph:
    """`Graph.from_edges`, whose arguments these are, with the file named in what it refuses."""
    if source.size == 0 and num_nodes is None:
        raise InputError(f"{path} has no edges; give num_nodes to read a graph without edges")
    with naming(path):
        return Graph.from_edges(source, target, weight, num_nodes, names=names)


def first_bad_arc(
    source: NDArray[Any], target: NDArray[Any], weight: NDArray[Any] | None
) -> int | None:
    """Place of the first arc that no graph can have, or None."""
    if source.size == 0:
        return None
    in_range = min(source.min(), target.min()) >= 0 and max(source.max(), target.max()) < MAX_NODES
    # A NaN makes both comparisons false.
    if in_range and (weight is None or (weight.min() > 0 and weight.max() < np.inf)):
        return None
    bad = (source < 0) | (target < 0) | (source >= MAX_NODES) | (target >= MAX_NODES)
    if weight is not None:
        bad |= ~(np.isfinite(weight) & (weight > 0))
    return int(np.argmax(bad))


def refuse_arc(where: str, u: int, v: int, weight: float | None) -> InputError:
    """The refusal of an arc found by `first_bad_arc`; `where` names the file and the place."""
    for node in (u, v):
        if node < 0:
            return InputError(f"{where}: node {node} is negative, but nodes are numbered from 0")
        if node >= MAX_NODES:
            return InputError(
                f"{where}: node {node} is beyond {MAX_NODES - 1}; number the nodes 0, 1, 2, ... "
                "or read them with names=True (--names on the command line)"
            )
    return InputError(
        f"{where}: weight {weight} must be positive and finite; "
        "leave out edges without weight, use the absolute value of negative ones"
    )


def _enlarged(array: NDArray[Any], size: int, capacity: int) -> NDArray[Any]:
    larger = np.empty(capacity, array.dtype)
    larger[:size] = array[:size]
    return larger
