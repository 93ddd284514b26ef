"""Feeding one graph: which edges are trained and evaluated on."""

import dataclasses

import numpy as np
import pytest
import torch

from fastgat import EffectiveResistanceSparsifier, InputError, UniformSparsifier
from fastgat.data import NodeTask
from fastgat.train import AdaptiveDensity, TrainConfig, node_order
from fastgat.train.feed import Form
from fastgat.train.one_graph import OneGraph
from fastgat.train.stopwatch import Stopwatch

PLAIN = Form(native=False, sparse=False, draws=False, device=torch.device("cpu"))
SPARSIFIER = EffectiveResistanceSparsifier(epsilon=0.9)


def feed(task: NodeTask, **options) -> OneGraph:
    return OneGraph(task, TrainConfig(seed=7, **options), PLAIN, Stopwatch())


def arcs(step) -> set[tuple[int, int]]:
    return set(map(tuple, step.arcs.edges.t().tolist()))


def all_arcs(graph) -> set[tuple[int, int]]:
    pairs = list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    return {*pairs, *((j, i) for i, j in pairs)}


def test_every_edge_without_a_sparsifier(blocks: NodeTask) -> None:
    given = feed(blocks)
    (trained,), (evaluated,) = given.training(), given.evaluation()
    assert arcs(trained) == arcs(evaluated) == all_arcs(blocks.graph)
    assert given.num_edges == given.num_edges_before == blocks.graph.num_edges
    assert set(trained.sets) == {"train"}
    assert set(evaluated.sets) == {"train", "validation", "test"}
    assert given.sparse_graph() is None


@pytest.mark.parametrize("evaluate_on", ["sparse", "full"])
def test_the_draw_of_the_seed(blocks: NodeTask, evaluate_on: str) -> None:
    given = feed(blocks, sparsifier=SPARSIFIER, evaluate_on=evaluate_on)
    expected = SPARSIFIER.sparsify(blocks.graph, seed=7)
    (trained,), (evaluated,) = given.training(), given.evaluation()
    assert arcs(trained) == all_arcs(expected)
    full = evaluate_on == "full"
    assert arcs(evaluated) == all_arcs(blocks.graph if full else expected)
    assert given.num_edges == expected.num_edges < given.num_edges_before


@pytest.mark.parametrize("evaluate_on", ["sparse", "full"])
def test_a_schedule_takes_the_first_edges_of_one_order(blocks: NodeTask, evaluate_on: str) -> None:
    given = feed(
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
    (step,) = feed(blocks).evaluation()
    for name, mask in blocks.split.masks().items():
        np.testing.assert_array_equal(step.sets[name].numpy(), np.flatnonzero(mask))
    np.testing.assert_array_equal(step.labels.numpy(), blocks.labels)


def test_nodes_keep_their_numbers_if_asked(
    blocks: NodeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    native = dataclasses.replace(PLAIN, native=True)
    for order in ("close", "given"):
        config = TrainConfig(seed=7, sparsifier=SPARSIFIER, node_order=order)
        (step,) = OneGraph(blocks, config, native, Stopwatch()).training()
        kept = np.array_equal(step.x.numpy(), blocks.features)
        assert kept == (order == "given")
    with pytest.raises(InputError, match="node_order='mine'"):
        TrainConfig(node_order="mine")
