import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from fastgat import Graph, InputError
from fastgat.graph import Repairs

SQUARE = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [1.0, 0.5, 1e-8, 1e8], 5)
PLAIN = Graph.from_edges([0, 1, 2], [1, 2, 0], num_nodes=4)


def assert_same(g: Graph, h: Graph) -> None:
    assert (g.num_nodes, g.is_weighted) == (h.num_nodes, h.is_weighted)
    np.testing.assert_array_equal(g.source, h.source)
    np.testing.assert_array_equal(g.target, h.target)
    np.testing.assert_array_equal(g.weight, h.weight)


@pytest.mark.parametrize("graph", [SQUARE, PLAIN], ids=["weighted", "plain"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_scipy_round_trip(graph: Graph, form: str) -> None:
    matrix = graph.to_scipy()
    assert_same(Graph.from_scipy(matrix.asformat(form)), graph)
    assert_same(Graph.from_scipy(scipy.sparse.tril(matrix).asformat(form)), graph)
    assert_same(Graph.from_scipy(scipy.sparse.csr_matrix(matrix)), graph)


def test_to_scipy_is_symmetric_and_the_callers_own() -> None:
    matrix = SQUARE.to_scipy()
    assert (matrix != matrix.T).nnz == 0
    assert matrix.has_canonical_format
    matrix.data[:] = 0.0
    matrix.indices[:] = 0
    np.testing.assert_array_equal(SQUARE.to_scipy().sum(axis=0), SQUARE.degree)


def test_symmetric_ones_count_as_repeats() -> None:
    assert Graph.from_scipy(PLAIN.to_scipy()).repairs == Repairs(repeated=3)
    assert Graph.from_scipy(SQUARE.to_scipy()).repairs == Repairs()


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32])
def test_ones_of_any_type_are_unweighted(dtype: type) -> None:
    matrix = PLAIN.to_scipy().astype(dtype)
    assert_same(Graph.from_scipy(matrix), PLAIN)


def test_stored_zeros_are_no_edges() -> None:
    matrix = scipy.sparse.csr_array(([1.0, 0.0, 1.0], [1, 2, 2], [0, 2, 3, 3]), shape=(3, 3))
    assert_same(Graph.from_scipy(matrix), Graph.from_edges([0, 1], [1, 2]))
    assert matrix.nnz == 3


