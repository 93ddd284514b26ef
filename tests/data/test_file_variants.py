"""Files as pandas, R and people write them: the same task, or a refusal that names the cure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

from fastgat import InputError
from fastgat.data import read_task
from task_files import (
    NODES,
    PAIRS,
    SHUFFLED,
    SOURCE,
    TARGET,
    WEIGHT,
    X,
    Y,
    check,
    clean,
    edges,
    features,
    put,
    text,
)

R_NAMES = [f'"{k + 1}"' for k in range(len(PAIRS))]
ONE_BASED = {"source": [u + 1 for u in SOURCE], "target": [v + 1 for v in TARGET]}
EDGES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "source, target": ("e.csv", text(edges()), {}),
    "src, dst": ("e.tsv", text({"src": SOURCE, "dst": TARGET}, "\t"), {}),
    "from, to": ("e.csv", text({"from": SOURCE, "to": TARGET}), {}),
    "u v": ("e.txt", text({"u": SOURCE, "v": TARGET}, " "), {}),
    "upper case": ("e.csv", text({"Source": SOURCE, "Target": TARGET}), {}),
    "source_id": ("e.csv", text({"source_id": SOURCE, "target_id": TARGET}), {}),
    "snap": ("e.txt", text(edges(), "\t", header=False, before="# FromNodeId\tToNodeId\n"), {}),
    "no header": ("e.csv", text(edges(), header=False), {}),
    "no last line end": ("e.csv", text(edges()).rstrip("\n"), {}),
    "semicolons": ("e.csv", text(edges(), ";"), {}),
    "quotes": ("e.csv", text(edges(), header=['"source"', '"target"']), {}),
    "windows": ("e.csv", "\ufeff" + text(edges(), end="\r\n"), {}),
    "gzip": ("e.csv.gz", text(edges()), {}),
    "target first": ("e.csv", text({"target": TARGET, "source": SOURCE}), {}),
    "both directions": (
        "e.csv", text({"source": SOURCE + TARGET, "target": TARGET + SOURCE}), {},
    ),
    "repeats": ("e.csv", text({"source": SOURCE * 2, "target": TARGET * 2}), {}),
    "pandas index": ("e.csv", text({"": range(len(PAIRS)), **edges()}), {}),
    "pandas index, twice": (
        "e.csv", text({"": range(len(PAIRS)), "Unnamed: 0": range(len(PAIRS)), **edges()}), {},
    ),
    "r, write.csv": ("e.csv", text({'""': R_NAMES, **edges()}), {}),
    "r, write.table": (
        "e.txt",
        text({"r": R_NAMES, **edges()}, " ", ['"source"', '"target"']),
        {},
    ),
    "a time beside": ("e.csv", text(edges(timestamp=range(len(PAIRS)))), {}),
    "a time and a kind": ("e.csv", text({"kind": ["a"] * len(PAIRS), **edges(time=WEIGHT)}), {}),
    "other names": ("e.csv", text({"citing": SOURCE, "cited": TARGET}), {}),
    "chosen by name": (
        "e.csv",
        text({"year": [2019] * len(PAIRS), "citing": SOURCE, "cited": TARGET}),
        {"source_column": "citing", "target_column": "cited"},
    ),
    "chosen by number": (
        "e.csv",
        text({"k": range(len(PAIRS)), **edges(z=WEIGHT)}, header=False),
        {"source_column": 1, "target_column": "2"},
    ),
    "header said": ("e.csv", text(edges(), header=["0", "1"]), {"header": True}),
}  # fmt: skip
WEIGHTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "weight": ("e.csv", text(edges(weight=WEIGHT)), {}),
    "weight first": ("e.csv", text({"weight": WEIGHT, "target": TARGET, "source": SOURCE}), {}),
    "weight, index": ("e.csv", text({"": range(len(PAIRS)), **edges(weight=WEIGHT)}), {}),
    "weight, no header": ("e.csv", text(edges(weight=WEIGHT), header=False), {}),
    "weight by spaces": ("e.txt", text(edges(weight=WEIGHT), " ", header=False), {}),
    "weight, other names": ("e.csv", text({"a": SOURCE, "b": TARGET, "Weight": WEIGHT}), {}),
    "weight chosen": ("e.csv", text(edges(km=WEIGHT)), {"weight_column": "km"}),
}
REFUSED_EDGES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "a year": (
        "e.csv", text({"a": SOURCE, "b": TARGET, "year": SOURCE}), {}, "2: 'year'.*--source-column",
    ),
    "index and other names": (
        "e.csv", text({"": range(len(PAIRS)), "a": SOURCE, "b": TARGET}), {}, "an index",
    ),
    "four columns": (
        "e.csv", text(edges(a=WEIGHT, b=WEIGHT), header=False), {}, "4 columns without a header",
    ),
    "an index without header": (
        "e.csv", text({"k": range(len(PAIRS)), **edges()}, header=False), {}, "counts the rows",
    ),
    "times without header": (
        "e.txt", text(edges(t=[1_400_000_000 + k for k in SOURCE]), " ", False), {}, "like times",
    ),
    "half a choice": ("e.csv", text(edges()), {"source_column": "source"}, "go together"),
    "no such column": (
        "e.csv", text(edges()), {"source_column": "x", "target_column": "target"}, "'x' is not",
    ),
    "from 1": ("e.csv", text(ONE_BASED), {}, "numbered from 1"),
    "one column": ("e.csv", text({"source": SOURCE}), {}, "cannot be told|column"),
}  # fmt: skip


@pytest.mark.parametrize("variant", EDGES)
def test_edges(tmp_path: Path, variant: str) -> None:
    name, content, options = EDGES[variant]
    files = clean(tmp_path) | {"edges": put(tmp_path / name, content)}
    check(read_task(**files, **options))


@pytest.mark.parametrize("variant", WEIGHTED)
def test_weighted_edges(tmp_path: Path, variant: str) -> None:
    name, content, options = WEIGHTED[variant]
    files = clean(tmp_path) | {"edges": put(tmp_path / name, content)}
    check(read_task(**files, **options), weighted=True)


@pytest.mark.parametrize("variant", REFUSED_EDGES)
def test_refused_edges(tmp_path: Path, variant: str) -> None:
    name, content, options, message = REFUSED_EDGES[variant]
    files = clean(tmp_path) | {"edges": put(tmp_path / name, content)}
    with pytest.raises(InputError, match=message):
        read_task(**files, **options)


def number(value: str) -> str:
    return value.replace(".", ",")


def by_node(sep: str = ",", **options: Any) -> str:
    return text(features(SHUFFLED, node=SHUFFLED.tolist()), sep, **options)


FEATURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "by row": ("x.csv", text(features()), {}),
    "node, shuffled": ("x.csv", by_node(), {}),
    "id": ("x.csv", text(features(SHUFFLED, id=SHUFFLED.tolist())), {}),
    "node last": ("x.csv", text({**features(SHUFFLED), "node_id": SHUFFLED.tolist()}), {}),
    "node of floats": ("x.csv", text(features(SHUFFLED, node=[f"{k}.0" for k in SHUFFLED])), {}),
    "pandas index, shuffled": ("x.csv", text(features(SHUFFLED, **{"": SHUFFLED.tolist()})), {}),
    "pandas index": ("x.csv", text(features(**{"Unnamed: 0": range(NODES)})), {}),
    "pandas numbers columns": ("x.csv", text(features(), header=["0", "1", "2", "3"]), {}),
    "pandas index and numbers": (
        "x.csv", text(features(**{"": range(NODES)}), header=["", "0", "1", "2", "3"]), {},
    ),
    "index and node": (
        "x.csv", text(features(SHUFFLED, **{"": range(NODES), "node": SHUFFLED.tolist()})), {},
    ),
    "a column index": ("x.csv", text(features(index=range(NODES))), {}),
    "no header": ("x.csv", text(features(), header=False), {}),
    "tabs": ("x.tsv", by_node("\t"), {}),
    "semicolons": ("x.csv", by_node(";"), {}),
    "decimal commas": ("x.csv", number(by_node(";")), {}),
    "decimal commas, no header": ("x.csv", number(text(features(), ";", header=False)), {}),
    "spaces": ("x.txt", text(features(), " ", header=False), {}),
    "savetxt": ("x.txt", text(features(), " ", header=False, before="# f0 f1 f2 f3\n"), {}),
    "gzip": ("x.csv.gz", by_node(), {}),
    "windows": ("x.csv", "\ufeff" + by_node(end="\r\n"), {}),
    "quotes": ("x.csv", by_node(header=['"node"', '"f0"', '"f1"', '"f2"', '"f3"']), {}),
    "chosen node": (
        "x.csv", text(features(SHUFFLED, who=SHUFFLED.tolist())), {"node_column": "who"},
    ),
    "header said": (
        "x.csv", text(features(), header=["1.5", "2", "3", "4"]), {"features_header": True},
    ),
}  # fmt: skip
REFUSED_FEATURES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "row names from 1": (
        "x.csv", text(features(**{"": range(1, NODES + 1)})), {}, "no row for node 0",
    ),
    "two names of nodes": (
        "x.csv", text(features(node=range(NODES), id=range(NODES))), {}, "--node-column",
    ),
    "text": ("x.csv", text(features(town=["Ulm"] * NODES)), {}, "'town' holds 'Ulm' in row 0"),
    "a gap": (
        "x.csv", text(features()).replace(f"{X[5, 2]:.3f}", "", 1), {}, "row 5, column 'f2'.*fill",
    ),
    "a row too few": (
        "x.csv", text(features(range(NODES - 1), node=range(NODES - 1))), {}, "no row for node 23",
    ),
    "a node twice": (
        "x.csv", text(features(node=[0, *range(NODES - 1)])), {}, "two rows for node 0",
    ),
    "numbers as header": (
        "x.csv", text(features(), header=["1.5", "2", "3", "4"]), {}, "--features-header",
    ),
    "names": ("x.csv", text(features(node=[f"n{k}" for k in range(NODES)])), {}, "--names"),
    "two equal columns": ("x.csv", text(features(), header=["a", "a", "b", "c"]), {}, "called 'a'"),
    "other suffix": ("x.xlsx", text(features()), {}, ".parquet"),
}  # fmt: skip


@pytest.mark.parametrize("variant", FEATURES)
def test_features(tmp_path: Path, variant: str) -> None:
    name, content, options = FEATURES[variant]
    files = clean(tmp_path) | {"features": put(tmp_path / name, content)}
    if "node_column" in options:
        labels = text({options["node_column"]: range(NODES), "label": Y})
        files["labels"] = put(tmp_path / "y.csv", labels)
    check(read_task(**files, **options))


@pytest.mark.parametrize("variant", REFUSED_FEATURES)
def test_refused_features(tmp_path: Path, variant: str) -> None:
    name, content, options, message = REFUSED_FEATURES[variant]
    files = clean(tmp_path) | {"features": put(tmp_path / name, content)}
    with pytest.raises(InputError, match=message):
        read_task(**files, **options)


def save_parquet(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


ARRAYS: dict[str, Callable[[Path], dict[str, Path]]] = {
    "npy": lambda folder: {"features": save(np.save, folder / "x.npy", X)},
    "npz": lambda folder: {"features": save(np.savez, folder / "x.npz", x=X)},
    "csr": lambda folder: {"features": save(save_csr, folder / "x.npz")},
    "labels npy": lambda folder: {"labels": save(np.save, folder / "y.npy", Y)},
    "labels of floats": lambda folder: {"labels": save(np.save, folder / "y.npy", Y.astype(float))},
    "parquet": lambda folder: {
        "edges": save_parquet(folder / "e.parquet", edges()),
        "features": save_parquet(
            folder / "x.parquet",
            {"node": SHUFFLED, **{f"f{c}": X[SHUFFLED, c] for c in range(4)}},
        ),
        "labels": save_parquet(folder / "y.parquet", {"node": SHUFFLED, "label": Y[SHUFFLED]}),
    },
    "parquet with pandas' index": lambda folder: {
        "edges": save_parquet(
            folder / "e.parquet", edges(__index_level_0__=list(range(len(PAIRS))))
        ),
        "features": save_parquet(
            folder / "x.parquet",
            {**{f"f{c}": X[SHUFFLED, c] for c in range(4)}, "__index_level_0__": SHUFFLED},
        ),
    },
    "parquet with an id": lambda folder: {
        "edges": save_parquet(folder / "e.parquet", {"id": list(range(len(PAIRS))), **edges()}),
    },
}


def save(write: Callable[..., None], path: Path, *arrays: Any, **named: Any) -> Path:
    write(path, *arrays, **named)
    return path


def save_csr(path: Path) -> None:
    scipy.sparse.save_npz(path, scipy.sparse.csr_array(X))


@pytest.mark.parametrize("variant", ARRAYS)
def test_arrays_and_parquet(tmp_path: Path, variant: str) -> None:
    check(read_task(**(clean(tmp_path) | ARRAYS[variant](tmp_path))))


WORDS = ["ant", "bee", "cat"]
LABELS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...] | None]] = {
    "by row": ("y.csv", text({"label": Y}), {}, None),
    "words": ("y.csv", text({"label": [WORDS[k] for k in Y]}), {}, ("ant", "bee", "cat")),
    "words, no header": (
        "y.csv", text({"label": [WORDS[k] for k in Y]}, header=False), {}, ("ant", "bee", "cat"),
    ),
    "numbers, no header": ("y.csv", text({"label": Y}, header=False), {}, None),
    "floats": ("y.csv", text({"label": [f"{k}.0" for k in Y]}), {}, None),
    "large numbers": (
        "y.csv", text({"label": [(10, 500, 9**9)[k] for k in Y]}), {}, ("10", "500", "387420489"),
    ),
    "from 1": ("y.csv", text({"label": Y + 1}), {}, ("1", "2", "3")),
    "class": ("y.csv", text({"node": SHUFFLED, "class": Y[SHUFFLED]}), {}, None),
    "y": ("y.tsv", text({"id": SHUFFLED, "y": Y[SHUFFLED]}, "\t"), {}, None),
    "any name": ("y.csv", text({"node": SHUFFLED, "topic": Y[SHUFFLED]}), {}, None),
    "index": ("y.csv", text({"": SHUFFLED, "label": Y[SHUFFLED]}), {}, None),
    "semicolons": ("y.csv", text({"node": SHUFFLED, "label": Y[SHUFFLED]}, ";"), {}, None),
    "gzip": ("y.csv.gz", text({"node": SHUFFLED, "label": Y[SHUFFLED]}), {}, None),
    "chosen": (
        "y.csv",
        text({"node": SHUFFLED, "age": SHUFFLED, "topic": Y[SHUFFLED]}),
        {"label_column": "topic"},
        None,
    ),
    "spaces in words": (
        "y.csv", text({"label": [f"kind {k}" for k in Y]}), {}, ("kind 0", "kind 1", "kind 2"),
    ),
}  # fmt: skip
REFUSED_LABELS: dict[str, tuple[str, dict[str, Any], str]] = {
    "several columns": (text({"age": SHUFFLED, "town": SHUFFLED}), {}, "--label-column"),
    "two labels": (text({"label": Y, "class": Y}), {}, "--label-column"),
    "quantities": (text({"label": [k + 0.5 for k in Y]}), {}, "0.5 is not a class"),
    "one class": (text({"label": [1] * NODES}), {}, "one class alone"),
    "nothing": (text({"node": range(NODES), "label": [""] * NODES}), {}, "no label"),
    "fewer rows": (text({"label": Y[:-2]}), {}, "rows|row"),
    "negative": (text({"label": [-2, *Y[1:]]}), {}, "negative"),
    "a word for a part": (
        text({"label": Y, "split": ["train"] * 23 + ["exam"]}), {}, "train, validation or test",
    ),
}  # fmt: skip


@pytest.mark.parametrize("variant", LABELS)
def test_labels(tmp_path: Path, variant: str) -> None:
    name, content, options, names = LABELS[variant]
    files = clean(tmp_path) | {"labels": put(tmp_path / name, content)}
    task = read_task(**files, **options)
    check(task)
    assert (task.num_classes, task.class_names) == (3, names)


@pytest.mark.parametrize("missing", ["", "NA", "nan", "None", "-1"])
@pytest.mark.parametrize("kind", ["numbers", "floats", "words"])
def test_missing_labels(tmp_path: Path, missing: str, kind: str) -> None:
    if kind == "words" and missing == "-1":
        pytest.skip("a word like any other")
    shown = {"numbers": Y, "floats": [f"{k}.0" for k in Y], "words": [WORDS[k] for k in Y]}[kind]
    cells = [missing if k in (3, 8) else value for k, value in enumerate(shown)]
    table = text({"node": range(NODES), "label": cells})
    files = clean(tmp_path) | {"labels": put(tmp_path / "y.csv", table)}
    task = read_task(**files)
    check(task, labels=[-1 if k in (3, 8) else int(Y[k]) for k in range(NODES)])
    assert task.num_classes == 3


@pytest.mark.parametrize("variant", REFUSED_LABELS)
def test_refused_labels(tmp_path: Path, variant: str) -> None:
    content, options, message = REFUSED_LABELS[variant]
    files = clean(tmp_path) | {"labels": put(tmp_path / "y.csv", content)}
    if variant == "fewer rows":
        files["features"] = put(tmp_path / "x.csv", text(features()))
    with pytest.raises(InputError, match=message):
        read_task(**files, **options)


def test_names_match_in_any_order(tmp_path: Path) -> None:
    """Ids from 1, as text: with names=True everything goes by what the files say."""
    name = [str(k) for k in range(NODES)]
    rows = SHUFFLED.tolist()
    files = {
        "edges": put(tmp_path / "e.csv", text({"source": SOURCE[::-1], "target": TARGET[::-1]})),
        "features": put(tmp_path / "x.csv", text(features(rows, node=[name[k] for k in rows]))),
        "labels": put(tmp_path / "y.csv", text({"node": name, "label": Y})),
    }
    check(read_task(**files, names=True))


def test_truth_values_are_classes(tmp_path: Path) -> None:
    table = text({"label": ["True" if k else "False" for k in Y]})
    files = clean(tmp_path) | {"labels": put(tmp_path / "y.csv", table)}
    task = read_task(**files)
    assert task.class_names == ("False", "True")
    assert task.labels.tolist() == [int(k > 0) for k in Y]


def test_what_was_read_is_said_in_two_sentences(tmp_path: Path) -> None:
    told: list[str] = []
    files = clean(tmp_path) | {
        "edges": put(tmp_path / "e.csv", text(edges(time=SOURCE))),
        "labels": put(
            tmp_path / "y.csv", text({"node": range(NODES), "label": [WORDS[k] for k in Y]})
        ),
    }
    read_task(**files, say=told.append)
    first, second = told
    assert "columns 'source' and 'target', without weights; left out: 'time' (with header)" in first
    assert f"{len(PAIRS)} edges, {NODES} nodes" in first
    assert "by column 'node', 4 columns" in second
    assert "24 of 24 nodes in 3 classes (ant: 8, bee: 8, cat: 8)" in second
    assert "split 60/20/20 at random, by class" in second


def test_a_column_of_parts_is_the_split(tmp_path: Path) -> None:
    parts = ["train", "val", "test", "Train", "valid", "none"] * 4
    table = text({"node": range(NODES), "label": Y, "split": parts})
    files = clean(tmp_path) | {"labels": put(tmp_path / "y.csv", table)}
    split = read_task(**files).split
    assert split is not None
    assert [int(mask.sum()) for mask in split.masks().values()] == [8, 8, 4]
    assert split.train[[0, 3]].all()


def test_masks_are_the_split(tmp_path: Path) -> None:
    part = np.arange(NODES) % 3
    masks = {name: part == k for k, name in enumerate(("train_mask", "val_mask", "test_mask"))}
    np.savez(tmp_path / "m.npz", **masks)
    split = read_task(**clean(tmp_path), split=tmp_path / "m.npz").split
    assert split is not None
    assert np.array_equal(split.validation, part == 1)
    np.savez(tmp_path / "m.npz", train_mask=masks["train_mask"])
    with pytest.raises(InputError, match="needs val_mask for validation"):
        read_task(**clean(tmp_path), split=tmp_path / "m.npz")


def test_shares_are_kept_class_by_class(tmp_path: Path) -> None:
    split = read_task(**clean(tmp_path), shares=(0.5, 0.25, 0.25)).split
    assert split is not None
    for mask, count in zip(split.masks().values(), (4, 2, 2), strict=True):
        assert np.bincount(Y[mask], minlength=3).tolist() == [count] * 3
