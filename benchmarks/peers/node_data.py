"""Graph, features, labels and training nodes of a dataset, for every peer the same."""

from __future__ import annotations

import csv
import io
import json
import warnings
import zipfile
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

import fastgat as fg
from fastgat.data import load_graph
from fastgat.data.catalogue import find_entry
from fastgat.data.locate import find_file
from fastgat.nn import SparseFeatures
from fastgat.train.node_order import close_order, renumber

TRAINING_SHARE = 0.1


@dataclass(frozen=True)
class NodeData:
    name: str
    graph: fg.Graph
    features: sp.csr_array  # 0/1, as PyG has them
    label: Tensor
    train: Tensor  # numbers of the training nodes

    @property
    def num_classes(self) -> int:
        return int(self.label.max()) + 1

    def on(self, graph: fg.Graph) -> NodeData:
        return replace(self, graph=graph)

    def ordered(self) -> NodeData:
        """The same with nodes numbered so that neighbours lie close."""
        order = close_order(self.graph)
        assert order is not None
        place = torch.from_numpy(np.argsort(order))
        return NodeData(
            self.name,
            renumber(self.graph, order),
            self.features[order],
            self.label[torch.from_numpy(order)],
            place[self.train],
        )

    def sparse(self) -> SparseFeatures:
        parts = (self.features.indptr, self.features.indices, self.features.data)
        row, column, value = (torch.from_numpy(part) for part in parts)
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # "in beta state"
            return SparseFeatures(
                torch.sparse_csr_tensor(
                    row, column, value, self.features.shape, check_invariants=True
                )
            )

    def dense(self) -> Tensor:
        return torch.from_numpy(self.features.toarray())


def edge_index(graph: fg.Graph) -> Tensor:
    """Both directions, ordered by the first row: what PyG's datasets hold."""
    rows = graph.adjacency
    first = np.repeat(np.arange(graph.num_nodes), np.diff(rows.offset))
    return torch.from_numpy(np.stack([first, rows.neighbor.astype(np.int64)]))


def load(name: str) -> NodeData:
    graph = load_graph(name)
    path = find_file(find_entry(name).graph_file)
    features, label = (_read_zip if path.suffix == ".zip" else _read_npz)(path)
    features.data = (features.data > 0).astype(np.float32)
    features.sort_indices()
    label = torch.from_numpy(label.astype(np.int64))
    order = torch.randperm(label.numel(), generator=torch.Generator().manual_seed(11))
    train = order[: round(TRAINING_SHARE * label.numel())].sort().values
    return NodeData(name, graph, features, label, train)


def _read_npz(path: Any) -> tuple[sp.csr_array, Any]:
    with np.load(path) as file:
        parts = file["attr_data"], file["attr_indices"], file["attr_indptr"]
        return sp.csr_array(parts, shape=tuple(file["attr_shape"])), file["labels"]


def _read_zip(path: Any) -> tuple[sp.csr_array, Any]:
    with zipfile.ZipFile(path) as archive:
        words = json.loads(archive.read("git_web_ml/musae_git_features.json"))
        text = archive.read("git_web_ml/musae_git_target.csv").decode()
    table = list(csv.DictReader(io.StringIO(text)))
    label = np.empty(len(table), np.int64)
    label[[int(row["id"]) for row in table]] = [int(row["ml_target"]) for row in table]
    rows = [np.unique(words[str(node)]).astype(np.int32) for node in range(label.size)]
    offset = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(np.int32)
    columns = np.concatenate(rows)
    shape = (label.size, int(columns.max()) + 1)
    return sp.csr_array((np.ones(columns.size, np.float32), columns, offset), shape=shape), label
