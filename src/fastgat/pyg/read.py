"""A task from a file that holds a PyG `Data`, without running anything in the file."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage

from fastgat.check import InputError
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import PAPER_SHARES, Split, random_split
from fastgat.files import existing_file
from fastgat.graph import Graph

# All that `torch.save(data, path)` and PyG's own datasets write.
ALLOWED = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]
MASKS = ("train_mask", "val_mask", "test_mask")


def read_pyg(
    path: str | os.PathLike[str],
    *,
    num_classes: int | None = None,
    shares: tuple[float, float, float] = PAPER_SHARES,
    split_seed: int = 0,
    name: str = "",
) -> NodeTask:
    """Read a task from a PyG `Data` saved by `torch.save`, or from a PyG dataset's `data.pt`.

    Needs `edge_index`, `x` and `y`; takes `edge_weight` and the three masks where they are, else
    the labelled nodes (`y` of at least 0) are dealt out by `random_split`. Any class in the file
    beyond tensors and PyG's `Data` is refused by name.
    """
    file = existing_file(path)
    # Of classes that PyG has allowed itself, torch would forget that once the block ends.
    allowed = torch.serialization.get_safe_globals()
    try:
        with (
            torch.serialization.safe_globals([kind for kind in ALLOWED if kind not in allowed]),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # what is wrong with the file is said once, below
            content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # damaged files raise almost anything
        raise InputError(f"{file} {_refusal(str(error))}") from None
    try:
        fields = _fields(content)
        return _make_task(fields, num_classes, shares, split_seed, name or file.stem)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _refusal(message: str) -> str:
    if found := re.search(r"(?:GLOBAL|[Uu]nsupported class) (\S+)", message):
        return f"asks for {found.group(1)}, which no PyG Data needs"
    return "is not a whole PyG file: it is cut short or of another format"


def _fields(content: Any) -> Mapping[str, Any]:
    if isinstance(content, tuple) and content and isinstance(content[0], dict):
        if len(content) > 1 and content[1]:
            raise InputError("holds several graphs; save each as a Data of its own")
        content = content[0]
    elif isinstance(content, Data):
        store = content.__dict__.get("_store")
        content = getattr(store, "_mapping", None)
    if not isinstance(content, dict):
        raise InputError("does not hold a PyG Data")
    absent = [key for key in ("edge_index", "x", "y") if not isinstance(content.get(key), Tensor)]
    if absent:
        raise InputError(f"Data has no tensor {absent[0]}, which a task needs")
    return content


def _make_task(
    fields: Mapping[str, Any],
    num_classes: int | None,
    shares: tuple[float, float, float],
    split_seed: int,
    name: str,
) -> NodeTask:
    x, index, weight = _features(fields["x"]), fields["edge_index"], fields.get("edge_weight")
    if index.dim() != 2 or index.size(0) != 2:
        raise InputError(f"edge_index has shape {tuple(index.shape)}, but needs (2, arcs)")
    if not isinstance(weight, Tensor):
        weight = None
    ends = index.numpy()
    graph = Graph.from_edges(
        ends[0], ends[1], None if weight is None else weight.numpy(), num_nodes=x.shape[0]
    )
    y = fields["y"].detach().numpy()
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if num_classes is None:
        num_classes = y.shape[1] if y.ndim == 2 else max(int(y.max(initial=0)) + 1, 1)
    task = NodeTask(graph, x, y, num_classes)
    split = _stored_split(fields)
    if split is None:
        split = random_split(task.labelled, shares, seed=split_seed)
    return NodeTask(graph, task.features, task.labels, num_classes, split, name)


def _features(x: Tensor) -> Any:
    x = x.detach()
    if x.layout == torch.strided:
        return x.to(torch.float32).numpy()
    if x.dim() != 2:
        raise InputError(f"x has shape {tuple(x.shape)}, but needs one row per node")
    x = x.to_sparse_csr()
    parts = x.values().numpy(), x.col_indices().numpy(), x.crow_indices().numpy()
    return scipy.sparse.csr_array(parts, shape=(x.size(0), x.size(1)))


def _stored_split(fields: Mapping[str, Any]) -> Split | None:
    masks = [fields.get(mask) for mask in MASKS]
    if any(not isinstance(mask, Tensor) for mask in masks):
        return None
    arrays = [np.asarray(mask) for mask in masks]
    if any(array.ndim != 1 for array in arrays):
        raise InputError("holds several splits; keep one column of each mask")
    return Split(*(array.astype(bool) for array in arrays))
