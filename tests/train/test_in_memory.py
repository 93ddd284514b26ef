"""After `fit`, without a folder: a record that shows itself, progress, predictions."""

import dataclasses
import io
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch

import fastgat as fg
from fastgat.pyg.convert import to_data
from fastgat.train import predict_with
from fastgat.train.record import Epoch, RunRecord
from fastgat.train.summary import learning_curve


@pytest.fixture(scope="module")
def task() -> fg.NodeTask:
    return fg.load_dataset("synthetic", num_nodes=200, seed=3)


def make_model(task: fg.NodeTask) -> fg.nn.FastGAT:
    torch.manual_seed(5)
    return fg.nn.FastGAT(task.num_features, 4, task.num_classes, heads=2)


def fitted(
    task: fg.NodeTask, config: fg.TrainConfig, **options: bool
) -> tuple[fg.nn.FastGAT, RunRecord]:
    model = make_model(task)
    return model, fg.fit(model, task, config, **options)


def test_the_repr_is_one_short_line(task: fg.NodeTask) -> None:
    sparsifier = fg.UniformSparsifier(keep=300)
    _, record = fitted(task, fg.TrainConfig(epochs=4, sparsifier=sparsifier))
    shown = repr(record)
    assert "\n" not in shown and len(shown) < 250
    assert f"test_f1={record.scores['test']:.3f}" in shown
    assert "epochs=4" in shown and "of 1000" in shown and "task='synthetic'" in shown


def test_a_notebook_gets_a_table_and_the_curve(task: fg.NodeTask) -> None:
    _, record = fitted(task, fg.TrainConfig(epochs=7))
    record = dataclasses.replace(record, label="<script>alert(1)</script>")
    page = ET.fromstring(record._repr_html_())  # well-formed, and nothing of it is obeyed
    assert not list(page.iter("script"))
    assert "test f1" in [cell.text for cell in page.iter("th")]
    curves = list(page.iter("polyline"))
    assert [len((curve.get("points") or "").split()) for curve in curves] == [7, 7]


@pytest.mark.parametrize("epochs", [0, 1, 2, 199, 200, 201, 5000])
def test_a_curve_of_any_length_ends_with_its_last_epoch(epochs: int) -> None:
    history = [Epoch(n, 1.0, 0.5, 1.0, n / epochs, 0.1, 9) for n in range(1, epochs + 1)]
    drawn = learning_curve(history, max(epochs // 2, 1))
    if epochs == 0:
        assert drawn == ""
        return
    points = re.findall(r'points="([^"]*)"', drawn)[1].split()
    assert len(points) == min(epochs, len(points)) <= 202
    assert points[-1].endswith(",10.0")  # F1 of 1, the top


def test_progress_is_a_few_lines(task: fg.NodeTask, capsys: pytest.CaptureFixture[str]) -> None:
    _, record = fitted(task, fg.TrainConfig(epochs=40, patience=None), progress=True)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and len(lines) == 11
    assert lines[0].startswith("epoch 1 of 40: loss ")
    assert f"validation F1 {record.history[-1].validation_f1:.3f}" in lines[-1]


def test_progress_is_a_bar_on_a_terminal(
    task: fg.NodeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    _, record = fitted(task, fg.TrainConfig(epochs=5, patience=None), progress=True)
    last = terminal.getvalue().split("\r")[-1]
    assert "5/5" in last and f"validation F1 {record.history[-1].validation_f1:.3f}" in last


def test_progress_changes_nothing(task: fg.NodeTask, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Epoch] = []
    config = fg.TrainConfig(epochs=5)
    _, quiet = fitted(task, config)
    assert capsys.readouterr() == ("", "")
    shown = fg.fit(make_model(task), task, config, progress=True, on_epoch=seen.append)
    assert [e.loss for e in quiet.history] == [e.loss for e in shown.history]
    assert seen == shown.history


@pytest.mark.parametrize(
    "config",
    [
        fg.TrainConfig(epochs=5),
        fg.TrainConfig(epochs=5, sparsifier=fg.UniformSparsifier(keep=300)),
        fg.TrainConfig(epochs=5, sparsifier=fg.UniformSparsifier(keep=300), evaluate_on="full"),
        fg.TrainConfig(
            epochs=9, sparsifier=fg.EffectiveResistanceSparsifier(), adaptive=fg.AdaptiveDensity()
        ),
    ],
    ids=["full", "sparse", "evaluated on full", "adaptive"],
)
def test_predictions_are_those_that_were_scored(config: fg.TrainConfig, task: fg.NodeTask) -> None:
    model, record = fitted(task, config)
    model.train()
    said = predict_with(model, task, config, record=record)
    assert model.training
    assert task.split is not None
    for name, mask in task.split.masks().items():
        right = said.predicted[mask] == task.labels[mask]
        assert right.mean() == pytest.approx(record.scores[name], abs=1e-6)
    np.testing.assert_allclose(said.probability.sum(axis=1), 1, rtol=1e-5)
    assert list(said.columns())[:3] == ["node", "class", "confidence"]


def test_any_module_predicts_also_for_data(task: fg.NodeTask) -> None:
    class Plain(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(task.num_features, task.num_classes)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            assert edge_index.shape == (2, 2 * task.graph.num_edges)
            scores: torch.Tensor = self.linear(x)
            return scores

    model = Plain()
    record = fg.fit(model, task, fg.TrainConfig(epochs=3))
    said = predict_with(model, task)
    test = task.split.test  # type: ignore[union-attr]
    assert (said.predicted == task.labels)[test].mean() == pytest.approx(record.scores["test"])
    data = to_data(task)
    assert (predict_with(model, data).predicted == said.predicted).all()


def test_a_record_finds_features_by_name(task: fg.NodeTask) -> None:
    names = tuple(f"f{n}" for n in range(task.num_features))
    named = dataclasses.replace(task, feature_names=names, class_names=tuple("abcd"))
    config = fg.TrainConfig(epochs=5)
    model, record = fitted(named, config)
    expected = predict_with(model, named, config)
    turned = dataclasses.replace(
        named, features=task.features[:, ::-1], feature_names=names[::-1],
        class_names=tuple("dcba"), labels=3 - task.labels,
    )  # fmt: skip
    said = predict_with(model, turned, config, record=record)
    np.testing.assert_array_equal(said.probability, expected.probability)
    assert said.class_names == tuple("abcd")
    np.testing.assert_array_equal(said.labels, task.labels)
    strange = dataclasses.replace(turned, feature_names=("g", *names[1:]))
    with pytest.raises(fg.InputError, match="it lacks 'f0' and has 'g' besides"):
        predict_with(model, strange, config, record=record)


def test_refusals(task: fg.NodeTask) -> None:
    other = fg.nn.FastGAT(task.num_features + 1, 4, task.num_classes)
    with pytest.raises(fg.InputError, match="the task has 32 features, but the model was made"):
        predict_with(other, task)
    other = fg.nn.FastGAT(task.num_features, 4, task.num_classes + 1)
    with pytest.raises(fg.InputError, match=r"scores of shape \(200, 5\), but the task needs"):
        predict_with(other, task)
    config = fg.TrainConfig(
        sparsifier=fg.EffectiveResistanceSparsifier(), adaptive=fg.AdaptiveDensity()
    )
    with pytest.raises(fg.InputError, match="give the record of fit too"):
        predict_with(make_model(task), task, config)
