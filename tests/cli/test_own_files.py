"""A user's own CSV files, from training to prediction."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NODES, COLUMNS = 40, ("height", "width", "age")


def write(path: Path, header: Sequence[str], rows: Any) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two communities in edges.csv, features.csv and labels.csv."""
    rng = np.random.default_rng(37)
    ends = rng.integers(NODES // 2, size=(160, 2)) + NODES // 2 * rng.integers(2, size=(160, 1))
    write(tmp_path / "edges.csv", ["source", "target"], ends.tolist())
    x = (rng.normal(size=(NODES, 3)) + (np.arange(NODES) >= NODES // 2)[:, None] * 2).round(4)
    rows = [[node, *x[node]] for node in range(NODES)]
    write(tmp_path / "features.csv", ["node", *COLUMNS], rows)
    turned = [[row[3], row[1], row[0], row[2]] for row in reversed(rows)]
    write(tmp_path / "turned.csv", ["age", "height", "node", "width"], turned)
    write(tmp_path / "fewer.csv", ["node", "height", "width"], [row[:3] for row in rows])
    write(tmp_path / "more.csv", ["node", *COLUMNS, "iq"], [[*row, 1.0] for row in rows])
    label = ["cat" if node < NODES // 2 else "dog" for node in range(NODES)]
    write(tmp_path / "labels.csv", ["node", "label"], list(enumerate(label))[:-4])
    return tmp_path


@pytest.fixture
def trained(folder: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run on the files, given by their names in the folder."""
    monkeypatch.chdir(folder)
    return cli(
        "train", "edges.csv", "--features", "features.csv", "--labels", "labels.csv",
        "--epochs", "4", "--out", "run", "--shares", "50/25/25",
    )  # fmt: skip


def read(path: Path) -> dict[str, list[str]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_what_was_read_is_said(trained: Any) -> None:
    assert trained.code == 0
    first, second = trained.err.splitlines()
    assert first.startswith("fastgat: edges edges.csv: columns 'source' and 'target'")
    assert "features features.csv by column 'node', 3 columns" in second
    assert "36 of 40 nodes in 2 classes (cat: 20, dog: 16)" in second
    assert "split 50/25/25 at random, by class: train 18 / validation 9 / test 9 nodes" in second


def test_predictions_tell_truth_part_and_confidence(
    trained: Any, folder: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    ended = cli("predict", folder / "run", "--out", "p.csv")
    assert (ended.code, ended.err) == (0, "")
    table = read(folder / "elsewhere" / "p.csv")
    assert table["true class"] == ["cat"] * 20 + ["dog"] * 16 + [""] * 4
    assert sorted(set(table["split"])) == ["", "test", "train", "validation"]
    for row in range(NODES):
        both = [float(table[f"probability of {name}"][row]) for name in ("cat", "dog")]
        assert float(table["confidence"][row]) == max(both)
        assert table["class"][row] == ("cat", "dog")[both.index(max(both))]


def test_features_are_found_by_name(trained: Any, folder: Path, cli: Callable[..., Any]) -> None:
    on = ("--on", folder / "edges.csv", "--features")
    cli("predict", folder / "run", "--out", folder / "a.csv", *on, folder / "features.csv")
    ended = cli("predict", folder / "run", "--out", folder / "b.csv", *on, folder / "turned.csv")
    assert ended.code == 0
    assert read(folder / "a.csv") == read(folder / "b.csv")


@pytest.mark.parametrize(
    ("file", "said"), [("fewer.csv", "it lacks 'age'"), ("more.csv", "it has 'iq' besides")]
)
def test_other_features_are_refused(
    file: str, said: str, trained: Any, folder: Path, cli: Callable[..., Any]
) -> None:
    ended = cli(
        "predict", folder / "run", "--out", folder / "p.csv",
        "--on", folder / "edges.csv", "--features", folder / file,
    )  # fmt: skip
    assert ended.code == 2
    assert said in ended.err
    assert not (folder / "p.csv").exists()


def _other_edges(folder: Path) -> None:
    write(folder / "edges.csv", ["source", "target"], [[n, n + 1] for n in range(NODES - 1)])


def _shifted_features(folder: Path) -> None:
    table = read(folder / "features.csv")
    shifted = [[float(x) + 1 for x in table[name]] for name in COLUMNS]
    write(folder / "features.csv", ["node", *COLUMNS], zip(table["node"], *shifted, strict=True))


def _renamed_class(folder: Path) -> None:
    file = folder / "labels.csv"
    file.write_text(file.read_text().replace("cat", "cow"))


def _third_class(folder: Path) -> None:
    with (folder / "labels.csv").open("a") as file:
        file.write(f"{NODES - 1},eel\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_other_edges, "the graph has changed"),
        (_shifted_features, "the features have changed"),
        (_renamed_class, "the labels have changed"),
        (_third_class, "the labels and the split have changed"),
    ],
)
def test_files_that_have_changed_are_refused(
    change: Callable[[Path], None],
    said: str,
    trained: Any,
    folder: Path,
    cli: Callable[..., Any],
) -> None:
    change(folder)
    ended = cli("predict", "run", "--out", "p.csv")
    assert ended.code == 2
    assert ended.err == (
        f"fastgat: {said} since the run in run was trained; train again, or predict for the files "
        "as they are with --on\n"
    )
    assert not (folder / "p.csv").exists()
    on = ("--on", "edges.csv", "--features", "features.csv")
    assert cli("predict", "run", "--out", "p.csv", *on).code == 0


def test_columns_may_change_their_order(
    trained: Any, folder: Path, cli: Callable[..., Any]
) -> None:
    assert cli("predict", "run", "--out", "a.csv").code == 0
    (folder / "turned.csv").replace(folder / "features.csv")
    assert cli("predict", "run", "--out", "b.csv").code == 0
    assert read(folder / "a.csv") == read(folder / "b.csv")


@pytest.mark.parametrize("option", ["--out", "--attention"])
@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("edges.csv", "edges.csv is the graph of the run"),
        ("features.csv", "features.csv is the file of the run's features"),
        ("link.csv", "link.csv is the file of the run's labels"),
        ("other.csv", "other.csv is the graph itself"),
        ("turned.csv", "turned.csv is the file of features"),
    ],
)
def test_no_input_is_written_over(
    file: str, said: str, option: str, trained: Any, folder: Path, cli: Callable[..., Any]
) -> None:
    (folder / "link.csv").symlink_to(folder / "labels.csv")
    (folder / "other.csv").write_bytes((folder / "edges.csv").read_bytes())
    before = {path: path.read_bytes() for path in folder.glob("*.csv")}
    others = () if option == "--out" else ("--out", "p.csv")
    on = ("--on", "other.csv", "--features", "turned.csv")
    ended = cli("predict", "run", option, file, *others, *on)
    assert ended.code == 2
    assert ended.err == f"fastgat: {said}; write to another file\n"
    assert {path: path.read_bytes() for path in folder.glob("*.csv")} == before


@pytest.mark.parametrize("other", ["p.csv", "./p.csv", "run/../p.csv"])
def test_two_tables_need_two_files(
    other: str, trained: Any, folder: Path, cli: Callable[..., Any]
) -> None:
    ended = cli("predict", "run", "--out", "p.csv", "--attention", other)
    assert ended.code == 2
    assert ended.err == (
        "fastgat: --out and --attention both name p.csv; give each a file of its own\n"
    )
    assert not (folder / "p.csv").exists()
