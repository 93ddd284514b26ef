"""Graphs without features: web-Google and the world's highways, for resistances at scale."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat.check import edge_ends
from fastgat.data.archive import read_arrays
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.graph import Graph


def read_graph(path: Path) -> Graph:
    """The graph of `edge_index`, every weight 1."""
    edge_index, num_nodes = read_arrays(path, "edge_index", "num_nodes")
    return from_edge_index(edge_index, int(num_nodes.item()))


def read_roads_by_length(path: Path) -> Graph:
    """The graph of `edge_index`; a road twice as long conducts half as well: 1 / `length_km`."""
    edge_index, num_nodes, length = read_arrays(path, "edge_index", "num_nodes", "length_km")
    with np.errstate(divide="ignore"):  # a length of 0 is refused as an infinite weight
        return from_edge_index(edge_index, int(num_nodes.item()), 1.0 / length.astype(np.float64))


def from_edge_index(
    edge_index: NDArray[Any], num_nodes: int, weight: ArrayLike | None = None
) -> Graph:
    """The graph of a (2, edges) array."""
    return Graph.from_edges(*edge_ends(edge_index), weight, num_nodes=num_nodes)


WEB_GOOGLE = StoredDataset(
    title="web-Google",
    sizes=Sizes(875713, 4322051),
    graph_file="graphs/web_google.npz",
    read_graph=read_graph,
)
WORLD_HIGHWAYS = StoredDataset(
    title="World highways",
    sizes=Sizes(560282, 822234),
    graph_file="graphs/road_world_highways.npz",
    read_graph=read_graph,
)
WORLD_HIGHWAYS_WEIGHTED = dataclasses.replace(WORLD_HIGHWAYS, read_graph=read_roads_by_length)
