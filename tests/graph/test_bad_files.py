import gzip
import os
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

from fastgat import Graph, InputError
from fastgat.graph import read_graph

GRAPH = Graph.from_edges(np.arange(400), np.arange(1, 401), np.arange(1.0, 401.0))
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(200))
NAMES_HINT = "nodes given by name need names=True (--names on the command line)"
POSITIVE = (
    "must be positive and finite; "
    "leave out edges without weight, use the absolute value of negative ones"
)
NOT_WHOLE = {
    "npz": "is not a whole .npz file: it is cut short or of another format",
    "parquet": "is not a whole Parquet file: it is cut short or of another format",
}

UNTOLD = "FILE: which columns are edges cannot be told:"
CURE = (
    "name them source, target and weight, or choose with source_column, target_column and "
    "weight_column (--source-column, --target-column and --weight-column on the command line)"
)


def listed(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def refusal(path: Path, **options: object) -> str:
    """What `read_graph` says, with the path taken off its beginning."""
    with pytest.raises(InputError) as caught:
        read_graph(path, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(os.fspath(path), "FILE")


def test_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "g.npz") == "FILE does not exist"
    assert refusal(tmp_path) == "FILE is a folder, but a file is needed"
    (tmp_path / "g.csv").touch()
    assert refusal(tmp_path / "g.csv") == "FILE is empty"


def test_unknown_suffix(tmp_path: Path) -> None:
    known = ".npz, .parquet, .mtx, .csv, .tsv, .txt, .edges, .el (text also .gz)"
    for name, has in {
        "g.xls": "suffix '.xls'",
        "g.npz.gz": "suffix '.npz.gz'",
        "g": "no suffix",
    }.items():
        path = tmp_path / name
        path.write_text("x")
        assert refusal(path) == f"FILE has {has}, but graphs are kept in {known}"
        with pytest.raises(InputError, match="graphs are kept in"):
            GRAPH.write(path)
        assert path.read_text() == "x"
    assert refusal(path, format="xls") == (
        "format='xls' must be one of 'npz', 'matrix_market', 'edge_list', 'parquet'"
    )


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".mtx.gz", ".csv.gz", ".mtx"])
def test_truncated(suffix: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"g{suffix}"
    GRAPH.write(path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    message = refusal(path)
    if suffix.endswith(".gz"):
        assert message == "FILE is cut short or damaged"
    elif suffix == ".mtx":
        assert "FILE is " in message or "column" in message
    else:
        assert message == f"FILE {NOT_WHOLE[suffix[1:]]}"


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".mtx.gz", ".csv.gz"])
def test_flipped_bytes_never_escape_as_another_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"g{suffix}"
    GRAPH.write(path)
    content = path.read_bytes()
    for at in np.random.default_rng(23).integers(0, len(content), 60):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x5A]) + content[at + 1 :])
        try:
            read_graph(path)
        except InputError as error:
            assert os.fspath(path) in str(error)


@pytest.mark.parametrize("content", [PNG, b"0 1\n1 2\n", pickle.dumps([1])])
def test_another_format(content: bytes, tmp_path: Path) -> None:
    for kind, message in NOT_WHOLE.items():
        path = tmp_path / f"g.{kind}"
        path.write_bytes(content)
        assert refusal(path) == f"FILE {message}"
    path = tmp_path / "g.mtx"
    path.write_bytes(content.replace(b"\0", b" "))
    said = "its first line does not say so"
    assert refusal(path) == f"FILE is not a Matrix Market file: {said}"


def test_picture_named_text(tmp_path: Path) -> None:
    for name in ("g.csv", "g.txt", "g.csv.gz"):
        (tmp_path / name).write_bytes(PNG)
        assert refusal(tmp_path / name) == "FILE is not text, but of another format"


class Hostile:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("unpickled",)


