"""Feeding many graphs: batches of training graphs, the others whole and apart."""

import dataclasses

import numpy as np
import pytest
import torch

from fastgat import EffectiveResistanceSparsifier, Graph, InputError, UniformSparsifier
from fastgat.data import NodeTask, Split
from fastgat.train import TrainConfig
from fastgat.train.feed import Form
from fastgat.train.many_graphs import ManyGraphs
from fastgat.train.stopwatch import Stopwatch

PLAIN = Form(native=False, sparse=False, draws=False, device=torch.device("cpu"))


def feed(task: NodeTask, **options) -> ManyGraphs:
    return ManyGraphs(task, TrainConfig(seed=7, **options), PLAIN, Stopwatch())


@pytest.mark.parametrize(("size", "steps"), [(1, 20), (2, 10), (3, 7), (20, 1), (99, 1)])
def test_every_training_node_once_per_epoch(ppi: NodeTask, size: int, steps: int) -> None:
    torch.manual_seed(3)
    given = list(feed(ppi, batch_size=size).training())
    assert len(given) == steps
    rows = torch.cat([step.x[step.sets["train"]] for step in given])
    assert ppi.split is not None
    expected = torch.from_numpy(ppi.features[ppi.split.train])
    order = lambda x: x[np.lexsort(x.numpy().T)]  # noqa: E731
    assert torch.equal(order(rows), order(expected))
    assert sum(step.arcs.num_edges for step in given) == feed(ppi).num_edges


def test_the_order_is_torchs(ppi: NodeTask) -> None:
    given = feed(ppi)
    torch.manual_seed(3)
    first, second = [[step.x.sum() for step in given.training()] for _ in range(2)]
    assert first != second
    torch.manual_seed(3)
    assert [step.x.sum() for step in given.training()] == first


def test_validation_and_test_graphs_are_never_sparsified(ppi: NodeTask) -> None:
    given = feed(ppi, sparsifier=UniformSparsifier(keep=0.3))
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
    given = feed(task, sparsifier=UniformSparsifier(keep=0.5), batch_size=2)
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
        feed(task, sparsifier=sparsifier)
    assert str(caught.value) == "graph 1 of the task has no edges: nothing to sparsify"
    assert len(list(feed(task).training())) == 1


def test_numbers_without_a_graph_are_skipped() -> None:
    graph = Graph.from_edges([0, 2], [1, 3])
    split = Split.from_indices(4, [0, 1], [2], [3])
    task = NodeTask(
        graph, np.eye(4, dtype=np.float32), np.zeros(4, int), 2, split, part=np.array([1, 1, 5, 5])
    )
    given = feed(task, batch_size=1)
    assert len(list(given.training())) == len(list(given.evaluation())) == 1


def test_a_graph_with_nodes_of_several_sets_is_evaluated_whole(ppi: NodeTask) -> None:
    assert ppi.split is not None
    moved = np.flatnonzero(ppi.split.train)[0]
    train, validation = ppi.split.train.copy(), ppi.split.validation.copy()
    train[moved], validation[moved] = False, True
    split = Split(train, validation, ppi.split.test)
    task = dataclasses.replace(ppi, split=split)
    sets = [step.sets["validation"].numel() for step in feed(task).evaluation()]
    assert sum(sets) == np.count_nonzero(validation)
    assert sum(step.sets["train"].numel() for step in feed(task).training()) == train.sum()
