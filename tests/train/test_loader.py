"""How a task reaches a model: tensors, and which edges of one graph are used."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse
import torch

from fastgat import EffectiveResistanceSparsifier, Graph, InputError, UniformSparsifier
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star
from fastgat.train import AdaptiveDensity, TrainConfig, node_order
from fastgat.train.loader import Arcs, InputFormat, OneGraphLoader, feature_tensor
from fastgat.train.stopwatch import Stopwatch

PLAIN = InputFormat(
    sorted_arcs=False, sparse_features=False, draws=False, device=torch.device("cpu")
)
SPARSIFIER = EffectiveResistanceSparsifier(epsilon=0.9)


def load(task: NodeTask, **options) -> OneGraphLoader:
    return OneGraphLoader(task, TrainConfig(seed=7, **options), PLAIN, Stopwatch())


def arcs(step) -> set[tuple[int, int]]:
    return set(map(tuple, step.arcs.edges.t().tolist()))


def all_arcs(graph) -> set[tuple[int, int]]:
    pairs = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    return {*pairs, *((j, i) for i, j in pairs)}


def test_every_edge_without_a_sparsifier(blocks: NodeTask) -> None:
    given = load(blocks)
    (trained,), (evaluated,) = given.training(), given.evaluation()
    assert arcs(trained) == arcs(evaluated) == all_arcs(blocks.graph)
    assert given.num_edges == given.num_edges_before == blocks.graph.num_edges
    assert set(trained.sets) == {"train"}
    assert set(evaluated.sets) == {"train", "validation", "test"}
    assert given.sparse_graph() is None


@pytest.mark.parametrize("evaluate_on", ["sparse", "full"])
def test_the_draw_of_the_seed(blocks: NodeTask, evaluate_on: str) -> None:
    given = load(blocks, sparsifier=SPARSIFIER, evaluate_on=evaluate_on)
    expected = SPARSIFIER.sparsify(blocks.graph, seed=7)
    (trained,), (evaluated,) = given.training(), given.evaluation()
    assert arcs(trained) == all_arcs(expected)
    full = evaluate_on == "full"
    assert arcs(evaluated) == all_arcs(blocks.graph if full else expected)
    assert given.num_edges == expected.num_edges < given.num_edges_before


@pytest.mark.parametrize("evaluate_on", ["sparse", "full"])
def test_a_schedule_takes_the_first_edges_of_one_order(blocks: NodeTask, evaluate_on: str) -> None:
    given = load(
        blocks,
        sparsifier=UniformSparsifier(),
        adaptive=AdaptiveDensity(),
        evaluate_on=evaluate_on,
    )
    schedule = given.schedule
    assert schedule is not None
    assert given.num_edges == schedule.fewest
    (few,) = given.training()
    schedule.num_edges = schedule.most
    given.follow_schedule()
    (many,), (evaluated,) = given.training(), given.evaluation()
    assert given.num_edges == schedule.most
    assert arcs(few) < arcs(many) <= all_arcs(blocks.graph)
    full = evaluate_on == "full"
    assert arcs(evaluated) == (all_arcs(blocks.graph) if full else arcs(many))
    schedule.num_edges = schedule.fewest
    given.follow_schedule()
    (again,) = given.training()
    assert arcs(again) == arcs(few)


def test_labels_and_sets_are_the_tasks(blocks: NodeTask) -> None:
    assert blocks.split is not None
    (step,) = load(blocks).evaluation()
    for name, mask in blocks.split.masks().items():
        np.testing.assert_array_equal(step.sets[name].numpy(), np.flatnonzero(mask))
    np.testing.assert_array_equal(step.labels.numpy(), blocks.labels)


def test_nodes_keep_their_numbers_if_asked(
    blocks: NodeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    native = dataclasses.replace(PLAIN, sorted_arcs=True)
    for order in ("close", "given"):
        config = TrainConfig(seed=7, sparsifier=SPARSIFIER, node_order=order)
        (step,) = OneGraphLoader(blocks, config, native, Stopwatch()).training()
        kept = np.array_equal(step.x.numpy(), blocks.features)
        assert kept == (order == "given")
    with pytest.raises(InputError, match="node_order='mine'"):
        TrainConfig(node_order="mine")


def task_on(graph: Graph, *, sparse: bool = False, columns: int = 3) -> NodeTask:
    features = np.random.default_rng(5).random((graph.num_nodes, columns), np.float32)
    features *= features < 0.5
    split = Split.from_indices(graph.num_nodes, [0], [1], [])
    labels = np.arange(graph.num_nodes) % 2
    return NodeTask(
        graph, scipy.sparse.csr_array(features) if sparse else features, labels, 2, split
    )


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("graph", [path(2), star(9), complete(12)], ids=["path", "star", "full"])
def test_sparse_features_are_the_dense_ones(graph: Graph, columns: int) -> None:
    dense = feature_tensor(task_on(graph, columns=columns))
    task = task_on(graph, sparse=True, columns=columns)
    assert feature_tensor(task).layout == torch.sparse_csr
    assert torch.equal(feature_tensor(task).to_dense(), dense)
    assert torch.equal(feature_tensor(task, dense=True), dense)


def test_sets_are_node_numbers() -> None:
    nodes = PLAIN.nodes(task_on(star(9)))
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
    assert set(map(tuple, index.t().tolist())) == all_arcs(graph)
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