def test_nothing_unpickles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "g.npz"
    np.savez(path, source=np.array([Hostile()], object), target=np.array([1]))
    assert refusal(path) == "FILE holds Python objects, which are never loaded"
    path.write_bytes(pickle.dumps(Hostile()))
    assert refusal(path) == f"FILE {NOT_WHOLE['npz']}"
    assert listed(tmp_path) == ["g.npz"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# x\n0 1\n1 bob\n", f"FILE, line 3: 'bob' is not a node number; {NAMES_HINT}"),
        ("a,b\n0,1\n1,\n", f"FILE, line 3: '' is not a node number; {NAMES_HINT}"),
        ("0 1\n1 1.5\n", f"FILE, line 2: '1.5' is not a node number; {NAMES_HINT}"),
        ("0 bob\n", f"FILE, line 1: 'bob' is not a node number; {NAMES_HINT}"),
        ("0 1 1\n\n# x\n1 2 heavy\n", "FILE, line 4: weight 'heavy' is not a number"),
        ("0 1 1\n1 2 1_0\n", "FILE, line 2: weight '1_0' is not a number"),
        ("0;1;0,5\n1;2;1.5\n", "FILE, line 2: weight '1.5' is not a number with a decimal comma"),
        ("0;1;0,5\n1;2;-1,5\n", f"FILE, line 2: weight -1.5 {POSITIVE}"),
        ("0 1 1\r\n1 2 -1\r\n", f"FILE, line 2: weight -1.0 {POSITIVE}"),
        ("0 1 0\n", f"FILE, line 1: weight 0.0 {POSITIVE}"),
        ("0 1 1\n0 2 nan\n", f"FILE, line 2: weight nan {POSITIVE}"),
        ("0 1 1\n0 2 inf\n", f"FILE, line 2: weight inf {POSITIVE}"),
        ("0 1\n-3 1\n", "FILE, line 2: node -3 is negative, but nodes are numbered from 0"),
        (
            "0 1\n1 2147483647\n",
            "FILE, line 2: node 2147483647 is beyond 2147483646; number the nodes 0, 1, 2, ... "
            "or read them with names=True (--names on the command line)",
        ),
        (
            "0 99999999999999999999\n",
            "FILE, line 1: node 99999999999999999999 is beyond 2147483646; number the nodes "
            "0, 1, 2, ... or read them with names=True (--names on the command line)",
        ),
        ("0 1\n1 2 3\n", "FILE, line 2: 3 columns, but the first row has 2"),
        ("0 1 1\n1\n", "FILE, line 2: 1 column, but the first row has 3"),
        (
            "# x\n0 1 2 3\n",
            f"{UNTOLD} 4 columns without a header, 0 to 3; {CURE}",
        ),
        ("5\n", f"{UNTOLD} one column without a header; {CURE}"),
        ("source,target\n", "FILE has no edges; give num_nodes to read a graph without edges"),
        ("# nothing\n", "FILE has no edges; give num_nodes to read a graph without edges"),
        ("# num_nodes=2\n0 5\n", "FILE: edge (0, 5) names node 5, but num_nodes=2"),
    ],
)  # fmt: skip
def test_text(text: str, message: str, tmp_path: Path) -> None:
    for name, content in {"g.txt": text.encode(), "g.el.gz": gzip.compress(text.encode())}.items():
        (tmp_path / name).write_bytes(content)
        assert refusal(tmp_path / name) == message


def test_line_is_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastgat.graph.formats.text_blocks.BLOCK", 64)
    path = tmp_path / "g.txt"
    path.write_text("# head\n" * 3 + "from to\n" + "0 1\n# x\n" * 50 + "0 x\n" + "0 1\n" * 50)
    assert refusal(path) == f"FILE, line 105: 'x' is not a node number; {NAMES_HINT}"


