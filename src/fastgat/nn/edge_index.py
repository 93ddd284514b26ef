"""From what PyG calls edge_index, in all its forms, to sorted arcs and values per arc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
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
from fastgat.nn.arcs import (
    SortedArcs,
    check_edge_index,
    order_arcs,
    sort_arcs,
)
from fastgat.nn.operator import (
    cached,
    check_edge_index_form,
    check_has_numbers,
    is_traced,
)
from fastgat.nn.projection import check_device, check_float

GraphInput: TypeAlias = Tensor | SortedArcs  # edge_index, EdgeIndex, sparse adjacency, sorted arcs
# One graph for all heads, or one per head.
EdgeIndexLike: TypeAlias = GraphInput | list[Any] | tuple[Any, ...]


@dataclass(frozen=True)
class LayerArcs:
    """The arcs of a call, with the values a layer was given for them, loops included.

    Args:
        graph: as the caller gave it, to be returned beside coefficients.
        arcs: what attention runs over.
        weight: a prior per arc, in the order of `arcs.arc_index()`.
        attr: (arcs, channels), in the same order.
        added_loops: the layer has put loops of its own in place of the graph's.
        is_reversed: the rows of `graph` are targets and sources.
    """

    graph: GraphInput
    arcs: SortedArcs
    weight: Tensor | None
    attr: Tensor | None
    added_loops: bool
    is_reversed: bool

    def coefficients_on_graph(self, alpha: Tensor) -> tuple[Tensor, Tensor]:
        """Give (edge_index, alpha) as PyG does: the graph with its loops, alpha in that order."""
        looped = self.graph
        source, target = self.arcs.arc_index()
        if not isinstance(looped, Tensor):
            return torch.stack([target, source] if self.is_reversed else [source, target]), alpha
        if self.added_loops:
            if looped.layout == torch.sparse_csc:  # PyG adds no loops to this layout
                looped = looped.to_sparse_csr()
            looped, _ = remove_self_loops(looped)
            loops = min(self.arcs.num_sources, self.arcs.num_targets)
            looped, _ = add_self_loops(looped, num_nodes=loops)
        if not is_torch_sparse_tensor(looped):
            return looped, alpha
        if self.added_loops:  # a matrix keeps its entries in order, row by row
            alpha = alpha[torch.argsort(target * self.arcs.num_sources + source)]
        return set_sparse_value(looped.detach(), alpha), alpha


def read_arcs(
    graph: GraphInput,
    num_sources: int,
    num_targets: int | None,
    like: Tensor,
    *,
    size: tuple[int, int] | None = None,
    add_loops: bool,
    reverse: bool,
    weight: Tensor | None = None,
    attr: Tensor | None = None,
    fill_value: float | Tensor | str = "mean",
    needs_ids: bool = False,
) -> LayerArcs:
    """Check a graph against the features at its ends, and align the values given for its arcs.

    Args:
        graph: in any of its forms.
        num_sources: rows of the features of sources.
        num_targets: None: the graph says how many there are, or as many as sources.
        like: has the dtype and device that values must have.
        size: how many sources and targets an edge_index is said to have.
        add_loops: leave out the graph's own self-loops and give every node one.
        reverse: the rows of edge_index are targets and sources.
        weight: a prior of at least 0 per arc.
        attr: attributes per arc.
        fill_value: how the attributes of added loops follow from those of arcs, as in PyG.
        needs_ids: keep the order of arcs in any case.
    """
    index, stated, stored_attr = _read_form(graph, size, reverse, like)
    if num_targets is None:
        num_targets = num_sources if stated[1] is None else stated[1]
    one_side = num_sources == num_targets
    _check_size("x" if one_side else "x[0]", num_sources, stated[0])
    _check_size("x" if one_side else "x[1]", num_targets, stated[1])
    attr = stored_attr if attr is None else attr
    with_ids = needs_ids or weight is not None or attr is not None
    if isinstance(index, Tensor):
        check_device("edge_index", index.device, like.device)
        sizes = (num_sources, num_targets)
        arcs = _sorted_once(index, *sizes, add_loops, reverse, with_ids)
        ends = order_arcs(index.long(), *sizes, False, reverse) if with_ids else None
    else:
        check_device("edge_index", index.by_target.other.device, like.device)
        given = index.with_ids() if with_ids else index
        given = given.reversed() if reverse else given
        arcs = given.with_loops() if add_loops else given
        ends = given.arc_index() if with_ids else None
        add_loops = add_loops and not given.has_loops
    if weight is not None or attr is not None:
        assert ends is not None
        loops = min(num_sources, num_targets) if add_loops else None
        nodes = num_sources if reverse else num_targets
        weight, attr = _align(ends, loops, weight, attr, fill_value, like, reverse, nodes)
    return LayerArcs(graph, arcs, weight, attr, add_loops, reverse)


def _sorted_once(
    index: Tensor,
    num_sources: int,
    num_targets: int,
    add_loops: bool,
    reverse: bool,
    with_ids: bool,
) -> SortedArcs:
    options = {"add_loops": add_loops, "reverse": reverse, "with_ids": with_ids}
    if is_traced(index):
        return sort_arcs(index.long(), num_sources, num_targets, **options)

    def sort() -> SortedArcs:
        rows = (num_targets, num_sources) if reverse else (num_sources, num_targets)
        wide = index.long()  # here, since the cache knows the caller's tensor and no copy of it
        check_edge_index(wide, *rows)
        return sort_arcs(wide, num_sources, num_targets, **options)

    return cached(index, (num_sources, num_targets, *options.values()), sort)


def _read_form(
    graph: GraphInput, size: tuple[int, int] | None, reverse: bool, like: Tensor
) -> tuple[GraphInput, tuple[int | None, int | None], Tensor | None]:
    """Plain edge_index or arcs; how many sources and targets are stated; values it carries."""
    if isinstance(graph, SortedArcs):
        ends = (graph.num_sources, graph.num_targets)
        return graph, ends[::-1] if reverse else ends, None
    if not isinstance(graph, Tensor):
        raise InputError(
            f"edge_index is a {type(graph).__name__}, but must be a tensor of shape (2, arcs), "
            "a sparse adjacency matrix or SortedArcs, or a list of these, one per head"
        )
    if is_torch_sparse_tensor(graph):
        return _read_adjacency(graph, reverse, like)
    if size is not None and len(size) != 2:
        raise InputError(f"size={size!r} must be two numbers: of sources and of targets")
    stated: tuple[int | None, int | None] = (None, None) if size is None else size
    if isinstance(graph, EdgeIndex):
        rows, columns = graph.sparse_size()
        stated = (columns, rows) if reverse else (rows, columns)
    index = graph.as_tensor() if isinstance(graph, EdgeIndex) else graph
    check_edge_index_form(index)
    return index, stated, None


def _read_adjacency(
    graph: Tensor, reverse: bool, like: Tensor
) -> tuple[Tensor, tuple[int, int], Tensor | None]:
    if reverse:
        raise InputError(
            'flow="target_to_source" takes no sparse adjacency; transpose it instead: adj.t()'
        )
    if graph.dim() - graph.dense_dim() != 2:
        raise InputError(
            f"edge_index is sparse of shape {tuple(graph.shape)}, but an adjacency matrix has "
            "two sparse dimensions: targets and sources"
        )
    check_device("edge_index", graph.device, like.device)
    check_has_numbers("edge_index", graph)
    values = None
    if graph.dense_dim() > 0:
        values = (graph.coalesce() if graph.layout == torch.sparse_coo else graph).values()
    if torch.compiler.is_compiling():
        return _ends_of(graph), (graph.size(1), graph.size(0)), values
    with torch.inference_mode(False):  # what is sorted is not kept of a tensor of inference mode
        index = cached(graph, "edge_index", lambda: _ends_of(graph))
    return index, (graph.size(1), graph.size(0)), values


def _ends_of(adjacency: Tensor) -> Tensor:
    """Sources and targets of an adjacency matrix, whose rows are targets."""
    if adjacency.layout == torch.sparse_coo:  # to_edge_index would write to it
        return adjacency.detach().coalesce().indices().flip(0)
    index: Tensor = to_edge_index(adjacency.detach())[0]
    return index.flip(0)


def _align(
    ends: tuple[Tensor, Tensor],
    loops: int | None,
    weight: Tensor | None,
    attr: Tensor | None,
    fill_value: Any,
    like: Tensor,
    reverse: bool,
    num_nodes: int,
) -> tuple[Tensor | None, Tensor | None]:
    """Drop the values of stored self-loops and append those of the `loops` that are added."""
    source, target = ends
    if weight is not None:
        weight = _check_edge_weight(weight, source.numel(), like)
    if attr is not None:
        attr = _check_per_arc("edge_attr", attr, source.numel(), like)
        attr = attr.unsqueeze(-1) if attr.dim() == 1 else attr
        if attr.dim() != 2:
            raise InputError(
                f"edge_attr has shape {tuple(attr.shape)}, but needs (arcs, channels); flatten it"
            )
    if loops is None:
        return weight, attr
    kept = source != target
    if weight is not None:
        weight = torch.cat([weight[kept], weight.new_ones(loops)])
    if attr is not None:
        # As in PyG, a loop's attributes come from the arcs whose edge_index[1] is the node.
        rows = torch.stack([target, source] if reverse else [source, target])[:, kept]
        fill = compute_loop_attr(rows, attr[kept], num_nodes, False, fill_value)
        attr = torch.cat([attr[kept], fill[:loops]])
    return weight, attr


def _check_size(name: str, num_nodes: int, stated: int | None) -> None:
    """Refuse features whose number of rows is not what the graph or `size` states."""
    if stated is not None and num_nodes != stated:
        raise InputError(
            f"{name} has {num_nodes} rows, but the graph has {stated} nodes on that side; "
            "give one row per node"
        )


def _check_per_arc(name: str, values: object, num_arcs: int, like: Tensor) -> Tensor:
    """Return `values` if it has one row per stored arc, in the dtype and place of `like`."""
    if not isinstance(values, Tensor):
        raise InputError(f"{name} is a {type(values).__name__}, but must be a tensor")
    if values.layout != torch.strided:
        raise InputError(f"{name} has layout {values.layout}, but must be dense: {name}.to_dense()")
    if values.dim() == 0 or values.size(0) != num_arcs:
        raise InputError(
            f"{name} has shape {tuple(values.shape)}, but edge_index has {num_arcs} arcs; "
            "give one row per arc, without the self-loops that the layer adds"
        )
    check_float(name, values, like)
    return values


def _check_edge_weight(weight: object, num_arcs: int, like: Tensor) -> Tensor:
    """Return `weight` if it is one finite number of at least zero per stored arc."""
    weight = _check_per_arc("edge_weight", weight, num_arcs, like)
    if weight.dim() != 1:
        raise InputError(
            f"edge_weight has shape {tuple(weight.shape)}, but needs ({num_arcs},): one number per "
            "arc; squeeze it"
        )
    if torch.compiler.is_compiling():  # a look at the values would break the graph
        return weight
    bad = ~(weight.detach() >= 0) | weight.detach().isinf()
    if bool(bad.any()):
        where = int(bad.nonzero()[0])
        raise InputError(
            f"edge_weight[{where}]={float(weight[where].detach())} must be finite and at least 0; "
            "it multiplies exp(score), so use exp(weight) for weights of either sign"
        )
    return weight
