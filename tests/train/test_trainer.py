"""What training does: it learns, repeats itself, keeps the best weights, and says when it fails."""

import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

import fastgat as fg
from fastgat import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    Graph,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
    fit,
)
from fastgat.data import NodeTask, Split
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT
from fastgat.train import AdaptiveDensity, RunRecord, TrainConfig
from fastgat.train.record import Epoch

RESISTANCE = EffectiveResistanceSparsifier(epsilon=0.9)
CHANCE = 0.25 + 4 * 0.037  # of `blocks`: four classes, 140 nodes, four standard deviations
FAST = {"learning_rate": 0.02, "weight_decay": 5e-4}
SPARSIFIERS = [
    RESISTANCE,
    EffectiveResistanceSparsifier(keep=0.4, sampling="independent", spanning_forest=True),
    DegreeSparsifier(keep=0.5),
    UniformSparsifier(keep=0.5),
    KNeighborSparsifier(3),
]


def weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def stripped(history: list[Epoch]) -> list[Epoch]:
    """Without what differs from run to run."""
    return [dataclasses.replace(epoch, seconds=0.0) for epoch in history]


@pytest.mark.parametrize("sparsifier", [None, RESISTANCE])
def test_digits_are_learnt(sparsifier, digits: NodeTask, model_for: Callable) -> None:
    record = fit(model_for(digits), digits, TrainConfig(epochs=60, sparsifier=sparsifier, **FAST))
    assert record.scores["test"] > 0.85  # chance: 0.1
    assert record.scores["test_macro_f1"] > 0.85
    assert record.history[-1].loss < 0.5 * record.history[0].loss
    assert record.scores["validation"] == max(epoch.validation_f1 for epoch in record.history)


@pytest.mark.parametrize("sparsifier", SPARSIFIERS, ids=lambda kind: type(kind).__name__)
def test_every_sparsifier_trains(sparsifier, blocks: NodeTask, model_for: Callable) -> None:
    record = fit(model_for(blocks), blocks, TrainConfig(epochs=40, sparsifier=sparsifier, **FAST))
    assert record.scores["test"] > CHANCE
    assert record.edges["trained_on"] < record.edges["before"] == 2000
    assert all(epoch.num_edges == record.edges["trained_on"] for epoch in record.history)
    draws = record.edges["draws"]
    assert draws is None or draws >= record.edges["trained_on"]
    assert record.edges["lost_nodes"] >= 0
    assert record.edges["evaluated_on"] == "sparse"


@pytest.mark.parametrize("resample", ["layer", "head"])
def test_fresh_draws_while_training(resample: str, blocks: NodeTask, model_for: Callable) -> None:
    half = EffectiveResistanceSparsifier(keep=0.5)
    sampler = half.prepare(blocks.graph)
    model = model_for(blocks, resample=resample, sampler=sampler)
    record = fit(model, blocks, TrainConfig(epochs=40, sparsifier=half, **FAST))
    assert record.scores["test"] > CHANCE
    assert record.seconds["sampling"] > 0
    assert model.sampler is sampler  # as it was given


@pytest.mark.parametrize("attention", ["gat", "gatv2", "cosine", "gaan"])
def test_every_attention_trains(attention: str, blocks: NodeTask, model_for: Callable) -> None:
    model = model_for(blocks, attention=attention)
    record = fit(model, blocks, TrainConfig(epochs=40, sparsifier=RESISTANCE, **FAST))
    assert record.scores["test"] > CHANCE


@pytest.mark.parametrize("evaluate_on", ["sparse", "full"])
def test_scores_are_those_of_the_graph_evaluated_on(
    evaluate_on: str, blocks: NodeTask, model_for: Callable
) -> None:
    config = TrainConfig(epochs=5, sparsifier=RESISTANCE, evaluate_on=evaluate_on, seed=7)
    model = model_for(blocks)
    record = fit(model, blocks, config)
    graph = blocks.graph if evaluate_on == "full" else RESISTANCE.sparsify(blocks.graph, seed=7)
    assert record.edges["evaluated_on"] == evaluate_on
    assert_scores(model, blocks, graph, record)


def assert_scores(model: FastGAT, task: NodeTask, graph: Graph, record: RunRecord) -> None:
    assert task.split is not None
    structure = fg.nn.SortedArcs.from_graph(graph)
    model.eval()
    with torch.no_grad():
        predicted = model(torch.from_numpy(task.features), structure).argmax(dim=1).numpy()
    for name, mask in task.split.masks().items():
        assert record.scores[name] == pytest.approx(np.mean((predicted == task.labels)[mask]))


