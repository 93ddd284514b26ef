"""Tasks to and from PyG: a `Data`, or a file that holds one."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage

from fastgat.check import InputError, Say
from fastgat.data.from_pyg import task_from_fields
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import OWN_SHARES, Shares
from fastgat.files import existing_file

# All that `torch.save(data, path)` and PyG's own datasets write.
ALLOWED = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]


def to_data(task: NodeTask) -> Data:
    """A PyG `Data` with both directions of every edge, dense `x`, `y` and the masks of the split.

    `edge_weight` is there if the graph has weights, `part` if the task has several graphs. Labels
    of several columns become float, as `torch.nn.BCEWithLogitsLoss` takes them.

    >>> import fastgat as fg
    >>> to_data(fg.NodeTask(fg.Graph.from_edges([0], [1]), np.eye(2), np.array([0, 1]), 2))
    Data(edge_index=[2, 2], num_nodes=2, x=[2, 2], y=[2])
    """
    if not isinstance(task, NodeTask):
        raise InputError(
            f"task is a {type(task).__name__}, but a NodeTask is needed; "
            "graph.to_pyg() gives a graph alone"
        )
    data = task.graph.to_pyg()
    features = task.features if isinstance(task.features, np.ndarray) else task.features.toarray()
    data.x = torch.tensor(features)  # copied: the task's arrays stay as they are
    data.y = torch.tensor(task.labels, dtype=torch.float if task.is_multi_label else torch.long)
    if task.part is not None:
        data.part = torch.tensor(task.part, dtype=torch.long)
    if task.split is not None:
        data.train_mask = torch.tensor(task.split.train)
        data.val_mask = torch.tensor(task.split.validation)
        data.test_mask = torch.tensor(task.split.test)
    return data


def read_pyg(
    path: str | os.PathLike[str],
    *,
    num_classes: int | None = None,
    shares: Shares = OWN_SHARES,
    split_seed: int = 0,
    name: str = "",
    say: Say | None = None,
    unlabelled_classes: int | None = None,
) -> NodeTask:
    """Read a task from a PyG `Data` saved by `torch.save`, or from a PyG dataset's `data.pt`.

    Its attributes are taken as by `NodeTask.from_pyg`. Nothing in the file is run: any class beyond
    tensors and PyG's `Data` is refused by name.

    Args:
        path: the file.
        num_classes: as many as `y` shows, unless there are more.
        shares: of training, validation and test where there are no masks.
        split_seed: of dealing them out.
        name: of the task; the file's unless given.
        say: told what a task has no place for, such as directions; None: warned of.
        unlabelled_classes: how many classes there are to predict where there is no `y`: then no
            node has a label, and there is no split. None: `y` is needed.
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
        return task_from_fields(
            _fields(content),
            num_classes=num_classes,
            shares=shares,
            split_seed=split_seed,
            name=name or file.stem,
            say=say,
            unlabelled_classes=unlabelled_classes,
        )
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
        # By hand: PyG's own methods raise RuntimeError where a file left the Data's store out.
        store = content.__dict__.get("_store")
        content = getattr(store, "_mapping", None)
    if not isinstance(content, dict):
        raise InputError("does not hold a PyG Data")
    return content
