"""A trained model at work: it says what it said when it was judged."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch

from fastgat import EffectiveResistanceSparsifier, InputError, KNeighborSparsifier, fit
from fastgat.data import NodeTask
from fastgat.train import AdaptiveDensity, RunRecord, TrainConfig
from fastgat.train.predict import TrainedModel, check_table, write_table

SPARSIFIER = EffectiveResistanceSparsifier(epsilon=0.9)
WAYS = {
    "full": {},
    "sparse": {"sparsifier": SPARSIFIER},
    "prior": {"sparsifier": SPARSIFIER, "edge_weight": "prior"},
    "evaluated on all": {"sparsifier": SPARSIFIER, "evaluate_on": "full"},
    "neighbours": {"sparsifier": KNeighborSparsifier(2)},
    "adaptive": {"sparsifier": SPARSIFIER, "adaptive": AdaptiveDensity(every=2, step=0.05)},
}


@pytest.fixture
def run(
    blocks: NodeTask, model_for: Callable, tmp_path: Path
) -> Callable[..., tuple[TrainedModel, RunRecord]]:
    """Give `run(task, ...)`: a model trained, left in a folder and loaded from it."""

    def call(task: NodeTask = blocks, **options) -> tuple[TrainedModel, RunRecord]:
        config = TrainConfig(epochs=9, learning_rate=0.02, seed=19, **options)
        record = fit(model_for(task), task, config, folder=tmp_path / "run")
        return TrainedModel.load(tmp_path / "run"), record

    return call


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_predictions_have_the_scores_of_the_record(
    options: dict, run: Callable, blocks: NodeTask
) -> None:
    model, record = run(**options)
    predicted = model.predict(blocks).predicted
    assert blocks.split is not None
    for name, mask in blocks.split.masks().items():
        share = np.mean((predicted == blocks.labels)[mask])
        assert record.scores[name] == pytest.approx(share)


def test_graphs_for_test_are_whole_however_they_are_given(run: Callable, ppi: NodeTask) -> None:
    """Only training graphs are sparsified: also if one of the others comes alone."""
    model, _ = run(ppi, sparsifier=SPARSIFIER)
    together = model.predict(ppi).probability
    assert ppi.part is not None
    for number, alone in enumerate(ppi.graphs()):
        found = model.predict(alone).probability
        np.testing.assert_allclose(found, together[ppi.part == number], atol=1e-5)


def test_tables(run: Callable, blocks: NodeTask, ppi: NodeTask, tmp_path: Path) -> None:
    named = dataclasses.replace(blocks, class_names=("red", "green", "blue", "grey"))
    model, _ = run(named)
    prediction = model.predict(blocks)
    table = prediction.columns()
    assert list(table)[:5] == ["node", "class", "confidence", "true class", "split"]
    assert list(table)[5] == "probability of red"
    np.testing.assert_array_equal(table["confidence"], prediction.probability.max(axis=1))
    assert set(table["class"]) <= {"red", "green", "blue", "grey"}
    np.testing.assert_allclose(prediction.probability.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(prediction.probability.argmax(axis=1), prediction.predicted)


def test_tables_of_several_labels(run: Callable, ppi: NodeTask) -> None:
    model, _ = run(ppi)
    table = model.predict(ppi).columns()
    for number in range(ppi.num_classes):
        np.testing.assert_array_equal(
            table[f"has {number}"] == 1, table[f"probability of {number}"] > 0.5
        )


@pytest.mark.parametrize("names", [("d", "c", "b", "a"), ("a", "b", "q", "c", "d", "r")])
def test_true_classes_are_matched_by_name(
    names: tuple[str, ...], run: Callable, blocks: NodeTask
) -> None:
    """However another task numbers them; a class that the model never saw keeps its name."""
    model, _ = run(dataclasses.replace(blocks, class_names=tuple("abcd")))
    labels = np.arange(blocks.num_nodes) % len(names)
    labels[:3] = -1
    other = dataclasses.replace(
        blocks, labels=labels, num_classes=len(names), class_names=names, split=None
    )
    said = model.predict(other)
    expected = ["", "", "", *(names[label] for label in labels[3:])]
    assert said.columns()["true class"].tolist() == expected
    assert said.class_names == tuple("abcd")
    assert said.unknown_classes == tuple(name for name in names if name not in "abcd")
    assert said.labels is not None
    same = said.columns()["class"] == said.columns()["true class"]
    np.testing.assert_array_equal(said.predicted == said.labels, same)


def test_a_run_knows_its_task_again(run: Callable, blocks: NodeTask, tmp_path: Path) -> None:
    columns = tuple(f"f{n}" for n in range(32))
    named = dataclasses.replace(blocks, feature_names=columns)
    model, _ = run(named)
    model.check_unchanged(named)
    turned = dataclasses.replace(
        named, features=blocks.features[:, ::-1], feature_names=columns[::-1]
    )
    model.check_unchanged(turned)
    with pytest.raises(InputError) as caught:
        model.check_unchanged(dataclasses.replace(named, features=blocks.features + 1))
    assert str(caught.value) == (
        f"the features have changed since the run in {tmp_path / 'run'} was trained; train again, "
        "or predict for the files as they are with --on"
    )


def test_attention_of_every_layer_sums_to_one_at_each_node(run: Callable, blocks: NodeTask) -> None:
    model, _ = run()
    before = model.predict(blocks).probability
    found = model.attention(blocks)
    for layer, heads in enumerate((2, 1)):
        for head in range(heads):
            chosen = (found.layer == layer) & (found.head == head)
            assert np.count_nonzero(chosen) == 2 * blocks.graph.num_edges + blocks.num_nodes
            total = np.bincount(found.target[chosen], found.coefficient[chosen])
            np.testing.assert_allclose(total, 1, rtol=1e-4)
    assert set(found.layer.tolist()) == {0, 1}
    np.testing.assert_array_equal(model.predict(blocks).probability, before)  # no hook is left


def test_other_features_are_refused(run: Callable, blocks: NodeTask) -> None:
    model, _ = run()
    task = dataclasses.replace(blocks, features=blocks.features[:, :5])
    with pytest.raises(InputError) as caught:
        model.predict(task)
    assert str(caught.value) == (
        "the graph has 5 features, but the model was trained on 32: "
        "they must be the same, in the same order"
    )


def test_no_run_and_a_run_that_is_not_finished(run: Callable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        TrainedModel.load(tmp_path)
    run()
    (tmp_path / "run" / "record.json").unlink()
    with pytest.raises(InputError, match="is not finished: resume it"):
        TrainedModel.load(tmp_path / "run")


@pytest.mark.parametrize(
    "change", [{"heads": 3}, {"colour": "red"}, {"heads": None}, {"num_layers": 0}]
)
def test_a_config_that_does_not_fit_the_weights(
    change: dict, run: Callable, tmp_path: Path
) -> None:
    run()
    file = tmp_path / "run" / "config.json"
    config = json.loads(file.read_text())
    config["model"]["settings"].update(change)
    file.write_text(json.dumps(config))
    with pytest.raises(InputError) as caught:
        TrainedModel.load(tmp_path / "run")
    assert "\n" not in str(caught.value)


def test_only_our_model_can_be_made_again(blocks: NodeTask, tmp_path: Path) -> None:
    class Plain(torch.nn.Linear):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return super().forward(x)

    fit(Plain(32, 4), blocks, TrainConfig(epochs=1), folder=tmp_path / "run")
    with pytest.raises(InputError, match="holds a Plain, but only a FastGAT can be made again"):
        TrainedModel.load(tmp_path / "run")


COLUMNS = {"node": [0, 1], "class": ["a", "b,c"], "probability of a": [0.75, 0.125]}


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "T.CSV"])
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_table(path, COLUMNS)
    read = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.csv.read_csv
    assert read(path).to_pydict() == COLUMNS
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["t.txt", "t", "t.csv.gz"])
def test_a_name_without_a_format_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for refuse in (check_table, lambda path: write_table(path, COLUMNS)):
        with pytest.raises(InputError, match=r"must end in \.parquet or \.csv"):
            refuse(path)
    assert not path.exists()
