"""Files that were once read as something else, without a word."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from fastgat import InputError, read_graph, read_task

EDGES = [(i, (i + 1) % 12) for i in range(12)] + [(i, (i + 5) % 12) for i in range(12)]
FEATURES = np.random.default_rng(3).normal(size=(12, 2)).round(4)
CLASSES = [["red", "blue", "green"][i % 3] for i in range(12)]
ORDER = np.random.default_rng(5).permutation(12)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    edges = "\n".join(f"{i},{j}" for i, j in EDGES)
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}\n")
    rows = "\n".join(f"{i},{a},{b}" for i, (a, b) in enumerate(FEATURES))
    (tmp_path / "features.csv").write_text(f"node,a,b\n{rows}\n")
    labels = "\n".join(f"{i},{name}" for i, name in enumerate(CLASSES))
    (tmp_path / "labels.csv").write_text(f"node,label\n{labels}\n")
    return tmp_path


def read(place: Path, features: str = "features.csv", labels: str = "labels.csv", **options):
    return read_task(
        place / "edges.csv", features=place / features, labels=place / labels, **options
    )


@pytest.mark.parametrize("form", ["{}", "{}.0"], ids=["whole", "decimal"])
def test_numbers_of_nodes_without_a_header_are_asked_for(place: Path, form: str) -> None:
    rows = [f"{form.format(i)},{FEATURES[i, 0]},{FEATURES[i, 1]}" for i in ORDER]
    (place / "f.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(InputError, match="different in every row and may say whose row it is"):
        read(place, "f.csv")
    np.testing.assert_allclose(read(place, "f.csv", node_column=0).features, FEATURES, rtol=1e-6)


def test_a_count_of_rows_without_a_header_is_no_feature(place: Path) -> None:
    rows = [f"{i},{a},{b}" for i, (a, b) in enumerate(FEATURES)]
    (place / "f.csv").write_text("\n".join(rows) + "\n")
    np.testing.assert_allclose(read(place, "f.csv").features, FEATURES, rtol=1e-6)


@pytest.mark.parametrize("names", [",Unnamed: 0", "level_0,index"])
def test_an_index_that_was_saved_twice_is_asked_for(place: Path, names: str) -> None:
    rows = [f"{k},{i},{FEATURES[i, 0]},{FEATURES[i, 1]}" for k, i in enumerate(ORDER)]
    (place / "f.csv").write_text("\n".join([f"{names},a,b", *rows]) + "\n")
    with pytest.raises(InputError, match=r"Unnamed: 0|index"):
        read(place, "f.csv")


@pytest.mark.parametrize("mark", ["#", "%"])
def test_names_may_begin_like_a_remark(tmp_path: Path, mark: str) -> None:
    text = f"# a remark\nsource,target\nu1,{mark}2\n{mark}2,u3\nu3,u1\nu3,u4\n"
    (tmp_path / "e.csv").write_text(text)
    graph = read_graph(tmp_path / "e.csv", names=True)
    assert graph.num_edges == 4
    assert set(graph.names.tolist()) == {"u1", f"{mark}2", "u3", "u4"}


def test_remarks_among_numbers_are_remarks(tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("0 1\n# half of it\n1 2\n")
    assert read_graph(tmp_path / "e.txt").num_edges == 2


def test_labels_that_are_all_different_are_no_classes(place: Path) -> None:
    rows = "\n".join(f'"{i}" "{name}"' for i, name in enumerate(CLASSES))
    (place / "l.txt").write_text(f'"label"\n{rows}\n')
    with pytest.raises(InputError, match="each of the 12 labels is another one"):
        read(place, labels="l.txt")


def test_a_matrix_by_columns_is_refused(place: Path) -> None:
    square = scipy.sparse.random(12, 12, 0.3, random_state=7, format="csc")
    scipy.sparse.save_npz(place / "f.npz", square)
    with pytest.raises(InputError, match="sparse matrix in format 'csc'; save it as scipy's csr"):
        read(place, "f.npz")
    scipy.sparse.save_npz(place / "f.npz", square.tocsr())
    found = read(place, "f.npz").features.toarray()
    np.testing.assert_allclose(found, square.toarray(), rtol=1e-6)


@pytest.mark.parametrize("word", ["-1", "#N/A"])
def test_words_for_no_label_beside_text(place: Path, word: str) -> None:
    rows = "\n".join(f"{i},{word if i < 3 else name}" for i, name in enumerate(CLASSES))
    (place / "l.csv").write_text(f"node,label\n{rows}\n")
    task = read(place, labels="l.csv")
    assert task.class_names == ("blue", "green", "red")
    assert task.labels[:3].tolist() == [-1, -1, -1]


def test_names_that_pandas_gives_columns_are_pointed_out(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "e.csv").write_text("0,1,2\n3,4,0.5\n4,5,0.25\n")
    read_graph(tmp_path / "e.csv", say=said.append)
    assert any("the first line, 0,1,2, is taken for an edge; --header" in line for line in said)


def test_one_column_of_an_array_is_one_class_per_node(place: Path) -> None:
    np.save(place / "y.npy", np.array([[i % 2] for i in range(12)]))
    task = read(place, labels="y.npy")
    assert not task.is_multi_label
    assert task.labels.tolist() == [i % 2 for i in range(12)]
