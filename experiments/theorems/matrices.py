"""The dense matrices of the statements, for graphs of some hundreds of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_between, check_choice, check_memory, check_seed
from fastgat.graph import Graph
from fastgat.spectral import certify

Matrix = NDArray[np.float64]
Activation = Literal["relu", "elu"]

DENSE_NODES = 1000  # up to here epsilon comes from all eigenvalues: under a second

_ACTIVATIONS: dict[str, Callable[[Matrix], Matrix]] = {
    "relu": lambda x: np.maximum(x, 0.0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0))),
}


def activate(name: Activation, x: Matrix) -> Matrix:
    """Apply ReLU or ELU, whose slopes lie in [0, 1]: neither enlarges a difference."""
    return _ACTIVATIONS[check_choice("activation", name, tuple(_ACTIVATIONS))](x)


def adjacency(graph: Graph, loop: Matrix | float = 0.0) -> Matrix:
    """A with the weights of the nodes' loops on the diagonal."""
    size = graph.num_nodes
    check_memory(f"a dense matrix of {size} nodes", 8 * size**2, hint="take a smaller graph")
    return np.asarray(graph.to_scipy().toarray() + np.diag(np.broadcast_to(loop, size)))


def laplacian(graph: Graph) -> Matrix:
    """L = D - A."""
    matrix = adjacency(graph)
    return np.asarray(np.diag(matrix.sum(axis=1)) - matrix)


def symmetric_laplacian(adjacent: Matrix) -> Matrix:
    """I - D^-1/2 A D^-1/2; the row of a node without edge or loop is zero."""
    degree = adjacent.sum(axis=1)
    root = np.sqrt(inverse(degree))
    return np.asarray(root[:, None] * (np.diag(degree) - adjacent) * root)


def walk(adjacent: Matrix) -> Matrix:
    """D^-1 A; a node without edge or loop stays where it is."""
    degree = adjacent.sum(axis=1)
    return np.asarray(inverse(degree)[:, None] * adjacent + np.diag(1.0 * (degree == 0)))


def inverse(degree: Matrix) -> Matrix:
    """1 / degree, and 0 for 0."""
    return np.divide(1.0, degree, out=np.zeros_like(degree), where=degree > 0)


def spectral_norm(matrix: Matrix) -> float:
    """The largest singular value."""
    return float(np.linalg.norm(matrix, 2))


def worst_columns(error: Matrix) -> Matrix:
    """v and -v for the unit vector v that `error` enlarges most.

    Both signs, because ReLU passes about half of one and the other half of the other.
    """
    top = np.linalg.svd(error)[2][0]
    return np.stack([top, -top], axis=1)


def measured_epsilon(graph: Graph, sparse: Graph) -> float:
    """The least epsilon of the quadratic form, (1 - eps) L <= L_s <= (1 + eps) L.

    From all eigenvalues where the graph is small, so that nothing is left to an iteration; from
    `certify` where it is not.

    >>> from fastgat.graph.gallery import path
    >>> round(measured_epsilon(path(4), reweight(path(4), 0.25, seed=3)), 9)
    0.25
    """
    if graph.num_nodes != sparse.num_nodes:
        raise InputError(
            f"the graph has {graph.num_nodes} nodes but the sparse one has {sparse.num_nodes}: "
            "they must be on the same nodes"
        )
    if graph.num_nodes > DENSE_NODES:
        return certify(graph, sparse).epsilon
    zeros, label = graph.components
    if (label[sparse.source] != label[sparse.target]).any():
        return float("inf")
    values, vectors = np.linalg.eigh(laplacian(graph))
    root = vectors[:, zeros:] / np.sqrt(values[zeros:])
    return float(np.abs(np.linalg.eigvalsh(root.T @ laplacian(sparse) @ root) - 1).max(initial=0.0))


def reweight(graph: Graph, epsilon: float, *, seed: int = 0) -> Graph:
    """Move every weight by the factor 1 + eps or 1 - eps: an eps-approximation of any graph."""
    check_between("epsilon", epsilon, 0, 1)
    sign = np.random.default_rng(check_seed(seed)).choice([-1.0, 1.0], graph.num_edges)
    weight = graph.weight * (1 + epsilon * sign)
    return Graph.from_edges(graph.source, graph.target, weight, num_nodes=graph.num_nodes)
