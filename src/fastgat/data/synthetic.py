"""Tasks of any size: a block model whose communities show in the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_count, check_memory, check_seed
from fastgat.data.node_task import NodeTask
from fastgat.graph import Graph
from fastgat.graph.block_model import block_model

# Features are a class's mean plus noise. With means of this length a node alone tells its class
# badly, the mean over its neighbours well: what a graph is for.
_MEAN_LENGTH = 1.5


@dataclass(frozen=True)
class Sizes:
    """How large a made task is."""

    num_nodes: int
    num_edges: int
    num_features: int
    num_classes: int

    def with_nodes(self, num_nodes: int, num_graphs: int = 1) -> Sizes:
        """The same mean degree on another number of nodes, as far as there are pairs."""
        edges = round(self.num_edges * num_nodes / self.num_nodes)
        in_each = num_nodes // num_graphs
        most = num_graphs * (in_each * (in_each - 1) // 4)
        return Sizes(num_nodes, min(edges, most), self.num_features, self.num_classes)


SYNTHETIC = Sizes(1000, 5000, 32, 4)
REDDIT_LIKE = Sizes(232_965, 57_307_946, 602, 41)
PPI_LIKE = Sizes(56_944, 793_632, 50, 121)
PPI_LIKE_GRAPHS = 24
_COMMUNITIES = 8  # of every graph in `ppi_like`


def block_task(sizes: Sizes, seed: int = 0) -> NodeTask:
    """The class of a node is its community.

    >>> block_task(SYNTHETIC, seed=3)
    NodeTask(num_nodes=1000, num_edges=5000, num_features=32, num_classes=4)
    """
    _check(sizes)
    graph, community = block_model(
        sizes.num_nodes, sizes.num_edges, sizes.num_classes, seed=check_seed(seed)
    )
    rng = np.random.default_rng([seed, 1])  # apart from the graph's numbers
    mean = _class_means(sizes.num_classes, sizes.num_features, rng)
    features = rng.standard_normal((sizes.num_nodes, sizes.num_features), np.float32)
    features += mean[community]
    return NodeTask(graph, features, community, sizes.num_classes)


def ppi_like_task(sizes: Sizes, seed: int = 0) -> NodeTask:
    """24 block models side by side; every community has labels of its own, the same in each."""
    _check(sizes)
    if sizes.num_nodes < PPI_LIKE_GRAPHS * _COMMUNITIES:
        raise InputError(
            f"num_nodes={sizes.num_nodes} must be at least {PPI_LIKE_GRAPHS * _COMMUNITIES}, "
            f"for {PPI_LIKE_GRAPHS} graphs of {_COMMUNITIES} communities"
        )
    check_seed(seed)
    count = PPI_LIKE_GRAPHS
    nodes = [(sizes.num_nodes + i) // count for i in range(count)]
    edges = [(sizes.num_edges + i) // count for i in range(count)]
    start = np.concatenate([[0], np.cumsum(nodes)])
    seeds = np.random.default_rng([seed, 2]).integers(2**63, size=count).tolist()
    made = [
        block_model(n, m, _COMMUNITIES, seed=s) for n, m, s in zip(nodes, edges, seeds, strict=True)
    ]
    source = np.concatenate([g.source + start[i] for i, (g, _) in enumerate(made)])
    target = np.concatenate([g.target + start[i] for i, (g, _) in enumerate(made)])
    community = np.concatenate([member for _, member in made])
    rng = np.random.default_rng([seed, 1])
    mean = _class_means(_COMMUNITIES, sizes.num_features, rng)
    features = rng.standard_normal((sizes.num_nodes, sizes.num_features), np.float32)
    features += mean[community]
    likely = rng.random((_COMMUNITIES, sizes.num_classes)) < 0.3  # PPI: 37 of 121 labels per node
    flipped = rng.random((sizes.num_nodes, sizes.num_classes)) < 0.05
    return NodeTask(
        Graph.from_edges(source, target, num_nodes=sizes.num_nodes),
        features,
        (likely[community] ^ flipped).astype(np.uint8),
        sizes.num_classes,
        part=np.repeat(np.arange(count), nodes),
    )


def _class_means(
    num_classes: int, num_features: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = rng.standard_normal((num_classes, num_features), np.float32)
    mean *= _MEAN_LENGTH / np.linalg.norm(mean, axis=1, keepdims=True)
    return mean


def _check(sizes: Sizes) -> None:
    for name, value in vars(sizes).items():
        check_count(name, value, 0 if name == "num_edges" else 1)
    values = sizes.num_nodes * (sizes.num_features + sizes.num_classes)
    check_memory(
        f"a task of num_nodes={sizes.num_nodes}",
        8 * values + 24 * sizes.num_edges,
        hint="ask for fewer nodes, edges or features",
    )
