"""Reddit: posts joined where one user commented on both, in two `.npz` files."""

from __future__ import annotations

from pathlib import Path

from fastgat.data.archive import read_arrays
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import REDDIT_SHARES, Split
from fastgat.graph import Graph

# Unpacked, the features have 1.1 GB and the arcs 1.8 GB.
_MAX_BYTES = 2**32


def read_graph(path: Path) -> Graph:
    """The graph of `reddit_graph.npz`, a SciPy matrix of coordinates."""
    row, column, shape = read_arrays(path, "row", "col", "shape", max_bytes=_MAX_BYTES)
    return Graph.from_edges(row, column, num_nodes=int(shape[0]))


def read_task(path: Path) -> NodeTask:
    """Features and communities from `reddit_data.npz`; the public split is by date."""
    data = path.with_name("reddit_data.npz")
    features, labels, role = read_arrays(
        data, "feature", "label", "node_types", max_bytes=_MAX_BYTES
    )
    split = Split(role == 1, role == 2, role == 3)
    return NodeTask(read_graph(path), features, labels, int(labels.max(initial=0)) + 1, split)


REDDIT = StoredDataset(
    title="Reddit",
    sizes=Sizes(232965, 57307946, 602, 41),
    graph_file="Reddit/raw/reddit_graph.npz",
    read_graph=read_graph,
    read_task=read_task,
    other_files=("reddit_data.npz",),
    url="https://data.dgl.ai/dataset/reddit.zip",
    shares=REDDIT_SHARES,
)
