"""Batches of graphs: those for training joined and sparsified, the others whole and apart."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse
import torch

import fastgat as fg
from fastgat import (
    EffectiveResistanceSparsifier,
    Graph,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
    fit,
)
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star
from fastgat.graph.generators import block_model
from fastgat.nn import SortedArcs
from fastgat.train import TrainConfig
from fastgat.train.graph_batches import JoinedDraws, ManyGraphsLoader, join_graphs, join_tasks
from fastgat.train.loader import InputFormat, feature_tensor
from fastgat.train.stopwatch import Stopwatch
from fastgat.train.trainer import Trainer

PLAIN = InputFormat(
    sorted_arcs=False, sparse_features=False, draws=False, device=torch.device("cpu")
)
GRAPHS = [complete(12), block_model(60, 400, 3, seed=3)[0], star(9)]
SPARSIFIERS = [
    EffectiveResistanceSparsifier(keep=0.5),
    UniformSparsifier(keep=0.5, sampling="independent"),
    KNeighborSparsifier(2),
]
EACH = pytest.mark.parametrize("sparsifier", SPARSIFIERS, ids=lambda kind: type(kind).__name__)


def load(task: NodeTask, **options) -> ManyGraphsLoader:
    return ManyGraphsLoader(task, TrainConfig(seed=7, **options), PLAIN, Stopwatch())


@pytest.mark.parametrize(("size", "steps"), [(1, 20), (2, 10), (3, 7), (20, 1), (99, 1)])
def test_every_training_node_once_per_epoch(ppi: NodeTask, size: int, steps: int) -> None:
    torch.manual_seed(3)
    given = list(load(ppi, batch_size=size).training())
    assert len(given) == steps
    rows = torch.cat([step.x[step.sets["train"]] for step in given])
    assert ppi.split is not None
    expected = torch.from_numpy(ppi.features[ppi.split.train])
    order = lambda x: x[np.lexsort(x.numpy().T)]  # noqa: E731
    assert torch.equal(order(rows), order(expected))
    assert sum(step.arcs.num_edges for step in given) == load(ppi).num_edges


def test_the_order_is_torchs(ppi: NodeTask) -> None:
    given = load(ppi)
    torch.manual_seed(3)
    first, second = [[step.x.sum() for step in given.training()] for _ in range(2)]
    assert first != second
    torch.manual_seed(3)
    assert [step.x.sum() for step in given.training()] == first


def test_validation_and_test_graphs_are_never_sparsified(ppi: NodeTask) -> None:
    given = load(ppi, sparsifier=UniformSparsifier(keep=0.3))
    assert ppi.part is not None
    part = ppi.part[ppi.graph.source]
    of_graph = np.bincount(part, minlength=24)
    assert [step.arcs.num_edges for step in given.evaluation()] == of_graph[20:].tolist()
    assert given.num_edges_before == of_graph[:20].sum()
    assert given.num_edges < 0.4 * given.num_edges_before
    for step in given.training():
        assert set(step.sets) == {"train"}
    for step in given.evaluation():
        assert set(step.sets) == {"validation", "test"}
    assert given.sparse_graph() is None


def test_training_graphs_are_drawn_from_one_by_one(ppi: NodeTask) -> None:
    """Each has its own density and its own draw: equal graphs do not lose the same edges."""
    graph = Graph.from_edges(*np.triu_indices(12, 1))
    twice = Graph.from_edges(
        np.concatenate([graph.source, graph.source + 12]),
        np.concatenate([graph.target, graph.target + 12]),
    )
    split = Split.from_indices(24, list(range(22)), [22], [23])
    task = NodeTask(
        twice, np.eye(24, dtype=np.float32), np.zeros(24, int), 2, split,
        part=np.repeat([0, 1], 12),
    )  # fmt: skip
    given = load(task, sparsifier=UniformSparsifier(keep=0.5), batch_size=2)
    (step,) = given.training()
    source, target = step.arcs.edges
    first = {(int(i), int(j)) for i, j in zip(source, target, strict=True) if i < 12}
    second = {(int(i) - 12, int(j) - 12) for i, j in zip(source, target, strict=True) if i >= 12}
    assert len(first) > 0 and len(second) > 0
    assert first != second


def test_a_training_graph_without_edges_is_named(ppi: NodeTask) -> None:
    """By its number in the task, whichever graphs are for training."""
    graph = Graph.from_edges([0], [1], num_nodes=6)
    split = Split.from_indices(6, [2, 3, 4, 5], [0], [1])
    task = NodeTask(
        graph, np.eye(6, dtype=np.float32), np.zeros(6, int), 2, split,
        part=np.array([0, 0, 1, 1, 2, 2]),
    )  # fmt: skip
    sparsifier = EffectiveResistanceSparsifier()
    with pytest.raises(InputError) as caught:
        load(task, sparsifier=sparsifier)
    assert str(caught.value) == "graph 1 of the task has no edges: nothing to sparsify"
    assert len(list(load(task).training())) == 1


def test_numbers_without_a_graph_are_skipped() -> None:
    graph = Graph.from_edges([0, 2], [1, 3])
    split = Split.from_indices(4, [0, 1], [2], [3])
    task = NodeTask(
        graph, np.eye(4, dtype=np.float32), np.zeros(4, int), 2, split, part=np.array([1, 1, 5, 5])
    )
    given = load(task, batch_size=1)
    assert len(list(given.training())) == len(list(given.evaluation())) == 1


def test_a_graph_with_nodes_of_several_sets_is_evaluated_whole(ppi: NodeTask) -> None:
    assert ppi.split is not None
    moved = np.flatnonzero(ppi.split.train)[0]
    train, validation = ppi.split.train.copy(), ppi.split.validation.copy()
    train[moved], validation[moved] = False, True
    split = Split(train, validation, ppi.split.test)
    task = dataclasses.replace(ppi, split=split)
    sets = [step.sets["validation"].numel() for step in load(task).evaluation()]
    assert sum(sets) == np.count_nonzero(validation)
    assert sum(step.sets["train"].numel() for step in load(task).training()) == train.sum()


@EACH
def test_a_draw_is_a_subgraph_of_the_graphs_side_by_side(sparsifier) -> None:
    joined = JoinedDraws([sparsifier.prepare(graph) for graph in GRAPHS])
    whole, drawn = joined.graph, joined.draw(7)
    assert whole.num_nodes == drawn.num_nodes == sum(graph.num_nodes for graph in GRAPHS)
    np.testing.assert_array_equal(drawn.source, whole.source[drawn.edge_id])
    np.testing.assert_array_equal(drawn.target, whole.target[drawn.edge_id])
    assert drawn.num_lost == drawn.num_isolated >= 0
    np.testing.assert_array_equal(joined.draw(7).edge_id, drawn.edge_id)
    assert not np.array_equal(joined.draw(8).edge_id, drawn.edge_id)


@EACH
def test_arcs_are_those_of_the_draw(sparsifier) -> None:
    joined = JoinedDraws([sparsifier.prepare(graph) for graph in GRAPHS])
    expected = SortedArcs.from_graph(joined.draw(9)).edge_index()
    found = SortedArcs.from_draw(joined, 9).edge_index()
    assert set(map(tuple, found.t().tolist())) == set(map(tuple, expected.t().tolist()))


def test_equal_graphs_are_drawn_from_independently() -> None:
    """Else a batch of like graphs would lose the same edges in each."""
    twins = [block_model(60, 400, 3, seed=3)[0]] * 2
    joined = JoinedDraws([UniformSparsifier(keep=0.5).prepare(graph) for graph in twins])
    drawn = joined.draw(7)
    first = drawn.edge_id[drawn.edge_id < 400]
    second = drawn.edge_id[drawn.edge_id >= 400] - 400
    assert not np.array_equal(first, second)


def test_isolated_nodes_before_are_not_lost() -> None:
    alone = Graph.from_edges([0], [1], num_nodes=5)
    joined = JoinedDraws([UniformSparsifier(keep=1).prepare(graph) for graph in [alone, alone]])
    assert joined.draw(3).num_lost == 0


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


def test_inductive_tasks_are_learnt(model_for: Callable) -> None:
    task = fg.load_dataset("ppi-like", num_nodes=2400, num_edges=24_000, num_classes=12, seed=5)
    config = TrainConfig(
        epochs=25,
        sparsifier=UniformSparsifier(keep=0.6),
        learning_rate=0.02,
        weight_decay=0.0,
        batch_size=4,
    )
    record = fit(model_for(task, hidden_channels=8, dropout=0.0), task, config)
    assert record.history[-1].loss < 0.6 * record.history[0].loss
    share = task.labels.mean()
    assert record.scores["test"] > 0.6 > 2 * share / (1 + share)  # every label for every node
    assert record.edges["evaluated_on"] == "full"
    assert set(record.scores) == {"train", "validation", "test", "test_macro_f1"}
    best = record.history[record.best_epoch - 1]
    assert (record.scores["validation"], record.scores["train"]) == (
        best.validation_f1,
        best.train_f1,
    )


@pytest.mark.parametrize("resample", ["layer", "head"])
def test_inductive_draws(resample: str, ppi: NodeTask, model_for: Callable) -> None:
    sparsifier = UniformSparsifier(keep=0.6)
    sampler = sparsifier.prepare(ppi.graph)
    model = model_for(ppi, resample=resample, sampler=sampler)
    record = fit(model, ppi, TrainConfig(epochs=2, sparsifier=sparsifier, batch_size=99))
    assert len(record.history) == 2
    assert model.sampler is sampler


def test_validation_graphs_do_not_reach_the_weights(ppi: NodeTask, model_for: Callable) -> None:
    assert ppi.split is not None
    features = ppi.features.copy()
    features[~ppi.split.train] *= -3
    runs = []
    for given in (ppi.features, features):
        task = dataclasses.replace(ppi, features=given)
        trainer = Trainer(model_for(ppi), task, TrainConfig(epochs=3))
        with torch.random.fork_rng(devices=[]):
            trainer.prepare()
            trainer.train(None)
        runs.append((trainer.model.state_dict(), [e.loss for e in trainer.state.history]))
    one, other = runs[0][0], runs[1][0]
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    assert runs[0][1] == runs[1][1]
