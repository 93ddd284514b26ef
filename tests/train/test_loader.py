"""How a task reaches a model: tensors, which edges of one graph are used, and the nodes' order.

Nodes may be numbered as training likes: what comes out is of the user's own numbers.
"""

import dataclasses

import numpy as np
import pytest
import scipy.sparse
import torch

import fastgat as fg
from fastgat import EffectiveResistanceSparsifier, Graph, InputError, UniformSparsifier
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star
from fastgat.graph.generators import block_model
from fastgat.train import AdaptiveDensity, Plan, TrainConfig, loader
from fastgat.train.loader import Arcs, InputFormat, OneGraphLoader, feature_tensor
from fastgat.train.schedule import AdaptiveSchedule
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
    assert isinstance(schedule, AdaptiveSchedule)
    count = schedule.count
    assert given.num_edges == count.fewest
    (few,) = given.training()
    given.use_edges(schedule.order[: count.most])
    (many,), (evaluated,) = given.training(), given.evaluation()
    assert given.num_edges == count.most
    assert arcs(few) < arcs(many) <= all_arcs(blocks.graph)
    full = evaluate_on == "full"
    assert given.judges_whole == full
    assert arcs(evaluated) == (all_arcs(blocks.graph) if full else arcs(many))
    given.use_edges(schedule.order[: count.fewest])
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
    monkeypatch.setattr(loader, "FEWEST_ORDERED", 1)
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


def test_renumbered_graph_has_the_same_edges() -> None:
    graph = block_model(300, 2000, 4, seed=5)[0]
    order = np.random.default_rng(7).permutation(300)
    again = loader.renumber(graph, order)
    assert (again.to_scipy() != graph.to_scipy()[order][:, order]).nnz == 0
    assert loader.renumber(graph, None) is graph


def test_weights_follow() -> None:
    graph = fg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 5.0])
    again = loader.renumber(graph, np.array([3, 1, 0, 2]))
    assert again.to_scipy()[0, 3] == 5.0  # 2 and 3, which are 3 and 0 now


def test_neighbours_come_close(monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled = np.random.default_rng(3).permutation(400)
    ring = fg.Graph.from_edges(shuffled, np.roll(shuffled, 1))
    assert loader.close_order(ring) is None  # small
    monkeypatch.setattr(loader, "FEWEST_ORDERED", 1)
    order = loader.close_order(ring)
    assert order is not None and sorted(order) == list(range(400))
    again = loader.renumber(ring, order)
    assert np.abs(again.source - again.target).max() <= 2


@pytest.mark.parametrize("sparsifier", [None, fg.EffectiveResistanceSparsifier(epsilon=0.5)])
def test_training_is_the_same(
    sparsifier: fg.EffectiveResistanceSparsifier | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without dropout the order changes nothing but rounding."""
    task = fg.load_dataset("digits")
    config = TrainConfig(epochs=6, sparsifier=sparsifier, seed=5)
    plan = Plan(None, config, {"dropout": 0.0})
    plain = plan.run(task)
    monkeypatch.setattr(loader, "FEWEST_ORDERED", 1)
    ordered = plan.run(task)
    for one, other in zip(plain.history, ordered.history, strict=True):
        assert one.loss == pytest.approx(other.loss, rel=1e-4)
        assert one.validation_loss == pytest.approx(other.validation_loss, rel=1e-4)
    assert plain.scores["test"] == pytest.approx(ordered.scores["test"], abs=2e-3)


def test_the_model_is_of_the_user_s_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "FEWEST_ORDERED", 1)
    task = fg.load_dataset("digits")
    assert task.split is not None
    plan = Plan(None, TrainConfig(epochs=30, seed=5))
    model = plan.make_model(task)
    record = fg.fit(model, task, plan.config)
    x = torch.from_numpy(np.asarray(task.features))
    logits = model.eval()(x, fg.nn.SortedArcs.from_graph(task.graph))
    right = logits.argmax(dim=1).numpy() == task.labels
    assert right[task.split.test].mean() == pytest.approx(record.scores["test"], abs=2e-3)
