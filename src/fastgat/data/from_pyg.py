"""A task from a PyG `Data`, by its attributes: PyG itself is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import PAPER_SHARES, Split, random_split
from fastgat.graph import Graph

MASKS = ("train_mask", "val_mask", "test_mask")
FIELDS = ("edge_index", "edge_weight", "x", "y", "part", *MASKS)


def task_from_fields(
    fields: Mapping[str, Any],
    *,
    num_classes: int | None = None,
    shares: tuple[float, float, float] = PAPER_SHARES,
    split_seed: int = 0,
    name: str = "",
) -> NodeTask:
    """The task of a `Data`'s attributes by name; the options are those of `NodeTask.from_pyg`."""
    import torch

    tensors = {
        key: value.detach().cpu()
        for key in FIELDS
        if isinstance(value := fields.get(key), torch.Tensor)
        and (key == "x" or value.layout == torch.strided)
    }
    absent = [key for key in ("edge_index", "x", "y") if key not in tensors]
    if absent:
        raise InputError(f"Data has no tensor {absent[0]}, which a task needs")
    x, y = _features(tensors["x"]), tensors["y"].numpy()
    graph = _graph(tensors["edge_index"], tensors.get("edge_weight"), x.shape[0])
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if num_classes is None:
        num_classes = y.shape[1] if y.ndim == 2 else max(int(y.max(initial=0)) + 1, 1)
    task = NodeTask(graph, x, y, num_classes, part=_part(tensors.get("part"), graph))
    split = _stored_split(tensors)
    if split is None:
        split = random_split(task.labelled, shares, seed=split_seed)
    return NodeTask(graph, task.features, task.labels, num_classes, split, name, part=task.part)


def _graph(index: Any, weight: Any, num_nodes: int) -> Graph:
    if index.dim() != 2 or index.size(0) != 2:
        raise InputError(f"edge_index has shape {tuple(index.shape)}, but needs (2, arcs)")
    source, target = _plain(index)
    return Graph.from_edges(
        source, target, None if weight is None else weight.double().numpy(), num_nodes=num_nodes
    )


def _plain(index: Any) -> NDArray[Any]:
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


def _stored_split(tensors: Mapping[str, Any]) -> Split | None:
    masks = [tensors[mask].numpy() for mask in MASKS if mask in tensors]
    if len(masks) < len(MASKS):
        return None
    if any(mask.ndim != 1 for mask in masks):
        raise InputError("holds several splits; keep one column of each mask")
    return Split(*(mask.astype(bool) for mask in masks))