def test_names(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("a,b\nb,\n")
    assert refusal(path, names=True) == "FILE, line 2: a node has no name"
    path.write_bytes(b"a,b\nb,\xff\n")
    assert refusal(path, names=True) == "FILE, line 2: not UTF-8 text"
    path.write_text("a,b\nb,c\n")
    assert refusal(path, names=True, num_nodes=2) == "FILE names 3 nodes, but num_nodes=2"
    GRAPH.write(tmp_path / "g.mtx")
    assert refusal(tmp_path / "g.mtx", names=True) == (
        "FILE numbers its nodes; names=True is for edge lists"
    )
    GRAPH.write(tmp_path / "g.npz")
    assert refusal(tmp_path / "g.npz", names=True) == (
        "FILE has no array 'names'; read it without names=True"
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a"], "node name 'a' appears twice; write .npz instead"),
        (["a", ""], "node name '' is blank at an end; write .npz instead"),
        (["a", "b "], "node name 'b ' is blank at an end; write .npz instead"),
        (["a", "b\nc"], "node name 'b\\nc' has a line break; write .npz instead"),
    ],
)
def test_names_that_would_not_come_back(names: list[str], message: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], names=np.array(names))
    path = tmp_path / "g.csv"
    with pytest.raises(InputError) as caught:
        graph.write(path)
    assert str(caught.value) == f"cannot write {path}: {message}"
    assert listed(tmp_path) == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"source": [0, 1], "target": [1, -2]},
         "FILE, row 1: node -2 is negative, but nodes are numbered from 0"),
        ({"source": [2**31], "target": [1]},
         "FILE, row 0: node 2147483648 is beyond 2147483646; number the nodes 0, 1, 2, ... "
         "or read them with names=True (--names on the command line)"),
        ({"source": [0, 1], "target": [1, 2], "weight": [1.0, float("nan")]},
         f"FILE, row 1: weight nan {POSITIVE}"),
        ({"source": [0, 1], "target": [1, None]}, "FILE, row 1: column 'target' has no value"),
        ({"source": ["a"], "target": ["b"]},
         f"FILE: column 'source' holds string, but nodes are whole numbers; {NAMES_HINT}"),
        ({"source": [0.5], "target": [1]},
         "FILE: column 'source' holds double, but nodes are whole numbers"),
        ({"source": [0], "target": [1], "weight": ["x"]},
         "FILE: column 'weight' holds string, not numbers"),
        ({"a": [0], "b": [0.5]},
         "FILE: column 'b' holds double, but nodes are whole numbers"),
        ({"source": pa.array([], pa.int32()), "target": pa.array([], pa.int32())},
         "FILE has no edges; give num_nodes to read a graph without edges"),
    ],
)  # fmt: skip
def test_parquet(table: dict[str, object], message: str, tmp_path: Path) -> None:
    pq.write_table(pa.table(table), tmp_path / "g.parquet")
    assert refusal(tmp_path / "g.parquet") == message


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": [1], "y": [2]},
         "FILE has arrays x, y, but a graph needs source and target, edge_index, "
         "or a SciPy matrix"),
        ({"edge_index": [[0, 1]]}, "FILE: edge_index has shape (1, 2), but needs (2, arcs)"),
        ({"source": [0], "target": [1, 2]},
         "FILE: source has 1 entries but target has 2: they go in pairs"),
        ({"source": [0], "target": [1], "weight": [-1.0]},
         f"FILE: weight[0]=-1.0 {POSITIVE}"),
        ({"source": [0], "target": [-1]},
         "FILE: edge (0, -1) names node -1, but nodes are numbered from 0"),
        ({"source": [0], "target": [1], "num_nodes": [2.5]},
         "FILE: num_nodes must be one whole number"),
        ({"source": [0], "target": [1], "names": [1, 2]},
         "FILE: names has dtype int64, but names are text"),
        ({"source": np.zeros(0, int), "target": np.zeros(0, int)},
         "FILE has no edges; give num_nodes to read a graph without edges"),
    ],
)  # fmt: skip
def test_archive(arrays: dict[str, object], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", **arrays)  # type: ignore[arg-type]
    assert refusal(tmp_path / "g.npz") == message


def test_damaged_matrices(tmp_path: Path) -> None:
    path, m = tmp_path / "g.npz", GRAPH.to_scipy()
    indices = np.where(m.indices == 7, 10**6, m.indices)
    parts = {
        "adj_data": m.data,
        "adj_indices": indices,
        "adj_indptr": m.indptr,
        "adj_shape": m.shape,
    }
    np.savez(path, **parts)
    assert refusal(path).startswith("FILE: matrix is damaged: ")
    np.savez(path, **{**parts, "adj_shape": np.array([5])})
    assert refusal(path).startswith("FILE holds a damaged matrix: ")
    scipy.sparse.save_npz(path, scipy.sparse.csr_array((2, 3)))
    assert refusal(path) == "FILE: matrix has shape (2, 3), but an adjacency matrix is square"
    scipy.sparse.save_npz(path, m)
    assert refusal(path, num_nodes=7) == "FILE has 401 nodes, but num_nodes=7"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("real general\n2 2 1\n1 2 -1\n",
         "FILE: matrix[0, 1]=-1.0 must be positive and finite; "
         "use the absolute value of negative weights"),
        ("complex general\n2 2 1\n1 2 1 1\n",
         "FILE is a coordinate complex general matrix, but a graph is a coordinate matrix, "
         "real, integer or pattern, general or symmetric"),
        ("pattern general\n2 3 1\n1 2\n",
         "FILE has shape (2, 3), but an adjacency matrix is square"),
        ("pattern general\n2 2\n1 2\n",
         "FILE has no line with its numbers of rows, columns and entries"),
        ("pattern general\n2 2 1\n1 9\n", "FILE: entry (1, 9) is outside 1 to 2"),
        ("pattern general\n2 2 1\n0 1\n", "FILE: entry (0, 1) is outside 1 to 2"),
        ("pattern general\n2 2 1\n1 x\n", "FILE, line 3: 'x' is not a node number"),
        ("real general\n%\n2 2 1\n1 2\n", "FILE, line 4: 2 columns, but the first row has 3"),
        ("real general\n2 2 2\n1 2 1\n", "FILE is cut short: 1 entries, but it says 2"),
        ("pattern general\n2 2 1\n1 2\n2 1\n",
         "FILE has too many lines: 2 entries, but it says 1"),
        ("real general\n%\n", "FILE has no line with its numbers of rows, columns and entries"),
        ("real general\n3000000000 3000000000 0\n",
         "FILE has 3000000000 nodes, but at most 2147483647 are possible"),
    ],
)  # fmt: skip
def test_matrix_market(text: str, message: str, tmp_path: Path) -> None:
    content = f"%%MatrixMarket matrix coordinate {text}".encode()
    for name, stored in {"g.mtx": content, "g.mtx.gz": gzip.compress(content)}.items():
        (tmp_path / name).write_bytes(stored)
        assert refusal(tmp_path / name) == message
