"""A task from a PyG `Data`, by its attributes: PyG itself is not needed."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fastgat.check import InputError, Say, edge_ends
from fastgat.data.node_task import UNLABELLED, NodeTask
from fastgat.data.splits import OWN_SHARES, Shares, Split, stratified_split
from fastgat.graph import Graph

MASKS = ("train_mask", "val_mask", "test_mask")
INDICES = ("train_idx", "val_idx", "test_idx")  # node numbers instead
FIELDS = ("edge_index", "edge_weight", "edge_attr", "batch", "x", "y", "part", *MASKS, *INDICES)


def task_from_fields(
    fields: Mapping[str, Any],
    *,
    num_classes: int | None = None,
    shares: Shares = OWN_SHARES,
    split_seed: int = 0,
    name: str = "",
    say: Say | None = None,
    unlabelled_classes: int | None = None,
) -> NodeTask:
    """The task of a `Data`'s attributes by name; the options are those of `NodeTask.from_pyg`.

    What a task has no place for, directions and `edge_attr`, is told to `say`, else as a warning.
    Without `y` there is a task if `unlabelled_classes` says how many classes to predict.
    """
    tensors = _tensors(fields)
    absent = [key for key in ("edge_index", "x", "y") if key not in tensors]
    if absent and (absent != ["y"] or unlabelled_classes is None):
        raise InputError(f"Data has no tensor {absent[0]}, which a task needs")
    x = _features(tensors["x"])
    graph = _graph(tensors["edge_index"], tensors.get("edge_weight"), x.shape[0])
    part = _part(tensors.get("part"), graph)
    if "y" not in tensors:
        assert unlabelled_classes is not None
        _announce_losses(tensors, graph, say)
        labels = np.full(graph.num_nodes, UNLABELLED)
        return NodeTask(graph, x, labels, unlabelled_classes, part=part, name=name)
    y = tensors["y"].numpy()
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim == 1 and y.dtype.kind == "f" and not np.isfinite(y).all():
        node = int(np.argmin(np.isfinite(y)))
        raise InputError(
            f"y[{node}]={y[node]}, but classes are whole numbers, and -1 where unknown: where NaN "
            "means that, use y.nan_to_num(nan=-1).long()"
        )
    _announce_losses(tensors, graph, say)
    if num_classes is None:
        num_classes = y.shape[1] if y.ndim == 2 else max(int(y.max(initial=0)) + 1, 1)
    task = NodeTask(graph, x, y, num_classes, part=part)
    split = _split_by_masks(tensors, task.num_nodes) or _split_by_indices(tensors, task.num_nodes)
    if split is None:
        split = stratified_split(task.labels, shares, seed=split_seed)[0]
    return dataclasses.replace(task, split=split, name=name)


def _tensors(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Those that a task has a use for; what splits the nodes may be an array or a list too."""
    import torch

    found = {}
    for key in FIELDS:
        value = fields.get(key)
        if key in (*MASKS, *INDICES) and isinstance(value, np.ndarray | list | tuple):
            array = np.array(value)
            value = torch.from_numpy(array) if array.dtype.kind in "biuf" else None
        if isinstance(value, torch.Tensor) and (key == "x" or value.layout == torch.strided):
            found[key] = value.detach().cpu()
    return found


def _announce_losses(tensors: Mapping[str, Any], graph: Graph, say: Say | None) -> None:
    def warn(sentence: str) -> None:
        warnings.warn(sentence, stacklevel=5)

    source, target = _arcs(tensors["edge_index"])
    arcs = np.unique(
        source[source != target] * np.int64(graph.num_nodes) + target[source != target]
    )
    one_way = 2 * graph.num_edges - arcs.size
    if one_way:
        (say or warn)(
            f"{one_way:,} of {graph.num_edges:,} edges are given in one direction: the graph is "
            "taken as undirected"
        )
    if "batch" in tensors and bool((tensors["batch"] > 0).any()):
        (say or warn)(
            "batch is left out: its graphs are taken as one; see `part` to keep them apart"
        )
    if "edge_attr" in tensors:
        (say or warn)("edge_attr is left out: a task has weights of edges (edge_weight) alone")
    indices = [key for key in INDICES if key in tensors]
    masked = any(mask in tensors for mask in MASKS)
    if indices and (masked or len(indices) < len(INDICES)):
        absent = [key for key in INDICES if key not in tensors]
        why = "the masks are the split" if masked else f"a split needs {' and '.join(absent)} too"
        verb = "is" if len(indices) == 1 else "are"
        (say or warn)(f"{' and '.join(indices)} {verb} left out: {why}")


def _graph(index: Any, weight: Any, num_nodes: int) -> Graph:
    source, target = edge_ends(_arcs(index))
    return Graph.from_edges(
        source, target, None if weight is None else weight.double().numpy(), num_nodes=num_nodes
    )


def _arcs(index: Any) -> NDArray[Any]:
    import torch

    array: NDArray[Any] = index.as_subclass(torch.Tensor).numpy()  # EdgeIndex is a subclass
    return array


def _part(part: Any, graph: Graph) -> NDArray[Any] | None:
    """Which graph a node is in; None where `part` means something else, as a METIS partition."""
    if part is None or tuple(part.shape) != (graph.num_nodes,):
        return None
    number: NDArray[Any] = part.numpy()
    if number.dtype.kind not in "iu" or (number < 0).any():
        return None
    return None if (number[graph.source] != number[graph.target]).any() else number


def _features(x: Any) -> scipy.sparse.csr_array | NDArray[np.float32]:
    import torch

    if x.layout == torch.strided:
        dense: NDArray[np.float32] = x.to(torch.float32).numpy()
        return dense
    if x.dim() != 2:
        raise InputError(f"x has shape {tuple(x.shape)}, but needs one row per node")
    x = x.to_sparse_csr()
    parts = x.values().numpy(), x.col_indices().numpy(), x.crow_indices().numpy()
    return scipy.sparse.csr_array(parts, shape=(x.size(0), x.size(1)))


def _split_by_masks(tensors: Mapping[str, Any], num_nodes: int) -> Split | None:
    absent = [mask for mask in MASKS if mask not in tensors]
    if len(absent) == len(MASKS):
        return None
    if absent:
        raise InputError(
            f"has masks, but no {absent[0]}; add it, or remove the others to split at random"
        )
    masks = {key: tensors[key].numpy() for key in MASKS}
    if any(mask.ndim != 1 for mask in masks.values()):
        raise InputError("holds several splits; keep one column of each mask")
    for key, mask in masks.items():
        if mask.dtype != bool and (mask.size != num_nodes or not np.isin(mask, (0, 1)).all()):
            raise InputError(
                f"{key} has dtype {mask.dtype} and {mask.size} values, but masks must be boolean, "
                f"one value for each of the {num_nodes} nodes; give node numbers as "
                f"{', '.join(INDICES)}"
            )
    return Split(*(mask.astype(bool) for mask in masks.values()))


def _split_by_indices(tensors: Mapping[str, Any], num_nodes: int) -> Split | None:
    if any(key not in tensors for key in INDICES):
        return None
    return Split.from_indices(num_nodes, *(tensors[key].numpy() for key in INDICES))
