"""From what PyG calls edge_index, in all its forms, to edges and values per arc."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary
from torch_geometric import EdgeIndex
from torch_geometric.utils import (
    add_self_loops,
    is_torch_sparse_tensor,
    remove_self_loops,
    to_edge_index,
)
from torch_geometric.utils.loop import compute_loop_attr
from torch_geometric.utils.sparse import set_sparse_value

from fastgat.check import InputError
from fastgat.nn.edges import Edges
from fastgat.nn.inputs import (
    check_device,
    check_edge_index_form,
    check_edge_weight,
    check_has_numbers,
    check_per_arc,
    check_size,
)
from fastgat.nn.sorted_arcs import check_once


@runtime_checkable
class Structure(Protocol):
    """An explicit edge structure: sorted once, used in many calls."""

    def edges(self, add_loops: bool, reverse: bool) -> Edges:
        """Its arcs, as an operator takes them."""


Graph: TypeAlias = Tensor | Structure  # edge_index, EdgeIndex, sparse adjacency, or a structure


@dataclass(frozen=True)
class Arcs:
    """The arcs of a call, with the values a layer was given for them, loops included."""

    graph: Graph
    edges: Edges
    weight: Tensor | None
    attr: Tensor | None

    def coefficients_on_graph(self, alpha: Tensor) -> tuple[Tensor, Tensor]:
        """Give (edge_index, alpha) as PyG does: the graph with its loops, alpha in that order."""
        looped, edges = self.graph, self.edges
        if not isinstance(looped, Tensor):
            source, target = edges.arc_index()
            return torch.stack([target, source] if edges.reverse else [source, target]), alpha
        if edges.add_loops:
            if looped.layout == torch.sparse_csc:  # PyG adds no loops to this layout
                looped = looped.to_sparse_csr()
            looped, _ = remove_self_loops(looped)
            loops = min(edges.num_sources, edges.num_targets)
            looped, _ = add_self_loops(looped, num_nodes=loops)
        if not is_torch_sparse_tensor(looped):
            return looped, alpha
        if edges.add_loops:  # a matrix keeps its entries in order, row by row
            source, target = edges.arc_index()
            alpha = alpha[torch.argsort(target * edges.num_sources + source)]
        return set_sparse_value(looped.detach(), alpha), alpha


def read_arcs(
    graph: Graph,
    num_sources: int,
    num_targets: int | None,
    reference: Tensor,
    *,
    size: tuple[int, int] | None = None,
    add_loops: bool,
    reverse: bool,
    weight: Tensor | None = None,
    attr: Tensor | None = None,
    fill_value: float | Tensor | str = "mean",
) -> Arcs:
    """Check a graph against the features at its ends, and align the values given for its arcs.

    Without `num_targets` the graph says how many there are, or there are as many as sources.
    `reference` has the dtype and device that values must have.
    """
    key, stated, stored_attr = _stored(graph, size, reverse, reference)
    if num_targets is None:
        num_targets = num_sources if stated[1] is None else stated[1]
    one_side = num_sources == num_targets
    check_size("x" if one_side else "x[0]", num_sources, stated[0])
    check_size("x" if one_side else "x[1]", num_targets, stated[1])
    if isinstance(key, Tensor):
        check_device("edge_index", key, reference)
        if torch.is_grad_enabled() and not torch.compiler.is_compiling() and key.is_inference():
            key = key.clone()  # autograd saves no tensor of inference mode
        edges = Edges(key, num_sources, num_targets, add_loops=add_loops, reverse=reverse)
        if not torch.compiler.is_compiling():
            rows = (num_targets, num_sources) if reverse else (num_sources, num_targets)
            check_once(key, *rows)
    else:
        edges = key.edges(add_loops, reverse)
        check_device("edge_index", edges.key, reference)
    attr = stored_attr if attr is None else attr
    if weight is None and attr is None:
        return Arcs(graph, edges, None, None)
    return _align(graph, edges, weight, attr, fill_value, reference)


def _stored(
    graph: Graph, size: tuple[int, int] | None, reverse: bool, reference: Tensor
) -> tuple[Graph, tuple[int | None, int | None], Tensor | None]:
    """Plain edge_index or structure; how many sources and targets it states; values it carries."""
    if not isinstance(graph, Tensor):
        if isinstance(graph, type) or not isinstance(graph, Structure):
            raise InputError(
                f"edge_index is a {type(graph).__name__}, but must be a tensor of shape (2, arcs), "
                "a sparse adjacency matrix or an edge structure, or a list of these, one per head"
            )
        edges = graph.edges(False, reverse)
        return graph, (edges.num_sources, edges.num_targets), None
    if is_torch_sparse_tensor(graph):
        if reverse:
            raise InputError(
                'flow="target_to_source" takes no sparse adjacency; transpose it instead: adj.t()'
            )
        if graph.dim() - graph.dense_dim() != 2:
            raise InputError(
                f"edge_index is sparse of shape {tuple(graph.shape)}, but an adjacency matrix has "
                "two sparse dimensions: targets and sources"
            )
        check_device("edge_index", graph, reference)
        check_has_numbers("edge_index", graph)
        values = _whole(graph).values() if graph.dense_dim() > 0 else None
        return _index_of(graph), (graph.size(1), graph.size(0)), values
    if size is not None and len(size) != 2:
        raise InputError(f"size={size!r} must be two numbers: of sources and of targets")
    stated: tuple[int | None, int | None] = (None, None) if size is None else size
    if isinstance(graph, EdgeIndex):
        rows, columns = graph.sparse_size()
        stated = (columns, rows) if reverse else (rows, columns)
    index = graph.as_tensor() if isinstance(graph, EdgeIndex) else graph
    check_edge_index_form(index)
    return index.long(), stated, None


# edge_index of sparse adjacencies by their version: the same tensor again, so sorted once.
_indices: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


def _index_of(adjacency: Tensor) -> Tensor:
    if adjacency.is_inference() or torch.compiler.is_compiling():
        return _read_index(adjacency)
    known: tuple[int, Tensor] | None = _indices.get(adjacency)  # type: ignore[no-untyped-call]
    if known is None or known[0] != adjacency._version:
        known = _indices[adjacency] = (adjacency._version, _read_index(adjacency))
    return known[1]


def _read_index(adjacency: Tensor) -> Tensor:
    """Sources and targets of an adjacency matrix, whose rows are targets."""
    if adjacency.layout == torch.sparse_coo:  # to_edge_index would write to it
        return adjacency.detach().coalesce().indices().flip(0)
    index: Tensor = to_edge_index(adjacency.detach())[0]
    return index.flip(0)


def _whole(adjacency: Tensor) -> Tensor:
    return adjacency.coalesce() if adjacency.layout == torch.sparse_coo else adjacency


def _align(
    graph: Graph,
    edges: Edges,
    weight: Tensor | None,
    attr: Tensor | None,
    fill_value: Any,
    reference: Tensor,
) -> Arcs:
    """Drop the values of stored self-loops and append those of the loops that are added."""
    source, target = replace(edges, add_loops=False).arc_index()
    if weight is not None:
        weight = check_edge_weight(weight, source.numel(), reference)
    if attr is not None:
        attr = check_per_arc("edge_attr", attr, source.numel(), reference)
        attr = attr.unsqueeze(-1) if attr.dim() == 1 else attr
        if attr.dim() != 2:
            raise InputError(
                f"edge_attr has shape {tuple(attr.shape)}, but needs (arcs, channels); flatten it"
            )
    if not edges.add_loops:
        return Arcs(graph, edges, weight, attr)
    kept = source != target
    loops = min(edges.num_sources, edges.num_targets)
    if weight is not None:
        weight = torch.cat([weight[kept], weight.new_ones(loops)])
    if attr is not None:
        # As in PyG, a loop's attributes come from the arcs whose edge_index[1] is the node.
        ends = torch.stack([target, source] if edges.reverse else [source, target])[:, kept]
        nodes = edges.num_sources if edges.reverse else edges.num_targets
        fill = compute_loop_attr(ends, attr[kept], nodes, False, fill_value)
        attr = torch.cat([attr[kept], fill[:loops]])
    return Arcs(graph, edges, weight, attr)