def test_the_model_has_the_weights_of_its_best_epoch(digits: NodeTask, model_for: Callable) -> None:
    """Trained to the best epoch and no further, it is the same model."""
    config = TrainConfig(epochs=12, learning_rate=0.05, seed=11)
    model = model_for(digits)
    record = fit(model, digits, config)
    best = record.history[record.best_epoch - 1]
    assert record.scores["validation"] == best.validation_f1
    assert_scores(model, digits, digits.graph, record)
    shorter = model_for(digits)
    fit(shorter, digits, dataclasses.replace(config, epochs=record.best_epoch))
    assert same(weights(shorter), weights(model))


def test_adaptive_scores_are_those_of_the_best_epochs_graph(
    digits: NodeTask, model_for: Callable
) -> None:
    adaptive = AdaptiveDensity(every=2, step=0.05)
    config = TrainConfig(
        epochs=20, sparsifier=UniformSparsifier(), adaptive=adaptive, seed=5, **FAST
    )
    model = model_for(digits)
    record = fit(model, digits, config)
    counts = [epoch.num_edges for epoch in record.history]
    assert len(set(counts)) > 2
    best = record.history[record.best_epoch - 1]
    assert record.scores["validation"] == best.validation_f1
    assert record.edges["trained_on"] == best.num_edges
    decided = {decision["epoch"]: decision["num_edges"] for decision in record.decisions}
    assert list(decided) == list(range(2, 21, 2))
    for epoch in range(2, 20, 2):
        assert counts[epoch] == decided[epoch]
    assert min(counts) == counts[0]
    for earlier, decision in zip([None, *record.decisions], record.decisions, strict=False):
        last = [epoch.train_f1 for epoch in record.history[: decision["epoch"]][-2:]]
        assert decision["slope"] == pytest.approx(last[1] - last[0], abs=1e-12)
        assert decision["previous_slope"] == (earlier["slope"] if earlier else None)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sparsifier": RESISTANCE},
        {"sparsifier": UniformSparsifier(), "adaptive": AdaptiveDensity(every=2)},
    ],
    ids=["full", "sparse", "adaptive"],
)
def test_same_seed_same_bits(options: dict, blocks: NodeTask, model_for: Callable) -> None:
    runs = []
    for _ in range(2):
        torch.rand(17)  # what was drawn before does not matter
        model = model_for(blocks)
        record = fit(model, blocks, TrainConfig(epochs=6, seed=13, **options))
        runs.append((weights(model), stripped(record.history)))
    assert same(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1]
    other = model_for(blocks)
    fit(other, blocks, TrainConfig(epochs=6, seed=15, **options))
    assert not same(weights(other), runs[0][0])


def test_unlabelled_nodes_are_never_used(blocks: NodeTask, model_for: Callable) -> None:
    """A node in no set may have any label or none."""
    assert blocks.split is not None
    split = dataclasses.replace(blocks.split, test=np.zeros(200, bool))
    runs = []
    for unknown in (blocks.labels, np.full(200, -1), np.zeros(200, int)):
        labels = np.where(split.train | split.validation, blocks.labels, unknown)
        task = dataclasses.replace(blocks, labels=labels, split=split)
        model = model_for(task)
        record = fit(model, task, TrainConfig(epochs=5))
        runs.append((weights(model), stripped(record.history), record.scores))
    for run in runs[1:]:
        assert same(run[0], runs[0][0])
        assert run[1:] == runs[0][1:]


@pytest.mark.parametrize("name", ["blocks", "ppi"])
def test_labels_for_test_reach_nothing_but_the_test_score(
    name: str, request: pytest.FixtureRequest, model_for: Callable
) -> None:
    task: NodeTask = request.getfixturevalue(name)
    assert task.split is not None
    flipped = task.labels.copy()
    flipped[task.split.test] = (1 if task.is_multi_label else 3) - flipped[task.split.test]
    runs = []
    for labels in (task.labels, flipped):
        twin = dataclasses.replace(task, labels=labels)
        model = model_for(task)
        record = fit(model, twin, TrainConfig(epochs=3, sparsifier=UniformSparsifier(keep=0.5)))
        runs.append((weights(model), stripped(record.history), record.scores))
    assert same(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1]
    assert runs[0][2]["test"] != runs[1][2]["test"]
    assert runs[0][2]["validation"] == runs[1][2]["validation"]


