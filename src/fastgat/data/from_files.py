"""A task from files of edges, features and labels: the user's own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, Say
from fastgat.data.classes import encode_labels
from fastgat.data.node_column import NODE_OPTION
from fastgat.data.node_tables import Rows, read_features, read_labels
from fastgat.data.node_task import UNLABELLED, NodeTask
from fastgat.data.splits import (
    OWN_SHARES,
    Shares,
    Split,
    read_split,
    split_from_words,
    stratified_split,
)
from fastgat.files import naming
from fastgat.graph import Graph, read_graph
from fastgat.text_table import listed

PathLike = str | os.PathLike[str]
Column = str | int | None
NAMES_OPTION = "names=True (--names on the command line)"


def read_task(
    edges: PathLike,
    features: PathLike,
    labels: PathLike | None,
    *,
    names: bool = False,
    source_column: Column = None,
    target_column: Column = None,
    weight_column: Column = None,
    header: bool | None = None,
    node_column: Column = None,
    label_column: Column = None,
    features_header: bool | None = None,
    labels_header: bool | None = None,
    num_classes: int | None = None,
    split: Split | PathLike | None = None,
    shares: Shares | None = None,
    split_seed: int = 0,
    name: str = "",
    say: Say | None = None,
) -> NodeTask:
    """Read a task from a graph file, a file of features and a file of labels.

    Features and labels are tables (`.csv`, `.tsv`, `.txt`, also gzipped, `.parquet`) or arrays
    (`.npy`, `.npz`) with a row per node: row i is node i's, unless a column `node` or `id`, or an
    index without a name as pandas and R write it, says whose it is.

    Args:
        edges: the graph, in any format that `read_graph` takes.
        features: a row of numbers for every node.
        labels: whole numbers, text or truth values in a column `label` (or `class`, `y`), or
            several columns of 0 and 1; a node without a label has an empty cell, -1, or no row.
            None: the task is to predict alone.
        names: nodes go by name, any text; features and labels then need a column of nodes.
        source_column: of the edges, its name or its number from 0; found by name unless given.
        target_column: the same.
        weight_column: the same.
        header: whether the edges begin with the names of their columns; None: find out.
        node_column: of features and labels; found by name unless given, "" if there is none.
        label_column: of the labels; found by name unless given.
        features_header: as `header`, of the features.
        labels_header: as `header`, of the labels.
        num_classes: needed without labels; with labels there are as many as they show.
        split: or a file of it (`.npz` with `train_mask`, `val_mask` and `test_mask`). Without one,
            a column `split` of the labels says what a node is for; without that, the labelled
            nodes are dealt out class by class.
        shares: of training, validation and test in that: 60, 20 and 20 % unless given.
        split_seed: of that.
        name: of the task; the graph file's unless given.
        say: told in two sentences what was read and how it was understood.
    """
    if labels is None and num_classes is None:
        raise InputError("labels=None needs num_classes: how many classes there are to predict")
    told: list[str] = []
    graph = read_graph(
        edges,
        names=names,
        source_column=source_column,
        target_column=target_column,
        weight_column=weight_column,
        header=header,
        say=told.append,
    )

    def labels_for(num_rows: int) -> Rows | None:
        if labels is None:
            return None
        return read_labels(
            labels,
            node_column=node_column,
            label_column=label_column,
            header=labels_header,
            num_rows=num_rows,
            names=names,
        )

    is_one_table = labels is not None and os.path.realpath(labels) == os.path.realpath(features)
    label_rows = labels_for(graph.num_nodes) if is_one_table else None
    feature_rows = read_features(
        features,
        node_column=node_column,
        header=features_header,
        num_rows=graph.num_nodes,
        names=names,
        leave_out=() if label_rows is None else label_rows.taken,
    )
    _refuse_likely_header(graph, feature_rows, features_header)
    if not is_one_table:
        label_rows = labels_for(feature_rows.num_rows)
        _refuse_labels_among_features(feature_rows, label_rows)
    read = _with_all_nodes(graph, feature_rows, label_rows, names=names)
    task = NodeTask(
        read,
        _place_features(read, feature_rows),
        np.full(read.num_nodes, UNLABELLED),
        num_classes or 1,
        name=name or _stem(edges),
        feature_names=feature_rows.columns,
    )
    remarks = f"features {feature_rows.file.name} {feature_rows.how}, {task.num_features} columns"
    if label_rows is not None:
        task, described = _with_labels(task, label_rows, num_classes)
        split, dealt = _choose_split(task, label_rows, split, shares, split_seed)
        task = replace(task, split=split)
        if label_rows.left_out and not is_one_table:
            described += f", {listed(label_rows.left_out)} left out"
        remarks += f"; labels {label_rows.file.name} {described}; {dealt}"
    if say is not None:
        columns = "".join(told) or "as stored"
        say(f"edges {Path(edges).name}: {columns}; {_sizes(graph, read, names)}")
        say(remarks)
    return task


def _refuse_labels_among_features(features: Rows, labels: Rows | None) -> None:
    shared = set(features.columns or ()) & set(labels.taken if labels else ())
    if shared:
        raise InputError(
            f"{features.file} has the column {sorted(shared)[0]!r} that is to be learnt: leave it "
            "out of the features, or give it another name"
        )


def _refuse_likely_header(graph: Graph, rows: Rows, header: bool | None) -> None:
    """Refuse one row more than nodes where the first line may be a header of numbers."""
    if header is None and rows.has_no_header and rows.num_rows == graph.num_nodes + 1:
        raise InputError(
            f"{rows.file} has {rows.num_rows} rows for {graph.num_nodes} nodes: is the first line "
            "a header? Say so with features_header=True or False (--features-header or "
            "--no-features-header on the command line)"
        )


def _stem(path: PathLike) -> str:
    stem = Path(path).stem
    return Path(stem).stem if Path(path).suffix.lower() == ".gz" else stem


def _sizes(graph: Graph, read: Graph, names: bool) -> str:
    text = f"{read.num_edges:,} edges, {read.num_nodes:,} nodes"
    if read.num_nodes > graph.num_nodes:
        text += f", {read.num_nodes - graph.num_nodes:,} of them in no edge"
    if not names and _seems_one_based(read):
        text += f". No edge names node 0: if nodes are numbered from 1, use {NAMES_OPTION}"
    return text


def _seems_one_based(graph: Graph) -> bool:
    isolated = graph.is_isolated
    return bool(graph.num_edges and isolated[0] and not isolated[1])


def _with_all_nodes(graph: Graph, features: Rows, labels: Rows | None, *, names: bool) -> Graph:
    """The graph with the nodes that only the features or the labels mention."""
    if not names:
        by_row = labels is not None and labels.node is None and features.node is None
        if labels is not None and by_row and labels.num_rows != features.num_rows:
            raise InputError(
                f"{labels.file} has {labels.num_rows} rows, but {features.file} has "
                f"{features.num_rows}; give both a column node, or a row for every node"
            )
        return _resized(graph, _count_nodes(graph, features, labels), None)
    if graph.names is None:
        raise InputError("names=True needs a graph whose nodes have names")
    known = dict.fromkeys(graph.names.tolist())
    for part in (features, labels):
        if part is not None and part.node is not None:
            known.update(dict.fromkeys(map(str, part.node.tolist())))
    return _resized(graph, len(known), np.array(list(known), np.str_))


def _count_nodes(graph: Graph, features: Rows, labels: Rows | None) -> int:
    """How many nodes there are; every one needs features, so no number is beyond their rows."""
    count = max(graph.num_nodes, features.num_rows)
    others = f"{NAMES_OPTION} takes nodes that are not numbered 0, 1, 2, ..."
    if (last := _last_node(features)) >= count and features.node is not None:
        absent = np.setdiff1d(np.arange(features.num_rows), features.node)[0]
        raise InputError(
            f"{features.file} has no row for node {absent}, but one for node {last}; {others}"
        )
    if labels is not None and (last := _last_node(labels)) >= count:
        if features.num_rows < graph.num_nodes:
            return graph.num_nodes  # the features are at fault, and will be told so
        raise InputError(
            f"{labels.file} names node {last}, but {features.file} has features for "
            f"{features.num_rows} nodes, 0 to {features.num_rows - 1}; {others}"
        )
    return count


def _resized(graph: Graph, num_nodes: int, names: NDArray[np.str_] | None) -> Graph:
    if num_nodes == graph.num_nodes:
        return graph
    return Graph.from_edges(graph.source, graph.target, graph.stored_weight, num_nodes, names=names)


def _last_node(rows: Rows) -> int:
    if rows.node is None:
        return rows.num_rows - 1
    if rows.node.size == 0:
        return -1
    if rows.node.dtype.kind not in "iu":
        raise InputError(
            f"{rows.file} names its nodes ({str(rows.node[0])!r}, ...): use {NAMES_OPTION}, or if "
            f"the column does not name nodes, choose with {NODE_OPTION}"
        )
    if rows.node.min() < 0:
        raise InputError(
            f"{rows.file}: node {int(rows.node.min())} is negative, but nodes are numbered from 0"
        )
    return int(rows.node.max())


def _nodes_of(graph: Graph, rows: Rows) -> NDArray[np.int64]:
    """Whose row each row is."""
    if rows.node is None:
        if graph.names is not None:
            raise InputError(f"{rows.file} needs a column node, since the nodes have names")
        return np.arange(rows.num_rows)
    if graph.names is None:
        nodes = rows.node.astype(np.int64)
    else:
        number = {name: node for node, name in enumerate(graph.names.tolist())}
        nodes = np.array([number[str(name)] for name in rows.node.tolist()], np.int64)
    values, count = np.unique(nodes, return_counts=True)
    if np.any(count > 1):
        twice = int(values[np.argmax(count > 1)])
        raise InputError(f"{rows.file} has two rows for node {_shown(graph, twice)}")
    return nodes


def _shown(graph: Graph, node: int) -> str:
    return str(node) if graph.names is None else repr(str(graph.names[node]))


def _place_features(graph: Graph, rows: Rows) -> Any:
    nodes = _nodes_of(graph, rows)
    if nodes.size < graph.num_nodes:
        absent = int(np.setdiff1d(np.arange(graph.num_nodes), nodes)[0])
        cure = "give every node its features"
        if graph.names is None and _seems_one_based(graph):
            cure = (
                "no edge names node 0, so nodes seem to be numbered from 1: give features and "
                f"labels a column node and use {NAMES_OPTION}"
            )
        raise InputError(f"{rows.file} has no row for node {_shown(graph, absent)}; {cure}")
    return rows.values if rows.node is None else rows.values[np.argsort(nodes)]


def _with_labels(task: NodeTask, rows: Rows, num_classes: int | None) -> tuple[NodeTask, str]:
    """The task with its labels, and these in words."""
    nodes = _nodes_of(task.graph, rows)
    if getattr(rows.values, "ndim", 1) == 2:
        if nodes.size < task.num_nodes:
            raise InputError(f"{rows.file} must have a row of 0 and 1 for every node")
        values = np.asarray(rows.values)[np.argsort(nodes)]
        names = rows.columns if rows.columns and len(rows.columns) == values.shape[1] else None
        found = replace(task, labels=values, num_classes=values.shape[1], class_names=names)
        return found, f"{rows.how}, {values.shape[1]} labels that a node may have or not"
    with naming(rows.file):
        classes, class_names = encode_labels(rows.values, num_classes)
    placed = np.full(task.num_nodes, UNLABELLED, np.int64)
    placed[nodes] = classes
    count = num_classes or (len(class_names) if class_names else int(classes.max()) + 1)
    found = replace(task, labels=placed, num_classes=count, class_names=class_names)
    return found, f"{rows.how}, {_describe_classes(found)}"


def _describe_classes(task: NodeTask) -> str:
    """How many nodes have a label, and which are the largest classes."""
    counts = np.bincount(task.labels[task.labelled], minlength=task.num_classes)
    names = task.class_names or tuple(map(str, range(task.num_classes)))
    largest = np.argsort(-counts, kind="stable")[:4]
    shown = ", ".join(f"{names[k]}: {counts[k]:,}" for k in largest)
    more = ", ..." if task.num_classes > largest.size else ""
    labelled = int(task.labelled.sum())
    return f"{labelled:,} of {task.num_nodes:,} nodes in {task.num_classes} classes ({shown}{more})"


def _choose_split(
    task: NodeTask,
    rows: Rows,
    given: Split | PathLike | None,
    shares: Shares | None,
    seed: int,
) -> tuple[Split, str]:
    """The split, and where it comes from in words."""
    sizes = "train {} / validation {} / test {} nodes"
    if isinstance(given, Split):
        split, origin = given, "split as given"
    elif given is not None:
        if task.graph.names is not None:
            raise InputError(
                f"split={given} goes by the order of nodes, but nodes have names: give the labels "
                "a column split with train, validation or test"
            )
        split, origin = read_split(given, task.num_nodes), f"split of {Path(given).name}"
    elif rows.split is not None and shares is None:
        with naming(rows.file):
            words = np.full(task.num_nodes, "", dtype=object)
            words[_nodes_of(task.graph, rows)] = rows.split.to_pylist()
            split = split_from_words(words, task.labelled)
        origin = f"split by column {rows.split_column!r}"
    else:
        chosen = shares or OWN_SHARES
        split, stratified = stratified_split(task.labels, chosen, seed=seed)
        percent = "/".join(f"{100 * share:g}" for share in chosen)
        origin = f"split {percent} at random, {'by class' if stratified else 'not by class'}"
    counts = [int(mask.sum()) for mask in split.masks().values()]
    if counts[0] == 0 or counts[1] == 0:
        raise InputError(
            f"the split has {sizes.format(*counts)}; training and validation need at least one: "
            "label more nodes, or choose other shares"
        )
    return split, f"{origin}: {sizes.format(*(f'{count:,}' for count in counts))}"
