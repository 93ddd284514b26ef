"""RunRecord: written whole, read back equal, refused in one sentence if it is something else;
and what it says of the task and the machine."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from fastgat import Graph, InputError
from fastgat.data import NodeTask, Split
from fastgat.train import Epoch, RunRecord
from fastgat.train.record import (
    describe_change,
    describe_data,
    describe_environment,
    describe_task,
    fingerprint,
)

HISTORY = [
    Epoch(1, 1.5, 0.3, 1.4, 0.25, seconds=0.5, num_edges=10),
    Epoch(2, 1.1, 0.5, 1.2, 0.75, seconds=0.2, num_edges=10),
    Epoch(3, 0.9, 0.6, 1.3, 0.5, seconds=0.1 + 0.2, num_edges=12),
]


@pytest.fixture
def record() -> RunRecord:
    return RunRecord(
        label="FastGAT, full graph",
        task={"name": "toy", "class_names": ["naïve", "<b>"]},
        model={"name": "FastGAT"},
        config={"epochs": 3},
        edges={"trained_on": 10, "before": 20, "draws": None},
        history=HISTORY,
        best_epoch=2,
        stopped="epochs",
        scores={"validation": 0.75},
        seconds={"resistances": 0.25, "forward": 0.5, "inference": 8.0},
        peak_bytes=None,
        resident_bytes_before=3,
        environment={"threads": 1},
    )


def test_round_trip(record: RunRecord, tmp_path: Path) -> None:
    record.write(tmp_path / "record.json")
    assert RunRecord.read(tmp_path / "record.json") == record
    assert RunRecord.read(str(tmp_path)) == record
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_totals_and_medians(record: RunRecord) -> None:
    assert record.total_seconds == 0.75
    assert record.seconds_per_epoch == pytest.approx(0.3)
    two = dataclasses.replace(record, history=HISTORY[:2])
    assert two.seconds_per_epoch == pytest.approx(0.35)  # the mean of the two in the middle
    assert math.isnan(dataclasses.replace(record, history=[]).seconds_per_epoch)


def test_what_json_has_no_word_for_is_null(record: RunRecord, tmp_path: Path) -> None:
    odd = dataclasses.replace(record, pictures={"bounds": (math.inf, [math.nan, 2.0])})
    odd.write(tmp_path / "record.json")
    assert "NaN" not in (tmp_path / "record.json").read_text()
    assert RunRecord.read(tmp_path).pictures == {"bounds": [None, [None, 2.0]]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "record.json is empty"),
        ("{", "record.json is not JSON: "),
        ("\ufeff{}", "record.json is not JSON: "),
        ("[" * 100_000, "record.json is not JSON: "),
        ("[1]", "record.json is not an object in JSON, as fastgat writes it"),
        ("{}", "record.json has format None, but this version of fastgat reads 1; train again"),
        ('{"format": 2}', "record.json has format 2, but this version of fastgat reads 1"),
        ('{"format": 1}', "record.json is not the record of a run: "),
        ('{"format": 1, "history": [{"epoch": 1}]}', "record.json is not the record of a run: "),
        ('{"format": 1, "history": [3]}', "record.json is not the record of a run: "),
        ('{"format": 1, "history": null}', "record.json is not the record of a run: "),
        ('{"format": 1, "history": []}', "record.json is not the record of a run: "),
    ],
)
def test_other_content_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "record.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        RunRecord.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"record.json is not JSON: "):
        RunRecord.read(tmp_path)


def test_no_record(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"record.json does not exist"):
        RunRecord.read(tmp_path)


def test_an_unknown_entry_is_refused(record: RunRecord, tmp_path: Path) -> None:
    facts = {**dataclasses.asdict(record), "colour": 3}
    (tmp_path / "record.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match=r"is not the record of a run: .*colour"):
        RunRecord.read(tmp_path)


@pytest.fixture
def small() -> NodeTask:
    graph = Graph.from_edges([0, 1, 3], [1, 2, 4], num_nodes=5)
    features = np.arange(10, dtype=np.float32).reshape(5, 2)
    split = Split.from_indices(5, [0, 1], [2, 3], [4])
    return NodeTask(
        graph, features, np.array([0, 1, 0, 1, 1]), 2, split, part=np.array([0, 0, 0, 1, 1])
    )


def test_sizes_of_a_task(small: NodeTask) -> None:
    named = dataclasses.replace(small, name="toy", class_names=("a", "b"))
    assert describe_task(named) == {
        "name": "toy",
        "num_nodes": 5,
        "num_edges": 3,
        "num_features": 2,
        "num_classes": 2,
        "class_names": ["a", "b"],
        "feature_names": None,
        "is_multi_label": False,
        "num_graphs": 2,
        "train": 2,
        "validation": 2,
        "test": 1,
    }
    json.dumps(describe_task(named))


def test_an_equal_task_has_the_same_fingerprint(small: NodeTask) -> None:
    twin = dataclasses.replace(small, features=small.features.copy(), labels=small.labels.copy())
    assert fingerprint(twin) == fingerprint(small)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"graph": Graph.from_edges([0, 1, 3], [1, 2, 4], [1.0, 2.0, 1.0], 5)}, "graph"),
        ({"graph": Graph.from_edges([0, 0, 3], [1, 2, 4], num_nodes=5)}, "graph"),
        ({"features": np.arange(10, dtype=np.float32).reshape(5, 2) + 1}, "features"),
        ({"features": scipy.sparse.csr_array(np.arange(10.0).reshape(5, 2))}, "features"),
        ({"labels": np.array([0, 1, 0, 1, 0])}, "labels"),
        ({"split": Split.from_indices(5, [0, 1], [2, 4], [3])}, "split"),
        ({"split": None}, "split"),
        ({"part": np.array([1, 1, 1, 0, 0])}, "graph"),
        ({"part": None}, "graph"),
    ],
    ids=["weight", "graph", "features", "sparse", "labels", "split", "none", "part", "one"],
)
def test_any_change_shows_in_the_fingerprint(small: NodeTask, change: dict, part: str) -> None:
    before, now = fingerprint(small), fingerprint(dataclasses.replace(small, **change))
    assert [name for name in before if before[name] != now[name]] == [part]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"name": "other"}, None),
        ({"split": None}, "the split has changed"),
        ({"class_names": ("a", "c")}, "the labels have changed"),
        ({"feature_names": ("y", "x")}, "the features have changed"),
        ({"split": None, "part": None}, "the graph and the split have changed"),
        (
            {"split": None, "part": None, "features": np.eye(5), "feature_names": None},
            "the graph, the features and the split have changed",
        ),
    ],
)
def test_what_has_changed_is_said(small: NodeTask, change: dict, said: str | None) -> None:
    named = dataclasses.replace(small, class_names=("a", "b"), feature_names=("x", "y"))
    before = json.loads(json.dumps(describe_data(named)))
    now = json.loads(json.dumps(describe_data(dataclasses.replace(named, **change))))
    assert describe_change(before, now) == said


def test_the_machine_is_plain() -> None:
    environment = describe_environment()
    assert environment["threads"] == torch.get_num_threads()
    assert environment["vector_bits"] in (128, 256, 512)
    assert json.loads(json.dumps(environment)) == environment
