"""NodeTask: a graph, what is known of its nodes, and what is to be learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_count
from fastgat.data.splits import OWN_SHARES, Shares, Split
from fastgat.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse
    from torch_geometric.data import Data

UNLABELLED = -1


@dataclass(frozen=True, eq=False, repr=False)
class NodeTask:
    """Predict the labels of nodes from their features and their graph.

    `features` are a `scipy.sparse.csr_array` or a dense array, both float32. `labels` are one class
    per node (int64, -1 where unknown), or one row of 0 and 1 per node if a node may have several.
    A task on several graphs holds them side by side; `part` says which one each node is in.

    >>> path = Graph.from_edges([0, 1], [1, 2])
    >>> NodeTask(path, np.eye(3, dtype=np.float32), np.array([0, 1, -1]), num_classes=2)
    NodeTask(num_nodes=3, num_edges=2, num_features=3, num_classes=2)
    """

    graph: Graph
    features: scipy.sparse.csr_array | NDArray[np.float32]
    labels: NDArray[Any]
    num_classes: int
    split: Split | None = None
    name: str = ""
    class_names: tuple[str, ...] | None = None
    part: NDArray[np.int32] | None = None  # None: one graph
    feature_names: tuple[str, ...] | None = None  # of the columns of the features

    def __post_init__(self) -> None:
        """Bring arrays to the types above; refuse what does not fit the graph."""
        check_count("num_classes", self.num_classes, 1)
        names = None if self.class_names is None else tuple(map(str, self.class_names))
        if names is not None and len(names) != self.num_classes:
            raise InputError(f"{len(names)} class_names for num_classes={self.num_classes}")
        object.__setattr__(self, "class_names", names)
        object.__setattr__(self, "features", _checked_features(self.features, self.graph))
        if self.feature_names is not None:
            columns = tuple(map(str, self.feature_names))
            if len(columns) != self.num_features:
                raise InputError(f"{len(columns)} feature_names for {self.num_features} features")
            object.__setattr__(self, "feature_names", columns)
        object.__setattr__(self, "labels", _checked_labels(self.labels, self))
        if self.part is not None:
            object.__setattr__(self, "part", _checked_part(self.part, self.graph))
        if self.split is not None:
            _check_split(self.split, self)

    @classmethod
    def from_pyg(
        cls,
        data: Data,
        *,
        num_classes: int | None = None,
        shares: Shares = OWN_SHARES,
        split_seed: int = 0,
        name: str = "",
    ) -> NodeTask:
        """The task of a PyG `Data`: its `edge_index`, `x`, `y` and, where they are, `edge_weight`.

        The three masks are the split, or node numbers in `train_idx`, `val_idx` and `test_idx`;
        without any, the labelled nodes (`y` of at least 0) are dealt out by `stratified_split`.
        Labels of several columns are several labels per node. A node-level `part`, as
        `fastgat.pyg.to_data` writes it, tells several graphs apart, unless an edge joins two of
        them.

        Args:
            data: anything with these attributes.
            num_classes: as many as `y` shows, unless there are more.
            shares: of training, validation and test where there are no masks.
            split_seed: of dealing them out.
            name: of the task.
        """
        from fastgat.data.from_pyg import FIELDS, task_from_fields

        try:
            return task_from_fields(
                {field: getattr(data, field, None) for field in FIELDS},
                num_classes=num_classes, shares=shares, split_seed=split_seed, name=name,
            )  # fmt: skip
        except InputError as error:
            raise InputError(f"data: {error}") from None

    @property
    def num_nodes(self) -> int:
        """Nodes of the graph, or of all graphs."""
        return self.graph.num_nodes

    @property
    def num_features(self) -> int:
        """Columns of the features."""
        return int(self.features.shape[1])

    @property
    def is_multi_label(self) -> bool:
        """Whether a node may have several labels."""
        return self.labels.ndim == 2

    @property
    def is_sparse(self) -> bool:
        """Whether the features are stored sparse."""
        return not isinstance(self.features, np.ndarray)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which nodes have labels."""
        if self.is_multi_label:
            return np.ones(self.num_nodes, bool)
        known: NDArray[np.bool_] = self.labels != UNLABELLED
        return known

    @property
    def num_graphs(self) -> int:
        """Graphs side by side in this task."""
        return 1 if self.part is None else int(self.part.max(initial=-1)) + 1

    def graphs(self) -> tuple[NodeTask, ...]:
        """One task for each graph, with its rows of the features, labels and split."""
        if self.part is None:
            return (self,)
        order = np.argsort(self.part, kind="stable")
        ends = np.searchsorted(self.part[order], np.arange(self.num_graphs + 1))
        position = np.empty(self.num_nodes, np.int32)  # of a node within its own graph
        position[order] = np.arange(self.num_nodes) - ends[self.part[order]]
        edge_part = self.part[self.graph.source]
        edges = np.argsort(edge_part, kind="stable")
        edge_ends = np.searchsorted(edge_part[edges], np.arange(self.num_graphs + 1))
        return tuple(
            self._one_graph(
                order[ends[i] : ends[i + 1]], edges[edge_ends[i] : edge_ends[i + 1]], position
            )
            for i in range(self.num_graphs)
        )

    def _one_graph(
        self, nodes: NDArray[Any], edges: NDArray[Any], position: NDArray[np.int32]
    ) -> NodeTask:
        whole = self.graph
        weight = None if whole.stored_weight is None else whole.stored_weight[edges]
        source, target = position[whole.source[edges]], position[whole.target[edges]]
        graph = Graph.from_edges(source, target, weight, num_nodes=nodes.size)
        features: Any = self.features[nodes]
        split = None if self.split is None else self.split.take(nodes)
        return NodeTask(
            graph,
            features,
            self.labels[nodes],
            self.num_classes,
            split,
            self.name,
            self.class_names,
            feature_names=self.feature_names,
        )

    def __repr__(self) -> str:
        """Sizes, and the split."""
        sizes = {
            "num_nodes": self.num_nodes,
            "num_edges": self.graph.num_edges,
            "num_features": self.num_features,
            "num_classes": self.num_classes,
        }
        facts = [f"{key}={value}" for key, value in sizes.items()]
        facts = [repr(self.name)] * bool(self.name) + facts
        facts += [f"num_graphs={self.num_graphs}"] * (self.part is not None)
        facts += [repr(self.split)] * (self.split is not None)
        return f"NodeTask({', '.join(facts)})"