def test_a_prior_changes_what_is_learnt_where_there_are_weights(
    blocks: NodeTask, model_for: Callable
) -> None:
    runs = {}
    for edge_weight in ("ignore", "prior"):
        model = model_for(blocks)
        config = TrainConfig(epochs=10, sparsifier=RESISTANCE, edge_weight=edge_weight, **FAST)
        record = fit(model, blocks, config)
        assert record.scores["test"] > 0.3
        runs[edge_weight] = weights(model)
    assert not same(runs["ignore"], runs["prior"])


def test_weights_of_the_graph_are_ignored_or_a_prior(blocks: NodeTask, model_for: Callable) -> None:
    graph = blocks.graph
    weight = np.random.default_rng(3).uniform(0.1, 5.0, graph.num_edges)
    heavy = Graph.from_edges(graph.source, graph.target, weight, graph.num_nodes)
    task = dataclasses.replace(blocks, graph=heavy)
    runs = {}
    for name, which, edge_weight in (
        ("plain", blocks, "ignore"),
        ("ignored", task, "ignore"),
        ("plain prior", blocks, "prior"),
        ("prior", task, "prior"),
    ):
        model = model_for(which)
        fit(model, which, TrainConfig(epochs=3, edge_weight=edge_weight))
        runs[name] = weights(model)
    assert same(runs["plain"], runs["ignored"])
    assert same(runs["plain"], runs["plain prior"])
    assert not same(runs["plain"], runs["prior"])


def test_phases_fit_into_the_time_taken(blocks: NodeTask, model_for: Callable) -> None:
    begin = time.perf_counter()
    sampler = RESISTANCE.prepare(blocks.graph)
    model = model_for(blocks, resample="head", sampler=sampler)
    record = fit(model, blocks, TrainConfig(epochs=5, sparsifier=RESISTANCE))
    whole = time.perf_counter() - begin
    assert all(value > 0 for value in record.seconds.values())
    assert record.total_seconds + record.seconds["inference"] <= whole
    epochs = sum(epoch.seconds for epoch in record.history)
    inside = ("forward", "backward", "optimiser", "evaluation")
    assert sum(record.seconds[name] for name in inside) <= epochs <= whole


def test_the_record_says_what_was_done(
    blocks: NodeTask, model_for: Callable, tmp_path: Path
) -> None:
    config = TrainConfig(epochs=3, sparsifier=RESISTANCE)
    model = model_for(blocks)
    record = fit(model, blocks, config, label="mine", command="fastgat train synthetic")
    assert (record.label, record.command) == ("mine", "fastgat train synthetic")
    assert TrainConfig.from_json(record.config) == config
    assert record.model["settings"] == model.settings
    assert [epoch.epoch for epoch in record.history] == [1, 2, 3]
    assert record.stopped == "epochs"
    assert record.decisions == [] and record.pictures == {} and record.warnings == []
    assert record.task["num_edges"] == record.edges["before"] == 2000
    assert record.peak_bytes is None or record.peak_bytes > 0
    record.write(tmp_path / "record.json")
    assert RunRecord.read(tmp_path) == record
    json.dumps(dataclasses.asdict(record), allow_nan=False)


def test_patience_ends_a_run(blocks: NodeTask, model_for: Callable) -> None:
    record = fit(
        model_for(blocks), blocks, TrainConfig(epochs=400, patience=3, learning_rate=0.1, seed=3)
    )
    assert record.stopped == "patience"
    assert 3 < len(record.history) < 400
    last = record.history[-3:]
    before = record.history[:-3]
    assert max(e.validation_f1 for e in last) <= max(e.validation_f1 for e in before)
    assert min(e.validation_loss for e in last) >= min(e.validation_loss for e in before)


@pytest.mark.parametrize("patience", [1, None])
def test_one_epoch(patience: int | None, blocks: NodeTask, model_for: Callable) -> None:
    record = fit(model_for(blocks), blocks, TrainConfig(epochs=1, patience=patience))
    assert (record.best_epoch, record.stopped, len(record.history)) == (1, "epochs", 1)


