"""PPI as GraphSAGE published it: 24 graphs, in three groups of files each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.archive import read_array
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import Split
from fastgat.graph import Graph

GROUPS = ("train", "valid", "test")
KINDS = ("graph.json", "feats.npy", "labels.npy", "graph_id.npy")


def read_graph(path: Path) -> Graph:
    """All graphs as one, from the files beside `train_graph.json`; no edge joins two graphs."""
    sizes = [read_array(path.with_name(f"{group}_graph_id.npy")).size for group in GROUPS]
    start = np.concatenate([[0], np.cumsum(sizes)])
    links = [
        _read_links(path.with_name(f"{group}_graph.json"), size) + begin
        for group, size, begin in zip(GROUPS, sizes, start[:-1].tolist(), strict=True)
    ]
    source, target = np.concatenate(links, axis=1)
    return Graph.from_edges(source, target, num_nodes=int(start[-1]))


def read_task(path: Path) -> NodeTask:
    """50 features and 121 labels per protein; the three groups of files are the split."""
    feats, labels, number = (
        [read_array(path.with_name(f"{group}_{kind}")) for group in GROUPS] for kind in KINDS[1:]
    )
    part, next_graph = [], 0
    for graph_id in number:
        first = int(graph_id.min()) if graph_id.size else 0
        part.append(graph_id.astype(np.int32) - first + next_graph)
        next_graph = int(part[-1].max(initial=next_graph - 1)) + 1
    role = np.repeat(np.arange(3), [graph_id.size for graph_id in number])
    label = np.concatenate(labels)
    return NodeTask(
        read_graph(path),
        np.concatenate(feats).astype(np.float32),
        label,
        label.shape[1],
        Split(role == 0, role == 1, role == 2),
        part=np.concatenate(part),
    )


def _read_links(path: Path, num_nodes: int) -> NDArray[np.int64]:
    """The (2, links) array of a node-link graph; a node's number is its row in the other files."""
    try:
        with path.open(encoding="utf-8") as file:
            content: Any = json.load(file)
        links = [(link["source"], link["target"]) for link in content["links"]]
        ends = np.array(links, np.int64).reshape(-1, 2).T
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if ends.size and (ends.min() < 0 or ends.max() >= num_nodes):
        raise InputError(f"{path} names node {ends.max()}, but there are {num_nodes} rows")
    return ends


_FILES = tuple(f"{group}_{kind}" for group in GROUPS for kind in KINDS)

PPI = StoredDataset(
    title="PPI",
    sizes=Sizes(56944, 793632, 50, 121),
    graph_file=f"PPI/raw/{_FILES[0]}",
    read_graph=read_graph,
    read_task=read_task,
    other_files=_FILES[1:],
    graph_needs=tuple(name for name in _FILES[1:] if "graph" in name),
    url="https://data.dgl.ai/dataset/ppi.zip",
    shares=None,
)
