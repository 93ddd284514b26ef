"""Graphs from and to SciPy, NetworkX and PyTorch Geometric."""

from __future__ import annotations

import importlib
import numbers
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fastgat.check import InputError, edge_ends
from fastgat.graph.graph import Graph


def from_scipy(matrix: Any) -> Graph:
    """Graph of a square sparse matrix, symmetric or one-sided.

    Stored zeros are no edges. If every other entry is 1 (or True) the graph is unweighted, and a
    symmetric matrix then counts one of each pair in `repairs.repeated`.
    """
    is_sparse = scipy.sparse.issparse(matrix)
    if not is_sparse:
        kind = type(matrix).__name__
        raise InputError(f"matrix is a {kind}, but a SciPy sparse matrix is needed")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"matrix has shape {matrix.shape}, but an adjacency matrix is square")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"matrix has dtype {matrix.dtype}, but weights are real numbers")
    coordinates = _entries(matrix)
    row, column, value = coordinates.row, coordinates.col, coordinates.data
    good = np.isfinite(value) & (value >= 0)
    if not good.all():
        at = int(np.argmin(good))
        raise InputError(
            f"matrix[{row[at]}, {column[at]}]={value[at]} must be positive and finite; "
            "use the absolute value of negative weights"
        )
    if not value.all():
        stored = value != 0
        row, column, value = row[stored], column[stored], value[stored]
    weight = None if (value == 1).all() else value.astype(np.float64)
    return Graph.from_edges(row, column, weight, int(matrix.shape[0]))


def _entries(matrix: Any) -> Any:
    """The matrix in coordinates, every entry once: SciPy's repeated entries add."""
    if matrix.format in ("csr", "csc", "bsr"):
        try:
            matrix.check_format(full_check=True)  # before compiled code follows its pointers
        except ValueError as error:
            raise InputError(f"matrix is damaged: {error}") from None
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is matrix else rows  # the caller's matrix stays as it was
        rows.sum_duplicates()
    return rows.tocoo(copy=False)


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """The symmetric adjacency matrix; its arrays are the caller's own."""
    adjacency = graph.adjacency
    index = np.int32 if adjacency.offset[-1] <= np.iinfo(np.int32).max else np.int64
    weight = adjacency.weight
    data = np.ones(adjacency.neighbor.size) if weight is None else weight.copy()
    return scipy.sparse.csr_array(
        (data, adjacency.neighbor.astype(index), adjacency.offset.astype(index)),
        shape=(graph.num_nodes, graph.num_nodes),
    )


def to_laplacian(graph: Graph) -> scipy.sparse.csr_array:
    """L = D - A, with D the diagonal of weighted degrees."""
    diagonal = scipy.sparse.diags_array(graph.degree, format="csr")
    return scipy.sparse.csr_array(diagonal - to_scipy(graph))


def from_networkx(graph: Any, weight: str | None = "weight") -> Graph:
    """Graph of a NetworkX graph of any kind; an edge without the attribute weighs 1."""
    networkx = _import("networkx", "networkx", "from_networkx")
    if not isinstance(graph, networkx.Graph):
        raise InputError(f"graph is a {type(graph).__name__}, but a networkx.Graph is needed")
    labels = list(graph.nodes)
    number, names = _number_labels(labels)
    edges = list(graph.edges(data=weight)) if weight else [(u, v, None) for u, v in graph.edges()]
    source = np.fromiter((number[u] for u, _, _ in edges), np.int64, len(edges))
    target = np.fromiter((number[v] for _, v, _ in edges), np.int64, len(edges))
    conductance = None
    if any(value is not None for _, _, value in edges):
        values = (_edge_weight(u, v, value) for u, v, value in edges)
        conductance = np.fromiter(values, np.float64, len(edges))
    return Graph.from_edges(source, target, conductance, len(labels), names=names)


def _number_labels(labels: list[Any]) -> tuple[dict[Any, int], NDArray[np.str_] | None]:
    size = len(labels)
    whole = all(isinstance(x, numbers.Integral) and 0 <= int(x) < size for x in labels)
    if whole:  # labels are distinct, so these are 0..n-1 in some order
        return {label: int(label) for label in labels}, None
    names = np.array([str(label) for label in labels], dtype=np.str_)
    return {label: at for at, label in enumerate(labels)}, names


def _edge_weight(u: Any, v: Any, value: Any) -> float:
    try:
        weight = 1.0 if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError(f"edge ({u!r}, {v!r}) has weight {value!r}, not a number") from None
    if not 0 < weight < np.inf:
        raise InputError(f"edge ({u!r}, {v!r}) has weight {weight}; must be positive and finite")
    return weight


def to_networkx(graph: Graph) -> Any:
    """A `networkx.Graph` on 0..n-1; weights and names become attributes where there are any."""
    networkx = _import("networkx", "networkx", "to_networkx")
    result = networkx.Graph()
    result.add_nodes_from(range(graph.num_nodes))
    ends = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    if graph.is_weighted:
        edges = zip(ends, graph.weight.tolist(), strict=True)
        result.add_weighted_edges_from((u, v, w) for (u, v), w in edges)
    else:
        result.add_edges_from(ends)
    if graph.names is not None:
        networkx.set_node_attributes(result, dict(enumerate(graph.names.tolist())), "name")
    return result


def from_pyg(data: Any) -> Graph:
    """Graph of a PyG `Data`, or of anything with `edge_index` and perhaps `edge_weight`."""
    if getattr(data, "edge_index", None) is None:
        raise InputError(f"{type(data).__name__} has no edge_index, so it has no edges to read")
    source, target = edge_ends(_as_numpy(data.edge_index))
    weight = getattr(data, "edge_weight", None)
    num_nodes = getattr(data, "num_nodes", None)
    conductance = None if weight is None else _as_numpy(weight)
    return Graph.from_edges(
        source, target, conductance, None if num_nodes is None else int(num_nodes)
    )


def _as_numpy(tensor: Any) -> NDArray[Any]:
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().numpy()
    return np.asarray(tensor)


def to_pyg(graph: Graph) -> Any:
    """A PyG `Data` with both directions of every edge, sorted; weights in torch's default type."""
    torch = _import("torch", "torch", "to_pyg")
    data = _import("torch_geometric.data", "torch", "to_pyg")
    adjacency = graph.adjacency
    tail = np.repeat(np.arange(graph.num_nodes), np.diff(adjacency.offset))
    index = torch.from_numpy(np.stack([tail, adjacency.neighbor.astype(np.int64)]))
    result = data.Data(edge_index=index, num_nodes=graph.num_nodes)
    if adjacency.weight is not None:
        result.edge_weight = torch.tensor(adjacency.weight, dtype=torch.get_default_dtype())
    return result


def _import(module: str, extra: str, what: str) -> Any:
    """The module, imported only now: neither torch nor NetworkX is needed for the rest."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(
            f"{what} needs {package}: install it with pip install 'fastgat-er[{extra}]'"
        ) from None
