"""Cora, Citeseer and PubMed as Planetoid published them: Python 2 pickles, read without trust."""

from __future__ import annotations

import pickle
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fastgat.check import InputError
from fastgat.graph import Graph

# All that a dictionary of neighbour lists needs, under the names Python 2 and 3 give it. These are
# exact pairs: a dotted name such as ("builtins", "list.__class__") is not among them.
_ALLOWED: dict[tuple[str, str], type] = {
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
}
_MAX_BYTES = 2**26  # PubMed's file, the largest, has 2**19


class RestrictedUnpickler(pickle.Unpickler):
    """Builds lists and dictionaries of plain values; any other name in the file is refused."""

    def find_class(self, module: str, name: str) -> type:
        """Return what an allowed pair stands for, without importing anything."""
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise InputError(f"asks for {module}.{name}, which no dataset needs") from None


def read_graph(path: Path) -> Graph:
    """The graph in an `ind.*.graph` file: a dictionary from node to its neighbours."""
    neighbors = _load_neighbors(path)
    degree = np.fromiter(map(len, neighbors.values()), np.int64, len(neighbors))
    try:
        node = np.fromiter(neighbors, np.int64, len(neighbors))
        target = np.fromiter(chain.from_iterable(neighbors.values()), np.int64, int(degree.sum()))
    except OverflowError:
        raise InputError("names a node beyond 64 bits") from None
    return Graph.from_edges(np.repeat(node, degree), target, num_nodes=len(neighbors))


def _load_neighbors(path: Path) -> dict[int, list[int]]:
    if path.stat().st_size > _MAX_BYTES:
        raise InputError(f"has {path.stat().st_size} bytes, but at most {_MAX_BYTES} are allowed")
    with path.open("rb") as file:
        try:
            content: Any = RestrictedUnpickler(file, encoding="latin1").load()
        except InputError:
            raise
        except Exception as error:  # a damaged pickle raises almost anything
            raise InputError(f"is not a whole pickle: {error or type(error).__name__}") from None
    if not isinstance(content, dict) or not all(type(row) is list for row in content.values()):
        raise InputError("is not a dictionary from node to a list of neighbours")
    if not all(type(node) is int for node in chain(content, *content.values())):
        raise InputError("names a node that is not a whole number")
    return content
