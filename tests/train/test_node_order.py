"""Nodes may be numbered as training likes: what comes out is of the user's own numbers."""

import numpy as np
import pytest
import torch

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.train import Plan, TrainConfig, node_order


def test_renumbered_graph_has_the_same_edges() -> None:
    graph = block_model(300, 2000, 4, seed=5)[0]
    order = np.random.default_rng(7).permutation(300)
    again = node_order.renumber(graph, order)
    assert (again.to_scipy() != graph.to_scipy()[order][:, order]).nnz == 0
    assert node_order.renumber(graph, None) is graph


def test_weights_follow() -> None:
    graph = fg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 5.0])
    again = node_order.renumber(graph, np.array([3, 1, 0, 2]))
    assert again.to_scipy()[0, 3] == 5.0  # 2 and 3, which are 3 and 0 now


def test_neighbours_come_close(monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled = np.random.default_rng(3).permutation(400)
    ring = fg.Graph.from_edges(shuffled, np.roll(shuffled, 1))
    assert node_order.close_order(ring) is None  # small
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    order = node_order.close_order(ring)
    assert order is not None and sorted(order) == list(range(400))
    again = node_order.renumber(ring, order)
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
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    ordered = plan.run(task)
    for one, other in zip(plain.history, ordered.history, strict=True):
        assert one.loss == pytest.approx(other.loss, rel=1e-4)
        assert one.validation_loss == pytest.approx(other.validation_loss, rel=1e-4)
    assert plain.scores["test"] == pytest.approx(ordered.scores["test"], abs=2e-3)


def test_the_model_is_of_the_user_s_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    task = fg.load_dataset("digits")
    assert task.split is not None
    plan = Plan(None, TrainConfig(epochs=30, seed=5))
    model = plan.make_model(task)
    record = fg.fit(model, task, plan.config)
    x = torch.from_numpy(np.asarray(task.features))
    logits = model.eval()(x, fg.nn.SortedArcs.from_graph(task.graph))
    right = logits.argmax(dim=1).numpy() == task.labels
    assert right[task.split.test].mean() == pytest.approx(record.scores["test"], abs=2e-3)
