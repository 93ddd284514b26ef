import gzip
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse

from fastgat import Graph
from fastgat.check import InputError
from fastgat.graph import Repairs, read_graph, write_graph
from fastgat.graph.formats import SUFFIXES, text_blocks

GRAPHS = {
    "plain": Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], num_nodes=6),
    "weighted": Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [0.1, 1 / 3, 1e-8, 1e8], 6),
    "no edges": Graph.from_edges([], [], num_nodes=3),
    "one node": Graph.from_edges([], [], num_nodes=1),
}


def assert_same(g: Graph, h: Graph) -> None:
    assert (g.num_nodes, g.num_edges, g.is_weighted) == (h.num_nodes, h.num_edges, h.is_weighted)
    np.testing.assert_array_equal(g.source, h.source)
    np.testing.assert_array_equal(g.target, h.target)
    np.testing.assert_array_equal(g.weight, h.weight)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_round_trip(graph: Graph, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"some.graph{suffix.upper()}"
    fractions: list[float] = []
    graph.write(path)
    h = read_graph(str(path), progress=fractions.append)
    assert_same(h, graph)
    assert h.repairs == Repairs()
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_graphs_give_equal_files(suffix: str, tmp_path: Path) -> None:
    if suffix == ".npz":
        pytest.skip("NumPy's archives carry the time")
    for name in ("a", "b"):
        write_graph(GRAPHS["weighted"], tmp_path / f"{name}{suffix}")
    a, b = (path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert a == b


@pytest.mark.parametrize("suffix", [s for s in SUFFIXES if "mtx" not in s])
@pytest.mark.parametrize("weight", [None, [0.5, 2.0, 1.5]])
def test_names_round_trip(suffix: str, weight: list[float] | None, tmp_path: Path) -> None:
    names = np.array(["Smith, J", "#2", 'say "x"; \u00e9', "4", "alone"])
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weight, 5, names=names)
    path = tmp_path / f"g{suffix}"
    graph.write(path)
    h = read_graph(path, names=True)
    assert_same(h, graph)
    assert h.names is not None
    assert h.names.tolist() == names.tolist()


def test_names_are_numbered_by_first_appearance(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("bob alice\nalice  carol\n\tdave bob\n")
    g = read_graph(path, names=True)
    assert g.names is not None
    assert g.names.tolist() == ["bob", "alice", "carol", "dave"]
    np.testing.assert_array_equal(g.source, [0, 0, 1])
    np.testing.assert_array_equal(g.target, [1, 3, 2])
    more = read_graph(path, names=True, num_nodes=5)
    assert more.names is not None
    assert more.names.tolist() == ["bob", "alice", "carol", "dave", ""]


def test_names_may_be_any_numbers(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("id_1,id_2\n-5,99999999999999999999\n")
    g = read_graph(path, names=True)
    assert g.names is not None
    assert g.names.tolist() == ["-5", "99999999999999999999"]
    pq.write_table(pa.table({"a": [2**40], "b": ["x"]}), tmp_path / "g.parquet")
    g = read_graph(tmp_path / "g.parquet", names=True)
    assert g.names is not None
    assert g.names.tolist() == [str(2**40), "x"]


@pytest.mark.parametrize(
    "content",
    [
        "0 1\n1 2\n",
        "0\t1\n1\t2",
        "0,1\r\n1,2\r\n",
        "0;1\n1;2\n",
        "# Nodes: 9\n#FromNodeId\tToNodeId\n0\t1\n# here too\n1\t2\n",
        "% konect\n  0   1  \n\n 1\t 2\n   # indented\n   \n",
        "source,target\n0, 1\n1, 2\n",
        "\ufefffrom to\n0 1\n1 2\n",
        '"u","v"\n"0","1"\n"1","2"\n',
        "0,1\n1,2\n%,\n#,1\n",
    ],
)
def test_text_layouts(content: str, tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_bytes(content.encode())
    assert_same(read_graph(path), Graph.from_edges([0, 1], [1, 2]))
    path.write_bytes(gzip.compress(content.encode()))  # told by its content
    assert_same(read_graph(path), Graph.from_edges([0, 1], [1, 2]))


@pytest.mark.parametrize("text", ["0 1 .5\n1 2 2e0\n", "a,b,w\n0,1,0.5\n1,2,2\n"])
def test_third_column_is_the_weight(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.el").write_text(text)
    assert_same(read_graph(tmp_path / "g.el"), Graph.from_edges([0, 1], [1, 2], [0.5, 2.0]))


def test_header_with_names_is_told_by_its_words_or_a_weight_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for content, edges in {"src,dst\na,b\n": 1, "x,y\na,x\n": 2, "x,y,w\na,b,1\n": 1}.items():
        path.write_text(content)
        assert read_graph(path, names=True).num_edges == edges
    path.write_text("x,y\na,b\n")
    with pytest.raises(InputError, match="may be a header or a row; say which with header=True"):
        read_graph(path, names=True)
    assert read_graph(path, names=True, header=True).num_edges == 1
    assert read_graph(path, names=True, header=False).num_edges == 2


@pytest.mark.parametrize("suffix", [s for s in SUFFIXES if "mtx" not in s])
@pytest.mark.parametrize(
    "names",
    [
        ["u", "a", "b", "v"],  # the words of a header, but not as its pair
        ["source", "target", "weight", "from"],
        ["a", "b", "c", "d"],
    ],
)
@pytest.mark.parametrize("edges", [([0, 1], [1, 2]), ([0, 2], [1, 3]), ([0], [1])])
def test_any_names_come_back(
    names: list[str], edges: tuple[list[int], list[int]], suffix: str, tmp_path: Path
) -> None:
    graph = Graph.from_edges(*edges, num_nodes=4, names=np.array(names))
    graph.write(tmp_path / f"g{suffix}")
    h = read_graph(tmp_path / f"g{suffix}", names=True)
    assert h.names is not None
    found = {(h.names[u], h.names[v]) for u, v in zip(h.source, h.target, strict=True)}
    assert found == {(names[u], names[v]) for u, v in zip(*edges, strict=True)}
    assert sorted(h.names) == sorted(names)


def test_a_header_has_both_words_of_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("u a\na b\nb u\n")
    assert read_graph(path, names=True).num_edges == 3
    path.write_text("u v\na b\n")
    assert read_graph(path, names=True).num_edges == 1
    path.write_text("ann bob\n7 bob\n8 dan\n")  # a word above numbers, but bob comes again
    assert read_graph(path, names=True).num_edges == 3
    unclear = ("u v\nv w\n", "to from\nfrom a\n", "weight,src,dst\n1,a,src\n", "ann bob\n7 dan\n")
    for content in unclear:
        path.write_text(content)
        with pytest.raises(InputError, match="may be a header or a row"):
            read_graph(path, names=True)
        assert read_graph(path, names=True, header=True).num_edges == 1


@pytest.mark.parametrize("header", ["source-id,target-id", "From Node,to.node", "U,V", "x,y"])
def test_names_of_ends_are_read_as_people_write_them(header: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(f"{header}\n1,2\n2,3\n")
    assert read_graph(path, names=True).num_edges == 2
    if header != "x,y":
        path.write_text(f"{header}\na,b\nb,c\n")
        assert read_graph(path, names=True).num_edges == 2


@pytest.mark.parametrize("header", ["", "source;target;weight\n", "x;y;w\n"])
@pytest.mark.parametrize("nodes", ["0 1 2", "a b c"])
def test_decimal_commas(header: str, nodes: str, tmp_path: Path) -> None:
    a, b, c = nodes.split()
    path = tmp_path / "g.csv"
    path.write_text(f"{header}{a};{b};0,5\n{b};{c};2\n")
    g = read_graph(path, names=a == "a")
    assert_same(g, Graph.from_edges([0, 1], [1, 2], [0.5, 2.0]))


def test_a_very_long_first_line(tmp_path: Path) -> None:
    path, name = tmp_path / "g.txt", "x" * 100_000
    path.write_text(f"{name}1 {name}2\n{name}2 {name}3\n" * 2)
    assert read_graph(path, names=True).num_edges == 2
    path.write_text("[" + "1, " * 200_000 + "1]\n")
    with pytest.raises(InputError, match="200001 columns without a header"):
        read_graph(path)


def test_blocks_fit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_blocks, "BLOCK", 7)  # most lines are cut by it
    rng = np.random.default_rng(17)
    source, target = rng.integers(0, 500, (2, 300))
    lines = [f"{u} {v}\n" for u, v in zip(source, target, strict=True)]
    lines.insert(150, "# a comment longer than a block\n")
    (tmp_path / "g.txt").write_text("# num_nodes=501\n" + "".join(lines))
    expected = Graph.from_edges(source, target, num_nodes=501)
    assert_same(read_graph(tmp_path / "g.txt"), expected)
    named = read_graph(tmp_path / "g.txt", names=True)
    assert (named.num_nodes, named.num_edges) == (501, expected.num_edges)


def test_num_nodes_given_wins(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("# num_nodes=5\n0 1\n")
    assert read_graph(path).num_nodes == 5
    assert read_graph(path, num_nodes=8).num_nodes == 8
    path.write_text("# num_nodes=many\n# only a comment\n")
    assert read_graph(path, num_nodes=2).num_edges == 0


def test_format_overrules_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "edges.dat"
    path.write_text("0 1\n")
    assert read_graph(path, format="edge_list").num_edges == 1
    GRAPHS["plain"].write(tmp_path / "g.mtx")
    (tmp_path / "g.mtx").rename(path)
    assert_same(read_graph(path, format="matrix_market"), GRAPHS["plain"])


@pytest.mark.parametrize("field", ["pattern", "real", "integer"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrix_market_of_others(field: str, symmetry: str, tmp_path: Path) -> None:
    graph = GRAPHS["plain"]
    scipy.io.mmwrite(tmp_path / "g.mtx", graph.to_scipy(), field=field, symmetry=symmetry)
    assert_same(read_graph(tmp_path / "g.mtx"), graph)
    scipy.io.mmwrite(tmp_path / "w.mtx", GRAPHS["weighted"].to_scipy(), symmetry=symmetry)
    assert_same(read_graph(tmp_path / "w.mtx"), GRAPHS["weighted"])


@pytest.mark.parametrize("name", ["plain", "weighted"])
def test_matrix_market_for_others(name: str, tmp_path: Path) -> None:
    GRAPHS[name].write(tmp_path / "g.mtx")
    matrix = scipy.io.mmread(tmp_path / "g.mtx")
    np.testing.assert_array_equal(matrix.toarray(), GRAPHS[name].to_scipy().toarray())


def test_matrix_market_remarks_and_zeros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.mtx"
    path.write_text("%%MatrixMarket MATRIX Coordinate Integer General\n%a\n\n% b\n  3 3  3\n"
                    "1 2 1\n%c\n 2  3\t1\n1 3 0\n")  # fmt: skip
    for block in (7, 1 << 20):
        monkeypatch.setattr(text_blocks, "BLOCK", block)
        assert_same(read_graph(path), Graph.from_edges([0, 1], [1, 2]))
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n1 2\n")
    assert_same(read_graph(path), Graph.from_edges([0], [1]))
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n1 2 1\n")
    assert_same(read_graph(path), Graph.from_edges([0], [1], [2.0]))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_scipy_archives(form: str, tmp_path: Path) -> None:
    for name in ("plain", "weighted"):
        scipy.sparse.save_npz(tmp_path / "g.npz", GRAPHS[name].to_scipy().asformat(form))
        assert_same(read_graph(tmp_path / "g.npz"), GRAPHS[name])


def test_archives_of_edges(tmp_path: Path) -> None:
    path, index = tmp_path / "g.npz", np.array([[0, 1], [1, 2]])
    np.savez(path, edge_index=index, num_nodes=np.array(4), x=np.zeros(3))
    assert_same(read_graph(path), Graph.from_edges(*index, num_nodes=4))
    np.savez(path, edge_index=index, edge_weight=np.array([1, 3], np.float32))
    assert_same(read_graph(path), Graph.from_edges(*index, [1.0, 3.0]))
    m = GRAPHS["plain"].to_scipy()
    np.savez(path, adj_data=m.data, adj_indices=m.indices, adj_indptr=m.indptr, adj_shape=m.shape)
    assert_same(read_graph(path), GRAPHS["plain"])


def test_objects_beside_the_graph_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "g.npz"
    np.savez(path, edge_index=np.array([[0], [1]]), extra=np.array([{"a": 1}], object))
    assert read_graph(path).num_edges == 1


@pytest.mark.parametrize("columns", [("source", "target"), ("src", "dst"), ("u", "v")])
@pytest.mark.parametrize("kind", [pa.int8(), pa.uint32(), pa.int64(), pa.uint64()])
def test_parquet_of_others(columns: tuple[str, str], kind: object, tmp_path: Path) -> None:
    table = pa.table(
        {
            "note": ["x", "y"],
            columns[0]: pa.array([1, 0], kind),
            columns[1]: pa.array([2, 1], kind),
            "weight": pa.array([2, 1], pa.int16()),
        }
    )
    pq.write_table(table, tmp_path / "g.parquet", row_group_size=1)
    assert_same(read_graph(tmp_path / "g.parquet"), Graph.from_edges([0, 1], [1, 2], [1.0, 2.0]))


def test_dictionary_columns(tmp_path: Path) -> None:
    text = pa.array(["a", "b", "a"]).dictionary_encode()
    pq.write_table(pa.table({"source": text, "target": ["b", "c", "c"]}), tmp_path / "g.parquet")
    g = read_graph(tmp_path / "g.parquet", names=True)
    assert g.names is not None
    assert (g.names.tolist(), g.num_edges) == (["a", "b", "c"], 3)


def test_graphs_read_can_be_pickled(tmp_path: Path) -> None:
    GRAPHS["weighted"].write(tmp_path / "g.parquet")
    assert_same(pickle.loads(pickle.dumps(read_graph(tmp_path / "g.parquet"))), GRAPHS["weighted"])
