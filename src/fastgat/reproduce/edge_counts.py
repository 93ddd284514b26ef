"""The paper counts edges in several ways, by dataset; here is which, and the same way for ours."""

from __future__ import annotations

import json

import numpy as np

from fastgat.data import NodeTask
from fastgat.data.catalogue import CATALOGUE
from fastgat.data.dataset import StoredDataset
from fastgat.data.locate import look_up
from fastgat.data.planetoid import count_listed

# The denominators that the paper's reductions can be recomputed with.
BOTH_DIRECTIONS = ("physics", "cs")
# One-sided files with some edges in both directions; lists of neighbours with repeats and loops.
AS_STORED = ("computers", "photo", "ppi", "cora", "citeseer", "pubmed")


def paper_count(name: str, task: NodeTask) -> tuple[int, str]:
    """The edges of a dataset as the paper counts them, and in words how that is."""
    if name in BOTH_DIRECTIONS:
        return 2 * task.graph.num_edges, "both directions"
    if name in AS_STORED:
        return _stored_edges(name), "as stored"
    return task.graph.num_edges, "undirected"


def _stored_edges(name: str) -> int:
    total = 0
    dataset = CATALOGUE[name]
    assert isinstance(dataset, StoredDataset)
    for place in dataset.files(graph_only=True):
        path = look_up(place)
        assert path is not None  # the task was read from it
        if path.suffix == ".json":
            total += len(json.loads(path.read_text(encoding="utf-8"))["links"])
        elif path.suffix == ".graph":
            total += count_listed(path) // 2
        else:
            with np.load(path, allow_pickle=False) as stored:
                total += int(stored["adj_indptr"][-1])
    return total


def reduction(kept: float, before: int) -> float:
    """The share of edges that is gone.

    >>> reduction(25, 100)
    0.75
    """
    return 1 - kept / before
