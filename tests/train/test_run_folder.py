"""The folder of a run: which entry of two configs differs first, what is not finished, what is
refused."""

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from fastgat import InputError, TrainConfig, fit, load_dataset
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import RunFolder, RunRecord
from fastgat.train.run_folder import difference

VALUES = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.text("ab", max_size=2))
CONFIGS = st.recursive(
    st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), st.one_of(VALUES, inner), max_size=3),
    max_leaves=6,
)


@given(CONFIGS)
def test_a_config_does_not_differ_from_itself(config: dict) -> None:
    assert difference(config, config) is None


@given(CONFIGS, CONFIGS)
def test_a_difference_is_where_it_says(one: dict, other: dict) -> None:
    found = difference(one, other)
    turned = difference(other, one)
    if found is None:
        assert turned is None
        return
    where, before, now = found
    assert turned == (where, now, before)
    assert before != now
    values = []
    for config in (one, other):
        value: object = config
        for key in where.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        values.append(value)
    assert values == [before, now]


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, ("a", 1, 2)),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1, "y": 3}}, ("a.y", 2, 3)),
        ({"a": {"x": 1}}, {"a": None}, ("a", {"x": 1}, None)),
        ({}, {"a": 1}, ("a", None, 1)),
        ({"a": [1, 2]}, {"a": [2, 1]}, ("a", [1, 2], [2, 1])),
    ],
)
def test_the_first_difference_in_the_order_of_names(one: dict, other: dict, where: tuple) -> None:
    assert difference(one, other) == where


def test_what_is_not_finished_has_no_weights(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    assert not run.has_run and run.finished() is None
    with pytest.raises(InputError, match=f"^{tmp_path}/run holds no run$"):
        run.weights()
    with run.held():
        run.begin({"train": {}})
    assert run.has_run and run.config() == {"train": {}}
    with pytest.raises(InputError, match=f"^{tmp_path}/run is not finished: resume it$"):
        run.weights()


def test_a_folder_takes_one_run_at_a_time(tmp_path: Path) -> None:
    task = load_dataset("synthetic", num_nodes=100)
    model = FastGAT(task.num_features, 2, task.num_classes)
    folder = tmp_path / "run"
    sentence = f"^{folder} is in use by another run; wait for its end, or choose another folder$"
    with RunFolder(folder).held(), pytest.raises(InputError, match=sentence):
        fit(model, task, TrainConfig(epochs=1), folder=folder)
    fit(model, task, TrainConfig(epochs=1), folder=folder)
    with RunFolder(folder).held(), pytest.raises(InputError, match=sentence):
        fit(model, task, TrainConfig(epochs=1), folder=folder, resume=True)


def test_another_model_is_refused(
    train: Callable[..., RunRecord], stopped: Path, blocks: NodeTask, model_for: Callable
) -> None:
    with pytest.raises(InputError, match=r"holds a run with model\.num_parameters="):
        train(resume=True, model=model_for(blocks, heads=3))
    with pytest.raises(InputError, match=r"holds a run with model.settings.dropout=0.3, not 0.5;"):
        train(resume=True, model=model_for(blocks, dropout=0.5))


def test_another_source_is_refused(train: Callable[..., RunRecord], stopped: Path) -> None:
    with pytest.raises(InputError, match=r"holds a run with source=None, not \{'name': 'x'\}"):
        train(resume=True, source={"name": "x"})


def test_other_data_are_refused(
    train: Callable[..., RunRecord], stopped: Path, blocks: NodeTask
) -> None:
    features = blocks.features.copy()
    features[3, 5] += 1
    fewer = dataclasses.replace(blocks, features=features[:, :9], labels=1 - blocks.labels % 2)
    for task, said in (
        (dataclasses.replace(blocks, features=features), "the features have changed"),
        (dataclasses.replace(blocks, class_names=tuple("abcd")), "the labels have changed"),
        (fewer, "the features and the labels have changed"),
    ):
        with pytest.raises(InputError) as caught:
            train(resume=True, task=task)
        assert str(caught.value) == (
            f"{stopped} cannot be resumed: {said} since it was begun; bring back what it was begun "
            "with, or choose another folder"
        )


def test_another_format_is_refused(train: Callable[..., RunRecord], stopped: Path) -> None:
    config = json.loads((stopped / "config.json").read_text())
    (stopped / "config.json").write_text(json.dumps({**config, "format": 2}))
    with pytest.raises(InputError) as caught:
        train(resume=True)
    assert str(caught.value) == (
        f"{stopped} is a run of another version of fastgat; train again in another folder"
    )


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_a_config_that_cannot_be_read(
    content: str, train: Callable[..., RunRecord], stopped: Path
) -> None:
    (stopped / "config.json").write_text(content)
    with pytest.raises(InputError, match=str(stopped)):
        train(resume=True)


@pytest.mark.parametrize("damage", ["cut", "other", "missing"])
def test_weights_of_a_finished_run_that_cannot_be_used(
    damage: str, train: Callable[..., RunRecord], tmp_path: Path
) -> None:
    train()
    file = tmp_path / "run" / "weights.safetensors"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-3])
    elif damage == "other":
        save_file({"w": torch.ones(2)}, file)
    else:
        file.unlink()
    with pytest.raises(InputError) as caught:
        train(resume=True)
    assert str(tmp_path / "run") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_record_that_cannot_be_read(train: Callable[..., RunRecord], tmp_path: Path) -> None:
    train()
    (tmp_path / "run" / "record.json").write_text("{")
    with pytest.raises(InputError, match=r"record.json is not JSON"):
        train(resume=True)


@pytest.mark.parametrize("resume", [False, True])
def test_a_file_where_the_folder_should_be(
    resume: bool, train: Callable[..., RunRecord], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(InputError, match=f"cannot write to {folder}: (file exists|not a dir)"):
            train(resume=resume, folder=folder)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder(train: Callable[..., RunRecord], tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(InputError, match=f"cannot write to {tmp_path}/locked/run: permission"):
        train(folder=tmp_path / "locked" / "run")
    with pytest.raises(InputError, match=f"cannot write {tmp_path}/locked/config.json: permission"):
        train(folder=tmp_path / "locked")


def test_a_folder_of_the_system(train: Callable[..., RunRecord]) -> None:
    with pytest.raises(InputError, match="cannot write to /proc/run: "):
        train(folder="/proc/run")


def test_nothing_in_a_folder_is_a_pickle(train: Callable[..., RunRecord], stopped: Path) -> None:
    """Text, and tensors behind a header of JSON."""
    for path in stopped.iterdir():
        data = path.read_bytes()
        text = data if path.suffix in (".json", ".jsonl") else data[8:9]
        assert text[:1] == b"{"
