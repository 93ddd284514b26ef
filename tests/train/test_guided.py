"""Training on edges that the model's own predictions choose."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import fastgat as fg
from fastgat import GuidedSparsifier, InputError, TrainConfig
from fastgat.data import NodeTask
from fastgat.train import AdaptiveDensity, Epoch, RunRecord, predict_with
from fastgat.train.predict import TrainedModel

GUIDED = GuidedSparsifier(keep=0.3, warm_up=5)
CONFIG = TrainConfig(epochs=14, learning_rate=0.02, seed=7, sparsifier=GUIDED)


def shuffled_but_for_training(task: NodeTask) -> NodeTask:
    assert task.split is not None
    labels, others = task.labels.copy(), ~task.split.train
    labels[others] = np.random.default_rng(3).permutation(labels[others])
    return dataclasses.replace(task, labels=labels)


def test_all_edges_before_the_choice_few_after(blocks: NodeTask, model_for: Callable) -> None:
    record = fg.fit(model_for(blocks), blocks, CONFIG)
    counts = [epoch.num_edges for epoch in record.history]
    assert counts[:5] == [blocks.graph.num_edges] * 5
    assert len(set(counts[5:])) == 1
    assert counts[5] == pytest.approx(0.3 * blocks.graph.num_edges, rel=0.1)
    assert record.decisions == [{"epoch": 5, "chosen": True}]
    assert record.best_epoch > 5
    assert record.edges["trained_on"] == counts[5] == len(record.kept_edges)
    assert record.edges["evaluated_on"] == "sparse"


def test_the_edges_are_those_of_the_predictions_after_the_warm_up(
    blocks: NodeTask, model_for: Callable
) -> None:
    """The same epochs without a sparsifier end in the model that chooses."""
    config = dataclasses.replace(CONFIG, node_order="given")
    record = fg.fit(model_for(blocks), blocks, config)
    model, seen = model_for(blocks), []
    plain = dataclasses.replace(config, sparsifier=None, epochs=5)
    fg.fit(model, blocks, plain, on_epoch=lambda _: seen.append(copy(model)))
    last = model_for(blocks)
    last.load_state_dict(seen[-1])
    probability = predict_with(last, blocks).probability
    chosen = GUIDED.prepare(blocks.graph, seed=7, predictions=probability).draw(7)
    np.testing.assert_array_equal(record.kept_edges, chosen.edge_id)


def copy(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def test_labels_of_validation_and_test_are_not_looked_at(
    blocks: NodeTask, model_for: Callable
) -> None:
    tasks = blocks, shuffled_but_for_training(blocks)
    config = dataclasses.replace(
        CONFIG, sparsifier=dataclasses.replace(GUIDED, refresh=3), patience=None, epochs=9
    )
    kept = [last_edges(task, model_for, config) for task in tasks]
    np.testing.assert_array_equal(*kept)


@pytest.mark.parametrize("refresh", [None, 3])
def test_weights_go_back_to_the_best_epoch_of_the_warm_up(
    blocks: NodeTask, model_for: Callable, refresh: int | None
) -> None:
    guided = dataclasses.replace(GUIDED, refresh=refresh, warm_up=12)
    config = dataclasses.replace(CONFIG, sparsifier=guided, learning_rate=0.2, patience=None)
    trainer = fg.train.trainer.Trainer(model_for(blocks), blocks, config)
    seen: list[dict[str, torch.Tensor]] = []
    best: list[int] = []

    def look(epoch: Epoch) -> None:  # after the schedule was followed
        seen.append(copy(trainer.model))
        best.append(trainer.state.stopping.best_epoch)

    with torch.random.fork_rng(devices=[]):
        trainer.prepare()
        trainer.train(look)
    scores = [(epoch.validation_f1, -epoch.validation_loss) for epoch in trainer.state.history]
    best_warm = max(range(12), key=lambda place: scores[place])
    assert best[11] == 0  # no epoch of the warm-up counts
    went_back = all(torch.equal(seen[11][name], seen[best_warm][name]) for name in seen[11])
    assert best_warm < 11
    assert went_back == (refresh is None)


def last_edges(task: NodeTask, model_for: Callable, config: TrainConfig) -> np.ndarray:
    """Those in use at the end, whichever epoch validation calls the best."""
    trainer = fg.train.trainer.Trainer(model_for(task), task, config)
    with torch.random.fork_rng(devices=[]):
        trainer.prepare()
        trainer.train(None)
    assert trainer.state.schedule is not None
    assert [choice["epoch"] for choice in trainer.state.schedule.to_json()] == [5, 8]
    assert trainer.state.edges is not None
    return trainer.state.edges


def test_patience_begins_after_the_warm_up(blocks: NodeTask, model_for: Callable) -> None:
    guided = dataclasses.replace(GUIDED, warm_up=10)
    config = dataclasses.replace(CONFIG, sparsifier=guided, patience=1, epochs=40)
    record = fg.fit(model_for(blocks), blocks, config)
    assert len(record.history) > 10
    assert record.best_epoch > 10


@pytest.mark.parametrize("evaluate_on", ["sparse", "full", "better"])
def test_predictions_are_those_that_were_judged(
    blocks: NodeTask, model_for: Callable, tmp_path: Path, evaluate_on: str
) -> None:
    config = dataclasses.replace(CONFIG, evaluate_on=evaluate_on)
    model = model_for(blocks)
    record = fg.fit(model, blocks, config, folder=tmp_path / "run")
    assert blocks.split is not None
    test = blocks.split.test
    loaded = TrainedModel.load(tmp_path / "run")
    for prediction in (predict_with(model, blocks, config, record=record), loaded.predict(blocks)):
        right = (prediction.predicted == blocks.labels)[test].mean()
        assert right == pytest.approx(record.scores["test"])
    again = RunRecord.read(tmp_path / "run")
    assert again.kept_edges is None  # in a file of its own
    np.testing.assert_array_equal(loaded.record.kept_edges, record.kept_edges)
    assert json.loads((tmp_path / "run" / "record.json").read_text())["edges"]["graph"]


def test_the_better_graph_is_chosen_by_validation(blocks: NodeTask, model_for: Callable) -> None:
    scores = {}
    for evaluate_on in ("sparse", "better"):
        config = dataclasses.replace(CONFIG, evaluate_on=evaluate_on)
        scores[evaluate_on] = fg.fit(model_for(blocks), blocks, config)
    assert scores["better"].scores["validation"] >= scores["sparse"].scores["validation"]
    model = model_for(blocks)
    record = fg.fit(model, blocks, dataclasses.replace(CONFIG, evaluate_on="better"))
    validation = blocks.split.validation
    whole = (predict_with(model, blocks).predicted == blocks.labels)[validation].mean()
    sparse = scores["sparse"].scores["validation"]
    assert record.edges["evaluated_on"] == ("full" if whole > sparse else "sparse")


def test_another_graph_gets_edges_by_predictions_there(
    blocks: NodeTask, model_for: Callable, tmp_path: Path
) -> None:
    model = model_for(blocks)
    record = fg.fit(model, blocks, CONFIG, folder=tmp_path / "run")
    other = fg.load_dataset("synthetic", num_nodes=200, num_edges=2000, seed=4)
    whole = predict_with(model, other).probability
    chosen = GUIDED.prepare(other.graph, seed=7, predictions=whole).draw(7)
    expected = predict_with(model, dataclasses.replace(other, graph=chosen)).probability
    for found in (
        predict_with(model, other, CONFIG, record=record),
        predict_with(model, other, CONFIG),
        TrainedModel.load(tmp_path / "run").predict(other),
    ):
        np.testing.assert_allclose(found.probability, expected, atol=1e-6)


def test_the_number_of_edges_may_be_adaptive(blocks: NodeTask, model_for: Callable) -> None:
    adaptive = AdaptiveDensity(every=3, step=0.05)
    config = dataclasses.replace(
        CONFIG, adaptive=adaptive, epochs=30, sparsifier=GuidedSparsifier(warm_up=5)
    )
    record = fg.fit(model_for(blocks), blocks, config)
    after = [epoch.num_edges for epoch in record.history[5:]]
    assert record.history[4].num_edges == blocks.graph.num_edges
    assert len(set(after)) > 1
    assert any("slope" in decision for decision in record.decisions)


def test_many_graphs(ppi: NodeTask, model_for: Callable) -> None:
    config = dataclasses.replace(CONFIG, epochs=8, batch_size=8)
    record = fg.fit(model_for(ppi), ppi, config)
    before, after = record.history[4].num_edges, record.history[5].num_edges
    assert before == record.edges["before"]
    assert after == pytest.approx(0.3 * before, rel=0.1)
    assert record.edges["evaluated_on"] == "full"


def test_refusals(blocks: NodeTask, model_for: Callable) -> None:
    with pytest.raises(InputError, match="epochs=5 must be more than the warm_up=5"):
        TrainConfig(epochs=5, sparsifier=GUIDED)
    with pytest.raises(InputError, match="resample='layer' draws graphs from the first step on"):
        fg.fit(model_for(blocks, resample="layer"), blocks, CONFIG)
    model = model_for(blocks)
    better = dataclasses.replace(CONFIG, evaluate_on="better")
    with pytest.raises(InputError, match="evaluate_on='better' was decided by fit: give its"):
        predict_with(model, blocks, better)


def test_the_config_comes_back_from_json() -> None:
    guided = GuidedSparsifier(keep=0.2, warm_up=7, refresh=9, times=("leverage",))
    config = TrainConfig(sparsifier=guided)
    assert TrainConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
