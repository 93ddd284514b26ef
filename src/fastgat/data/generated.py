"""Datasets that need no file: digits, and block models of any size whose communities show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_count, check_memory, check_seed
from fastgat.data.dataset import GeneratedDataset, Sizes
from fastgat.data.node_task import NodeTask
from fastgat.data.ppi import PPI
from fastgat.data.reddit import REDDIT
from fastgat.data.splits import REDDIT_SHARES
from fastgat.graph import Graph
from fastgat.graph.block_model import block_model

DIGIT_NEIGHBORS = 10
# Features are a class's mean plus noise. With means of this length a node alone tells its class
# badly, the mean over its neighbours well: what a graph is for.
_MEAN_LENGTH = 1.5
_TAIL_MIXING = 0.2  # with which probability such an edge goes to any class
_TAIL_EDGES = 3  # of every node outside of the core
PPI_LIKE_GRAPHS = 24
_COMMUNITIES = 8  # of every graph in `ppi_like`


def digits_task(sizes: Sizes, seed: int = 0) -> NodeTask:
    """scikit-learn's 1797 digits, 64 grey values each, joined to those that look most like them."""
    from sklearn.datasets import load_digits
    from sklearn.neighbors import kneighbors_graph

    digits = load_digits()
    graph = Graph.from_scipy(kneighbors_graph(digits.data, DIGIT_NEIGHBORS))
    features = (digits.data / 16).astype(np.float32)  # grey values go to 16
    return NodeTask(graph, features, digits.target, 10, class_names=tuple("0123456789"))


def block_task(sizes: Sizes, seed: int = 0) -> NodeTask:
    """The class of a node is its community.

    >>> block_task(Sizes(1000, 5000, 32, 4), seed=3)
    NodeTask(num_nodes=1000, num_edges=5000, num_features=32, num_classes=4)
    """
    _check(sizes)
    graph, community = block_model(
        sizes.num_nodes, sizes.num_edges, sizes.num_classes, seed=check_seed(seed)
    )
    return NodeTask(graph, _noisy_means(community, sizes, seed), community, sizes.num_classes)


def long_tail_task(sizes: Sizes, seed: int = 0) -> NodeTask:
    """A third of the nodes are joined to hundreds each, the others hang on them by a few edges.

    So are goods bought together, and accounts that follow each other: nearly all edges lie where
    they say the same again, and most nodes have all that is known of them in three edges.

    >>> long_tail_task(Sizes(1000, 12_400, 32, 4), seed=3)
    NodeTask(num_nodes=1000, num_edges=12400, num_features=32, num_classes=4)
    """
    _check(sizes)
    core = max(sizes.num_nodes // 3, 1)
    tail = np.arange(core, sizes.num_nodes)
    inside = sizes.num_edges - _TAIL_EDGES * tail.size
    if inside < 0 or core < _TAIL_EDGES * sizes.num_classes:
        raise InputError(
            f"num_nodes={sizes.num_nodes} and num_edges={sizes.num_edges} are too few for a long "
            f"tail: it needs {3 * _TAIL_EDGES} nodes per class and {_TAIL_EDGES} edges per node"
        )
    graph, community = block_model(
        core, inside, sizes.num_classes, seed=check_seed(seed), mixing=0.2
    )
    rng = np.random.default_rng([seed, 3])
    of_tail = rng.integers(sizes.num_classes, size=tail.size, dtype=community.dtype)
    stray = rng.random((_TAIL_EDGES, tail.size)) < _TAIL_MIXING
    aimed = np.where(stray, rng.integers(sizes.num_classes, size=stray.shape), of_tail)
    # Three different nodes of the core: one of each third of a class.
    by_class = np.argsort(community, kind="stable")
    first = np.searchsorted(community[by_class], np.arange(sizes.num_classes + 1))
    third = (np.diff(first) // _TAIL_EDGES)[aimed]
    place = (rng.random(stray.shape) + np.arange(_TAIL_EDGES)[:, None]) * third
    held_by = by_class[first[aimed] + place.astype(np.int64)]
    community = np.concatenate([community, of_tail])
    return NodeTask(
        Graph.from_edges(
            np.concatenate([graph.source, np.tile(tail, _TAIL_EDGES)]),
            np.concatenate([graph.target, held_by.ravel()]),
            num_nodes=sizes.num_nodes,
        ),
        _noisy_means(community, sizes, seed),
        community,
        sizes.num_classes,
    )


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
    parts = [
        block_model(n, m, _COMMUNITIES, seed=s) for n, m, s in zip(nodes, edges, seeds, strict=True)
    ]
    source = np.concatenate([g.source + start[i] for i, (g, _) in enumerate(parts)])
    target = np.concatenate([g.target + start[i] for i, (g, _) in enumerate(parts)])
    community = np.concatenate([member for _, member in parts])
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


def _noisy_means(community: NDArray[np.int32], sizes: Sizes, seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng([seed, 1])  # apart from the graph's numbers
    mean = _class_means(sizes.num_classes, sizes.num_features, rng)
    features: NDArray[np.float32] = rng.standard_normal(
        (sizes.num_nodes, sizes.num_features), np.float32
    )
    features += mean[community]
    return features


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


DIGITS = GeneratedDataset(
    title="Digits", sizes=Sizes(1797, 12340, 64, 10), make=digits_task, is_sizable=False
)
SYNTHETIC = GeneratedDataset(title="Block model", sizes=Sizes(1000, 5000, 32, 4), make=block_task)
LONG_TAIL = GeneratedDataset(
    title="Long tail", sizes=Sizes(9000, 900_000, 64, 4), make=long_tail_task
)
REDDIT_LIKE = GeneratedDataset(
    title="Like Reddit",
    sizes=REDDIT.sizes,  # the graph takes about 35 seconds and 1.5 GB
    make=block_task,
    shares=REDDIT_SHARES,
)
PPI_LIKE = GeneratedDataset(
    title="Like PPI",
    sizes=PPI.sizes,
    make=ppi_like_task,
    num_graphs=PPI_LIKE_GRAPHS,
    shares=None,
)
