"""A task from files of edges, features and labels: the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.node_tables import Rows, encode, read_features, read_labels
from fastgat.data.node_task import UNLABELLED, NodeTask
from fastgat.data.splits import PAPER_SHARES, Split, random_split
from fastgat.graph import Graph, read_graph

PathLike = str | os.PathLike[str]


def read_task(
    edges: PathLike,
    features: PathLike,
    labels: PathLike | None,
    *,
    names: bool = False,
    num_classes: int | None = None,
    split: Split | None = None,
    shares: tuple[float, float, float] = PAPER_SHARES,
    split_seed: int = 0,
    name: str = "",
) -> NodeTask:
    """Read a task from a graph file, a file of features and a file of labels.

    Features and labels are tables (`.csv`, `.tsv`, `.parquet`) or arrays (`.npy`, `.npz`) with a
    row per node: row i is node i's, unless a column `node` (or `id`) says whose it is.

    Args:
        edges: the graph, in any format that `read_graph` takes.
        features: a row of numbers for every node.
        labels: numbers from 0 or text in a column `label`, or several columns of 0 and 1; a node
            without a label has an empty cell, -1, or no row. None: the task is to predict alone.
        names: nodes go by name; features and labels then need the column `node`.
        num_classes: as many as the labels show, unless there are more; needed without labels.
        split: without one the labelled nodes are dealt out by `random_split`.
        shares: of training, validation and test in that.
        split_seed: of that.
        name: of the task; the graph file's unless given.
    """
    feature_rows = read_features(Path(features))
    if labels is None:
        return _unlabelled(edges, features, feature_rows, names, num_classes, name)
    label_rows = read_labels(Path(labels))
    graph = read_graph(edges, names=names)
    graph = _with_all_nodes(graph, feature_rows, label_rows, names=names)
    x = _place_features(graph, feature_rows, features)
    y, class_names = _place_labels(graph, label_rows, labels)
    if num_classes is None:
        num_classes = y.shape[1] if y.ndim == 2 else _count_classes(y, class_names, labels)
    class_names = class_names if class_names and len(class_names) == num_classes else None
    task = NodeTask(graph, x, y, num_classes, None, name or Path(edges).stem, class_names)
    if split is None:
        split = random_split(task.labelled, shares, seed=split_seed)
    return NodeTask(graph, x, y, num_classes, split, task.name, class_names)


def _unlabelled(
    edges: PathLike,
    features: PathLike,
    rows: Rows,
    names: bool,
    num_classes: int | None,
    name: str,
) -> NodeTask:
    if num_classes is None:
        raise InputError("labels=None needs num_classes: how many classes there are to predict")
    graph = _with_all_nodes(read_graph(edges, names=names), rows, names=names)
    unknown = np.full(graph.num_nodes, UNLABELLED, np.int64)
    x = _place_features(graph, rows, features)
    return NodeTask(graph, x, unknown, num_classes, None, name or Path(edges).stem)


def _with_all_nodes(graph: Graph, *parts: Rows, names: bool) -> Graph:
    """The graph with the nodes that only the features or the labels mention."""
    if not names:
        rows = [_last_node(part) + 1 for part in parts]
        return _resized(graph, max(graph.num_nodes, *rows), None)
    if graph.names is None:
        raise InputError("names=True needs a graph whose nodes have names")
    known = dict.fromkeys(graph.names.tolist())
    for part in parts:
        if part.node is not None:
            known.update(dict.fromkeys(map(str, part.node.tolist())))
    return _resized(graph, len(known), np.array(list(known), np.str_))


def _resized(graph: Graph, num_nodes: int, names: NDArray[np.str_] | None) -> Graph:
    if num_nodes == graph.num_nodes:
        return graph
    return Graph.from_edges(graph.source, graph.target, graph.stored_weight, num_nodes, names=names)


def _last_node(rows: Rows) -> int:
    if rows.node is None:
        return _num_rows(rows) - 1
    if rows.node.dtype.kind not in "iu":
        raise InputError("nodes given by name need names=True")
    if rows.node.size and rows.node.min() < 0:
        raise InputError(f"node {int(rows.node.min())} is negative, but nodes are numbered from 0")
    return int(rows.node.max(initial=-1))


def _num_rows(rows: Rows) -> int:
    shape = getattr(rows.values, "shape", None)
    return int(shape[0]) if shape else len(rows.values)


def _nodes_of(graph: Graph, rows: Rows, file: PathLike) -> NDArray[np.int64]:
    """Whose row each row is."""
    if rows.node is None:
        if graph.names is not None:
            raise InputError(f"{file} needs a column node, since the nodes have names")
        return np.arange(_num_rows(rows))
    if graph.names is None:
        nodes = rows.node.astype(np.int64)
    else:
        number = {name: node for node, name in enumerate(graph.names.tolist())}
        nodes = np.array([number[str(name)] for name in rows.node.tolist()], np.int64)
    values, count = np.unique(nodes, return_counts=True)
    if np.any(count > 1):
        raise InputError(f"{file} has two rows for node {int(values[np.argmax(count > 1)])}")
    return nodes


def _place_features(graph: Graph, rows: Rows, file: PathLike) -> Any:
    nodes = _nodes_of(graph, rows, file)
    if nodes.size < graph.num_nodes:
        absent = np.setdiff1d(np.arange(graph.num_nodes), nodes)[0]
        shown = int(absent) if graph.names is None else repr(str(graph.names[absent]))
        raise InputError(f"{file} has no row for node {shown}; give every node its features")
    row_of = np.argsort(nodes)
    return rows.values if rows.node is None else rows.values[row_of]


def _place_labels(
    graph: Graph, rows: Rows, file: PathLike
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    nodes = _nodes_of(graph, rows, file)
    if getattr(rows.values, "ndim", 1) == 2:
        if nodes.size < graph.num_nodes:
            raise InputError(f"{file} must have a row of 0 and 1 for every node")
        return np.asarray(rows.values)[np.argsort(nodes)], None
    classes, class_names = encode(rows.values, file)
    if classes.dtype.kind not in "iu":
        raise InputError(f"{file}: labels have dtype {classes.dtype}, but classes are whole")
    placed = np.full(graph.num_nodes, UNLABELLED, np.int64)
    placed[nodes] = classes
    return placed, class_names


def _count_classes(
    labels: NDArray[Any], class_names: tuple[str, ...] | None, file: PathLike
) -> int:
    count = len(class_names) if class_names else int(labels.max(initial=-1)) + 1
    if count == 0:
        raise InputError(f"{file} has no label; give at least some nodes one")
    return count
