"""The folder of a run: which entry of two configs differs first, and what is not finished."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgat import InputError, TrainConfig, fit, load_dataset
from fastgat.nn import FastGAT
from fastgat.train import RunFolder
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