def test_repeated_entries_add_as_in_scipy() -> None:
    matrix = scipy.sparse.coo_array(([1.0, 1.0, 1.0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    g = Graph.from_scipy(matrix)
    np.testing.assert_array_equal(g.weight, [2.0, 1.0])
    assert matrix.nnz == 3


def test_laplacian() -> None:
    matrix = SQUARE.laplacian()
    dense = SQUARE.to_scipy().toarray()
    np.testing.assert_array_equal(matrix.toarray(), np.diag(dense.sum(axis=1)) - dense)
    assert matrix.format == "csr"
    path = Graph.from_edges([0, 1], [1, 2]).laplacian().toarray()
    np.testing.assert_array_equal(path, [[1, -1, 0], [-1, 2, -1], [0, -1, 1]])


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.booleans())
@settings(max_examples=50, deadline=None)
def test_laplacian_rows_sum_to_zero(arcs: list[tuple[int, int]], weighted: bool) -> None:
    weight = np.arange(1.0, 1.0 + len(arcs)) if weighted else None
    g = Graph.from_edges([u for u, _ in arcs], [v for _, v in arcs], weight, 8)
    assert not g.laplacian().sum(axis=1).any()
    assert_same(Graph.from_scipy(g.to_scipy()) if weight is None else g, g)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), "matrix is a ndarray, but a SciPy sparse matrix is needed"),
        (
            scipy.sparse.csr_array((2, 3)),
            "matrix has shape (2, 3), but an adjacency matrix is square",
        ),
        (
            scipy.sparse.csr_array(np.array([[0, 1j], [0, 0]])),
            "matrix has dtype complex128, but weights are real numbers",
        ),
        (
            scipy.sparse.csr_array(np.array([[0, -1.0], [0, 0]])),
            "matrix[0, 1]=-1.0 must be positive and finite; "
            "use the absolute value of negative weights",
        ),
        (
            scipy.sparse.csr_array(np.array([[0, 0], [np.nan, 0]])),
            "matrix[1, 0]=nan must be positive and finite; "
            "use the absolute value of negative weights",
        ),
    ],
)
def test_scipy_refusals(matrix: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Graph.from_scipy(matrix)
    assert str(caught.value) == message


def test_damaged_matrix_is_refused_before_its_pointers_are_followed() -> None:
    matrix = PLAIN.to_scipy()
    matrix.indices[0] = 99
    with pytest.raises(InputError, match=r"^matrix is damaged: "):
        Graph.from_scipy(matrix)


@pytest.mark.parametrize("graph", [SQUARE, PLAIN], ids=["weighted", "plain"])
def test_networkx_round_trip(graph: Graph) -> None:
    pytest.importorskip("networkx")
    assert_same(Graph.from_networkx(graph.to_networkx()), graph)


def test_networkx_labels_weights_and_kinds() -> None:
    nx = pytest.importorskip("networkx")
    named = nx.Graph()
    named.add_edge("b", "a", weight=2.0)
    named.add_edge("a", "c")
    g = Graph.from_networkx(named)
    assert g.names is not None
    assert g.names.tolist() == ["b", "a", "c"]
    np.testing.assert_array_equal(g.weight, [2.0, 1.0])
    assert not Graph.from_networkx(named, weight=None).is_weighted
    assert g.to_networkx().nodes[2]["name"] == "c"
    shuffled = nx.Graph([(2, 0), (1, 2)])
    assert_same(Graph.from_networkx(shuffled), Graph.from_edges([0, 1], [2, 2]))
    assert Graph.from_networkx(shuffled).names is None
    parallel = nx.MultiGraph()
    parallel.add_edge(0, 1, weight=1.0)
    parallel.add_edge(1, 0, weight=2.0)
    np.testing.assert_array_equal(Graph.from_networkx(parallel).weight, [3.0])
    directed = nx.DiGraph([(0, 1, {"weight": 1.0}), (1, 0, {"weight": 2.0})])
    np.testing.assert_array_equal(Graph.from_networkx(directed).weight, [1.5])


def test_networkx_refusals() -> None:
    nx = pytest.importorskip("networkx")
    for value, message in {
        "x": "edge (0, 1) has weight 'x', not a number",
        0: "edge (0, 1) has weight 0.0; must be positive and finite",
    }.items():
        with pytest.raises(InputError) as caught:
            Graph.from_networkx(nx.Graph([(0, 1, {"weight": value})]))
        assert str(caught.value) == message
    with pytest.raises(InputError) as caught:
        Graph.from_networkx([(0, 1)])
    assert str(caught.value) == "graph is a list, but a networkx.Graph is needed"


@pytest.mark.parametrize("graph", [SQUARE, PLAIN], ids=["weighted", "plain"])
def test_pyg_round_trip(graph: Graph) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    data = graph.to_pyg()
    assert data.num_nodes == graph.num_nodes
    assert data.is_undirected()
    assert data.is_coalesced()
    assert ("edge_weight" in data) == graph.is_weighted
    if graph.is_weighted:
        assert data.edge_weight.dtype == torch.get_default_dtype()
        data.edge_weight = data.edge_weight.double().requires_grad_()
    h = Graph.from_pyg(data)
    np.testing.assert_array_equal(h.source, graph.source)
    np.testing.assert_allclose(h.weight, graph.weight, rtol=1e-7)
    assert h.num_nodes == graph.num_nodes


def test_pyg_is_duck_typed() -> None:
    data = SimpleNamespace(edge_index=np.array([[0, 1], [1, 2]]), num_nodes=4)
    assert_same(Graph.from_pyg(data), Graph.from_edges([0, 1], [1, 2], num_nodes=4))
    for bad, message in (
        (SimpleNamespace(x=1), "SimpleNamespace has no edge_index, so it has no edges to read"),
        (
            SimpleNamespace(edge_index=np.zeros((3, 2), int)),
            "edge_index has shape (3, 2), but needs (2, arcs)",
        ),
    ):
        with pytest.raises(InputError) as caught:
            Graph.from_pyg(bad)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("module", "call", "message"),
    [
        ("networkx", "to_networkx", "to_networkx needs networkx: install it with pip install "
         "'fastgat-er[networkx]'"),
        ("torch", "to_pyg", "to_pyg needs torch: install it with pip install 'fastgat-er[torch]'"),
    ],
)  # fmt: skip
def test_missing_packages(
    module: str, call: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError) as caught:
        getattr(PLAIN, call)()
    assert str(caught.value) == message