def _checked_features(features: Any, graph: Graph) -> Any:
    import scipy.sparse

    is_sparse: bool = scipy.sparse.issparse(features)
    if is_sparse:
        checked: Any = scipy.sparse.csr_array(features).astype(np.float32, copy=False)
        try:
            checked.check_format(full_check=True)  # kernels trust it
        except ValueError as error:
            raise InputError(f"features do not make a matrix: {error}") from None
        values = checked.data
    else:
        try:
            checked = values = np.ascontiguousarray(features, np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(f"features must be numbers: {error}") from None
    if checked.ndim != 2 or checked.shape[0] != graph.num_nodes:
        raise InputError(
            f"features has shape {checked.shape}, but needs one row for each of the "
            f"{graph.num_nodes} nodes"
        )
    if not np.isfinite(values).all():
        raise InputError("features has a value that is not finite; replace it before")
    return checked


def _checked_labels(labels: Any, task: NodeTask) -> NDArray[Any]:
    array, num_nodes = np.asarray(labels), task.num_nodes
    if array.shape[:1] != (num_nodes,) or array.ndim not in (1, 2):
        raise InputError(f"labels has shape {array.shape}, but the graph has {num_nodes} nodes")
    if array.ndim == 2:
        if array.shape[1] != task.num_classes:
            raise InputError(
                f"labels has {array.shape[1]} columns, but num_classes={task.num_classes}"
            )
        if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
            raise InputError("labels has several columns, so every value must be 0 or 1")
        return np.ascontiguousarray(array, np.uint8)
    if array.dtype.kind not in "iu":
        raise InputError(f"labels has dtype {array.dtype}, but classes are whole numbers")
    bad = (array < UNLABELLED) | (array >= task.num_classes)
    if bad.any():
        node = int(np.argmax(bad))
        raise InputError(
            f"labels[{node}]={int(array[node])} must lie in [0, {task.num_classes - 1}], "
            "or be -1 where unknown"
        )
    return np.ascontiguousarray(array, np.int64)


def _checked_part(part: Any, graph: Graph) -> NDArray[np.int32]:
    array = np.asarray(part)
    if array.shape != (graph.num_nodes,) or array.dtype.kind not in "iu":
        raise InputError(f"part must be one graph number for each of the {graph.num_nodes} nodes")
    if array.size and array.min() < 0:
        raise InputError(f"part names graph {int(array.min())}, but graphs are numbered from 0")
    across = array[graph.source] != array[graph.target]
    if across.any():
        edge = int(np.argmax(across))
        ends = int(graph.source[edge]), int(graph.target[edge])
        raise InputError(f"edge {ends} joins two graphs; give its ends the same part")
    return np.ascontiguousarray(array, np.int32)


def _check_split(split: Split, task: NodeTask) -> None:
    if split.num_nodes != task.num_nodes:
        raise InputError(f"split is of {split.num_nodes} nodes, but the graph has {task.num_nodes}")
    for name, mask in split.masks().items():
        unknown = mask & ~task.labelled
        if unknown.any():
            raise InputError(
                f"split has node {int(np.argmax(unknown))} for {name}, but it has no label"
            )
