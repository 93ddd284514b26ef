"""Files in which a column means something that its name does not say: told apart, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastgat import InputError
from fastgat.data import read_task
from fastgat.data.classes import encode_labels
from task_files import NODES, SHUFFLED, X, Y, check, clean, edges, features, put, text

SPLIT = ["train", "valid", "test"] * (NODES // 3)


def read(folder: Path, **files: str) -> Any:
    """The task of clean files, but for those given as text."""
    given = {name: put(folder / f"{name}.csv", content) for name, content in files.items()}
    return read_task(**(clean(folder) | given))


@pytest.mark.parametrize("name", ["Node ID", "node id", "node.id", "nodes", "vertex", "NID"])
def test_other_names_for_nodes(tmp_path: Path, name: str) -> None:
    rows = text(features(SHUFFLED, **{name: SHUFFLED}))
    check(read(tmp_path, features=rows, labels=text({name: SHUFFLED, "label": Y[SHUFFLED]})))


@pytest.mark.parametrize("name", ["user_id", "index", "idx", "name", "key", "Knoten", "paperId"])
def test_a_column_that_may_name_nodes_is_asked_for(tmp_path: Path, name: str) -> None:
    given = {
        "features": text(features(SHUFFLED, **{name: SHUFFLED})),
        "labels": text({name: SHUFFLED, "label": Y[SHUFFLED]}),
    }
    for one in given:
        with pytest.raises(InputError, match=f"column '{name}' is different in every row"):
            read(tmp_path, **{one: given[one]})
    files = {one: put(tmp_path / f"{one}.csv", given[one]) for one in given}
    check(read_task(**(clean(tmp_path) | files), node_column=name))
    by_row = read_task(**(clean(tmp_path) | {"features": files["features"]}), node_column="")
    assert by_row.num_features == 5  # a feature, if the user says so


def test_a_column_that_only_counts_rows_is_no_feature(tmp_path: Path) -> None:
    check(read(tmp_path, features=text(features(customer=range(NODES)))))


def with_metadata(path: Path, columns: dict[str, Any], index: Any) -> Path:
    """A Parquet file as pandas writes it."""
    table = pa.table(columns)
    facts = {b"pandas": json.dumps({"index_columns": [index], "columns": []}).encode()}
    pq.write_table(table.replace_schema_metadata(facts), path)
    return path


def test_the_index_of_pandas_says_whose_row_it_is(tmp_path: Path) -> None:
    columns = {f"f{c}": X[SHUFFLED, c] for c in range(4)} | {"user": SHUFFLED}
    named = with_metadata(tmp_path / "x.parquet", columns, "user")
    check(read_task(**(clean(tmp_path) | {"features": named})))
    backwards = {"kind": "range", "name": None, "start": NODES - 1, "stop": -1, "step": -1}
    reverse = with_metadata(tmp_path / "r.parquet", {"label": Y[::-1].copy()}, backwards)
    check(read_task(**(clean(tmp_path) | {"labels": reverse})))
    some = {"kind": "range", "name": None, "start": 8, "stop": 20, "step": 1}
    part = with_metadata(tmp_path / "p.parquet", {"label": Y[8:20]}, some)
    found = read_task(**(clean(tmp_path) | {"labels": part})).labels
    np.testing.assert_array_equal(found[8:20], Y[8:20])
    assert (found[:8] == -1).all() and (found[20:] == -1).all()


def test_one_table_of_features_and_labels(tmp_path: Path) -> None:
    table = features(node=range(NODES)) | {"label": Y, "split": SPLIT}
    file = put(tmp_path / "all.csv", text(table))
    task = read_task(**(clean(tmp_path) | {"features": file, "labels": file}))
    check(task)
    assert task.split is not None and task.split.train.sum() == NODES // 3


def test_what_is_to_be_learnt_is_no_feature(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has the column 'label' that is to be learnt"):
        read(tmp_path, features=text(features() | {"label": Y}), labels=text({"label": Y}))


@pytest.mark.parametrize("form", ["{:03d}", "{}E1", "0x{}", "1.{:03d}", "10:{}"])
def test_names_that_look_like_numbers(tmp_path: Path, form: str) -> None:
    name = [form.format(k) for k in range(NODES)]
    source, target = (np.array(name)[edges()[end]] for end in ("source", "target"))
    task = read_task(
        put(tmp_path / "e.csv", text({"source": source, "target": target})),
        put(tmp_path / "x.csv", text(features(node=name))),
        put(tmp_path / "y.csv", text({"node": name, "label": Y})),
        names=True,
    )
    assert task.graph.names is not None
    place = [task.graph.names.tolist().index(each) for each in name]
    np.testing.assert_array_equal(task.labels[place], Y)
    np.testing.assert_array_equal(task.features[place], X)


@pytest.mark.parametrize("column", ["set", "subset", "partition", "fold"])
def test_other_names_for_the_split(tmp_path: Path, column: str) -> None:
    table = {"node": range(NODES), "label": Y, column: SPLIT}
    told: list[str] = []
    labels = put(tmp_path / "labels.csv", text(table))
    split = read_task(**(clean(tmp_path) | {"labels": labels}), say=told.append).split
    assert split is not None
    np.testing.assert_array_equal(np.flatnonzero(split.test), np.arange(2, NODES, 3))
    assert f"split by column {column!r}" in told[1]


def test_columns_left_out_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    table = text({"node": range(NODES), "label": Y, "fold": Y, "age": [30] * NODES})
    files = clean(tmp_path) | {"labels": put(tmp_path / "y.csv", table)}
    read_task(**files, say=told.append)
    assert "'fold', 'age' left out" in told[1]


def test_masks_as_columns_are_refused(tmp_path: Path) -> None:
    table = text({"node": range(NODES), "label": Y, "train_mask": Y == 0})
    with pytest.raises(InputError, match="'train_mask' say what nodes are for"):
        read(tmp_path, labels=table)


def test_masks_do_not_go_with_names(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "m.npz",
        **{f"{part}_mask": k == Y for k, part in enumerate(["train", "val", "test"])},
    )
    name = [f"n{k}" for k in range(NODES)]
    source, target = (np.array(name)[edges()[end]] for end in ("source", "target"))
    with pytest.raises(InputError, match="goes by the order of nodes, but nodes have names"):
        read_task(
            put(tmp_path / "e.csv", text({"source": source, "target": target})),
            put(tmp_path / "x.csv", text(features(node=name))),
            put(tmp_path / "y.csv", text({"node": name, "label": Y})),
            names=True,
            split=tmp_path / "m.npz",
        )
    with pytest.raises(InputError, match=r"must be an \.npz file of masks"):
        read_task(**clean(tmp_path), split=put(tmp_path / "s.csv", "train\n"))


@pytest.mark.parametrize(
    ("labels", "classes", "names"),
    [
        (["01", "1", "2"], [0, 1, 2], ("01", "1", "2")),
        (["1.0", "0", "NA"], [1, 0, -1], None),
        (["10", "9", "-1"], [1, 0, -1], ("9", "10")),
        ([str(2**53), str(2**53 + 1), "7"], [1, 2, 0], ("7", str(2**53), str(2**53 + 1))),
    ],
)
def test_classes_are_what_is_written(
    labels: list[str], classes: list[int], names: tuple[str, ...] | None
) -> None:
    found, told = encode_labels(pa.chunked_array([pa.array(labels)]))
    assert found.tolist() == classes and told == names


@pytest.mark.parametrize("labels", [["inf", "1"], ["0.5", "1"], ["1e1", "10"], ["0,5", "1"]])
def test_quantities_are_no_classes(labels: list[str]) -> None:
    with pytest.raises(InputError, match="is not a class: classes are whole numbers or text"):
        encode_labels(pa.chunked_array([pa.array(labels)]))


@pytest.mark.parametrize("labels", [np.array([-3, 1, 2]), np.array([-3.0, 1, 2])])
def test_negative_numbers_are_no_classes(labels: np.ndarray) -> None:
    with pytest.raises(InputError, match="label -3 is negative; -1 stands for no label"):
        encode_labels(labels)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"features": text(features([*range(NODES), 0], node=[*range(NODES), 10**9]))},
            "has no row for node 24, but one for node 1000000000",
        ),
        (
            {"labels": text({"node": [*range(NODES), 305], "label": [*Y, 0]})},
            f"labels.csv names node 305, but .* has features for {NODES} nodes",
        ),
        ({"labels": "node,label\n"}, "there is no label"),
        (
            {"labels": text({"node": range(NODES), "a": [None, *Y[1:] % 2], "b": Y % 2})},
            "column 'a' has an empty cell in row 0: of several labels per node",
        ),
    ],
)
def test_the_file_at_fault_is_named(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, **files)


def test_nodes_of_unsigned_numbers(tmp_path: Path) -> None:
    path = tmp_path / "y.parquet"
    pq.write_table(pa.table({"node": SHUFFLED.astype(np.uint64), "label": Y[SHUFFLED]}), path)
    check(read_task(**(clean(tmp_path) | {"labels": path})))


def test_another_encoding_is_told(tmp_path: Path) -> None:
    latin = put(tmp_path / "latin.csv", text(features(é=range(NODES))), encoding="latin-1")
    with pytest.raises(InputError, match="it is not UTF-8: save it as UTF-8"):
        read_task(**(clean(tmp_path) | {"features": latin}))
    path = put(tmp_path / "wide.csv", "\ufeff" + text(features()), encoding="utf-16-le")
    with pytest.raises(InputError, match="it is UTF-16: save it as UTF-8"):
        read_task(**(clean(tmp_path) | {"features": path}))


def test_nodes_that_begin_with_0_are_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="node '05' begins with 0, so nodes seem to have names"):
        read(tmp_path, edges="source,target\n1,2\n05,5\n")
