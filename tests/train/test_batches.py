"""Tasks as tensors, and several of them side by side."""

import numpy as np
import pytest
import scipy.sparse
import torch

from fastgat import Graph
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star
from fastgat.train.batches import Arcs, Nodes, feature_tensor, join_graphs, join_tasks


def task_on(graph: Graph, *, sparse: bool = False, columns: int = 3) -> NodeTask:
    features = np.random.default_rng(5).random((graph.num_nodes, columns), np.float32)
    features *= features < 0.5
    split = Split.from_indices(graph.num_nodes, [0], [1], [])
    labels = np.arange(graph.num_nodes) % 2
    return NodeTask(
        graph, scipy.sparse.csr_array(features) if sparse else features, labels, 2, split
    )


def arcs_of(graph: Graph) -> set[tuple[int, int]]:
    pairs = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    return {*pairs, *((j, i) for i, j in pairs)}


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("graph", [path(2), star(9), complete(12)], ids=["path", "star", "full"])
def test_sparse_features_are_the_dense_ones(graph: Graph, columns: int) -> None:
    dense = feature_tensor(task_on(graph, columns=columns))
    task = task_on(graph, sparse=True, columns=columns)
    assert feature_tensor(task).layout == torch.sparse_csr
    assert torch.equal(feature_tensor(task).to_dense(), dense)
    assert torch.equal(feature_tensor(task, dense=True), dense)


def test_sets_are_node_numbers() -> None:
    nodes = Nodes.of(task_on(star(9)), dense=True)
    assert {name: chosen.tolist() for name, chosen in nodes.sets.items()} == {
        "train": [0],
        "validation": [1],
        "test": [],
    }
    assert nodes.labels.tolist() == [i % 2 for i in range(nodes.labels.numel())]
    assert nodes.to(torch.device("cpu")) is nodes


@pytest.mark.parametrize("plain", [True, False])
def test_both_directions_of_every_edge(plain: bool) -> None:
    graph = star(9)
    arcs = Arcs.of(graph, plain=plain)
    index = arcs.edges if plain else arcs.edges.edge_index()
    assert set(map(tuple, index.t().tolist())) == arcs_of(graph)
    assert index.shape == (2, 2 * graph.num_edges)
    assert arcs.num_edges == graph.num_edges
    assert arcs.weight is None


def test_a_prior_has_the_weight_of_each_arc() -> None:
    plain = complete(5)
    weight = np.linspace(0.5, 3.0, plain.num_edges)
    graph = Graph.from_edges(plain.source, plain.target, weight)
    of_edge = {
        frozenset((int(i), int(j))): float(w)
        for i, j, w in zip(graph.source, graph.target, graph.weight, strict=True)
    }
    assert Arcs.of(graph, plain=True).weight is None
    assert Arcs.of(plain, plain=True, prior=True).weight is None
    arcs = Arcs.of(graph, plain=True, prior=True)
    assert arcs.weight is not None
    expected = [of_edge[frozenset(pair)] for pair in arcs.edges.t().tolist()]
    np.testing.assert_allclose(arcs.weight.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_joined_tasks_keep_rows_labels_and_edges(sparse: bool) -> None:
    graphs = [path(3), Graph.from_edges([], [], num_nodes=2), star(5)]
    tasks = [task_on(graph, sparse=sparse) for graph in graphs]
    joined = join_tasks(tasks)
    rows = [feature_tensor(task, dense=True) for task in tasks]
    assert torch.equal(feature_tensor(joined, dense=True), torch.cat(rows))
    np.testing.assert_array_equal(joined.labels, np.concatenate([t.labels for t in tasks]))
    shifted, first = set(), 0
    for graph in graphs:
        shifted |= {(i + first, j + first) for i, j in arcs_of(graph)}
        first += graph.num_nodes
    assert arcs_of(joined.graph) == shifted
    assert join_tasks(tasks[:1]) is tasks[0]


def test_weights_of_joined_graphs() -> None:
    weighted = Graph.from_edges([0, 0], [1, 2], [2.0, 3.0])
    assert not join_graphs([path(3), path(2)]).is_weighted
    joined = join_graphs([path(3), weighted])
    np.testing.assert_array_equal(joined.weight, [1.0, 1.0, 2.0, 3.0])