def tiny(graph: Graph, columns: int = 3, **options) -> NodeTask:
    count = graph.num_nodes
    features = np.random.default_rng(5).random((count, columns), np.float32)
    split = Split.from_indices(count, [0], [1], list(range(2, count)))
    return NodeTask(graph, features, np.zeros(count, int), 2, split, **options)


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([], [], num_nodes=2),
        Graph.from_edges([0], [1]),
        Graph.from_edges([0], [1], [1e8]),
        Graph.from_edges([0, 0, 0], [1, 2, 3], [1e-8, 1.0, 1e8]),
    ],
    ids=["no edges", "edge", "heavy", "star"],
)
def test_graphs_that_are_hardly_there(graph: Graph, columns: int) -> None:
    task = tiny(graph, columns)
    record = fit(FastGAT(columns, 4, 2, heads=2), task, TrainConfig(epochs=3))
    assert len(record.history) == 3
    if graph.num_edges:
        for sampling in ("independent", "replacement"):
            sparsifier = EffectiveResistanceSparsifier(keep=1, sampling=sampling)
            for edge_weight in ("ignore", "prior"):
                config = TrainConfig(epochs=2, sparsifier=sparsifier, edge_weight=edge_weight)
                model = FastGAT(columns, 4, 2, heads=2)
                kept = fit(model, task, config).edges["trained_on"]
                assert kept == sparsifier.sparsify(graph, 0).num_edges
                assert sampling == "independent" or kept == 1


def test_a_draw_may_keep_no_edge() -> None:
    graph = Graph.from_edges([0, 0, 0], [1, 2, 3])
    sparsifier = EffectiveResistanceSparsifier(keep=1)
    seed = next(s for s in range(99) if sparsifier.sparsify(graph, s).num_edges == 0)
    config = TrainConfig(epochs=2, sparsifier=sparsifier, seed=seed)
    record = fit(FastGAT(3, 4, 2, heads=2), tiny(graph, 3), config)
    assert (record.edges["trained_on"], record.edges["lost_nodes"]) == (0, 4)


@pytest.mark.parametrize("adaptive", [None, AdaptiveDensity()])
@pytest.mark.parametrize("sparsifier", [RESISTANCE, UniformSparsifier(), DegreeSparsifier()])
def test_nothing_to_sparsify(sparsifier, adaptive: AdaptiveDensity | None) -> None:
    task = tiny(Graph.from_edges([], [], num_nodes=3))
    config = TrainConfig(sparsifier=sparsifier, adaptive=adaptive)
    with pytest.raises(InputError) as caught:
        fit(FastGAT(3, 4, 2), task, config)
    assert str(caught.value) == "the graph has no edges: there is nothing to sparsify"


def test_one_node_cannot_be_trained_and_validated_on() -> None:
    graph = Graph.from_edges([], [], num_nodes=1)
    task = NodeTask(graph, np.ones((1, 3), np.float32), np.zeros(1, int), 2,
                    Split.from_indices(1, [0], [], []))  # fmt: skip
    with pytest.raises(InputError, match="no node is for validation"):
        fit(FastGAT(3, 4, 2), task)


def test_a_large_sparse_row_and_columns_nobody_has() -> None:
    graph = block_model(60, 300, 3, seed=3)[0]
    features = scipy.sparse.random_array(
        (60, 500), density=0.01, dtype=np.float32, rng=np.random.default_rng(3)
    ).tocsr()
    split = Split.from_indices(60, range(20), range(20, 40), range(40, 60))
    task = NodeTask(graph, features, np.arange(60) % 3, 3, split)
    assert len(fit(FastGAT(500, 4, 3), task, TrainConfig(epochs=2)).history) == 2


@pytest.mark.parametrize("where", ["step", "weights"])
def test_a_loss_that_is_not_finite_stops_with_one_sentence(
    where: str, blocks: NodeTask, model_for: Callable
) -> None:
    """In the step itself, or in the weights that it leaves."""
    task, rate = blocks, 1e38
    if where == "step":
        task, rate = dataclasses.replace(blocks, features=blocks.features * np.float32(1e37)), 0.1
    with pytest.raises(InputError) as caught:
        fit(model_for(task), task, TrainConfig(epochs=20, learning_rate=rate))
    message = str(caught.value)
    assert message.endswith(f": use a smaller learning_rate than {rate}, or scale the features")
    assert "loss is " in message and " in epoch " in message


def test_a_run_never_ends_with_weights_that_are_not_finite(
    blocks: NodeTask, model_for: Callable
) -> None:
    """One epoch: its loss is finite, but what it leaves is not."""
    with pytest.raises(InputError, match=r"the validation loss is (nan|inf) in epoch 1"):
        fit(model_for(blocks), blocks, TrainConfig(epochs=1, learning_rate=3e38))
