"""One small task as files that leave nothing to guess, and how to write others."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fastgat import NodeTask

NODES = 24
RNG = np.random.default_rng(31)
PAIRS = sorted(
    {(int(min(p)), int(max(p))) for p in RNG.integers(NODES, size=(70, 2)) if p[0] != p[1]}
)
PAIRS = sorted({*PAIRS, *((k, k + 1) for k in range(NODES - 1))})
SOURCE, TARGET = (list(ends) for ends in zip(*PAIRS, strict=True))
WEIGHT = [round(0.5 + (k % 7) / 4, 2) for k in range(len(PAIRS))]
X = np.round(RNG.normal(size=(NODES, 4)), 3).astype(np.float32)
Y = np.arange(NODES) % 3
SHUFFLED = RNG.permutation(NODES)
Columns = dict[str, Sequence[Any]]


def cell(value: Any) -> str:
    return "" if value is None else str(value)


def text(
    columns: Columns,
    sep: str = ",",
    header: bool | Sequence[str] = True,
    end: str = "\n",
    before: str = "",
) -> str:
    names = list(columns) if header is True else list(header or [])
    lines = [sep.join(names)] if names else []
    lines += [sep.join(map(cell, row)) for row in zip(*columns.values(), strict=True)]
    return before + end.join(lines) + end


def edges(**extra: Sequence[Any]) -> Columns:
    return {"source": SOURCE, "target": TARGET, **extra}


def features(rows: Sequence[int] | None = None, **first: Sequence[Any]) -> Columns:
    chosen = range(NODES) if rows is None else rows
    return {**first, **{f"f{c}": [f"{X[r, c]:.3f}" for r in chosen] for c in range(4)}}


def put(path: Path, content: str, *, encoding: str = "utf-8") -> Path:
    data = content.encode(encoding)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def clean(folder: Path) -> dict[str, Any]:
    """Files that leave nothing to guess."""
    return {
        "edges": put(folder / "e.csv", text(edges())),
        "features": put(folder / "x.csv", text(features(node=range(NODES)))),
        "labels": put(folder / "y.csv", text({"node": range(NODES), "label": Y})),
    }


def check(task: NodeTask, *, weighted: bool = False, labels: Sequence[int] = tuple(Y)) -> None:
    """Whether it is the task, whatever numbers its nodes go by."""
    names = None if task.graph.names is None else task.graph.names.astype(int).tolist()
    node = list(range(NODES)) if names is None else names
    assert task.num_nodes == NODES
    ends = [
        sorted((node[u], node[v]))
        for u, v in zip(task.graph.source, task.graph.target, strict=True)
    ]
    assert sorted(map(tuple, ends)) == PAIRS
    if weighted:
        by_pair = dict(zip(map(tuple, ends), task.graph.weight.tolist(), strict=True))
        assert [by_pair[pair] for pair in PAIRS] == WEIGHT
    else:
        assert not task.graph.is_weighted
    x = task.features if isinstance(task.features, np.ndarray) else task.features.toarray()
    assert np.array_equal(x, X[node])
    assert task.labels.tolist() == [labels[k] for k in node]
