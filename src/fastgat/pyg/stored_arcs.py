"""The arcs of a PyG store: a `Data`, or one relation of a `HeteroData`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.check import InputError, check_count, weight_array

WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True)
class StoredArcs:
    """Arcs in one numbering of their nodes, graph after graph.

    Args:
        source: where every arc starts.
        target: where it ends.
        weight: of every arc; None where none is stored.
        ptr: nodes ptr[k] to ptr[k + 1] are graph k.
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    ptr: NDArray[np.int64]


def read_stored_arcs(data: Any, store: Any, is_batch: bool) -> StoredArcs:
    """Check a store and read its arcs, to the CPU where they are elsewhere.

    The nodes of a relation between two types are numbered type by type, in the order of the types'
    names: so a relation and its reverse are the same graph, and keep the same edges.

    Args:
        data: what the store belongs to, which knows the numbers of nodes.
        store: a `Data`'s own, or that of one relation.
        is_batch: `data` has several graphs, told apart by `ptr`.
    """
    ends = _check_index(store["edge_index"])
    weight = _check_weight(store.get("edge_weight"), ends.shape[1])
    if ends.shape[1] == 0:
        return StoredArcs(ends[0], ends[1], weight, np.zeros(2, np.int64))
    if store._key is None:
        ptr = _node_bounds(data, is_batch, "data")
        _check_nodes(ends, ptr, ptr)
        return StoredArcs(ends[0], ends[1], weight, ptr)
    first, _, second = store._key
    source_ptr = _node_bounds(data[first], is_batch, f"data[{first!r}]")
    target_ptr = _node_bounds(data[second], is_batch, f"data[{second!r}]")
    _check_nodes(ends, source_ptr, target_ptr)
    if first == second:
        return StoredArcs(ends[0], ends[1], weight, source_ptr)
    source_graph = np.searchsorted(source_ptr, ends[0], side="right") - 1
    target_graph = np.searchsorted(target_ptr, ends[1], side="right") - 1
    before, after = (0, 1) if first < second else (1, 0)
    source = ends[0] + target_ptr[source_graph + before]
    target = ends[1] + source_ptr[target_graph + after]
    return StoredArcs(source, target, weight, source_ptr + target_ptr)


def _check_index(edge_index: Any) -> NDArray[np.int64]:
    if not isinstance(edge_index, Tensor) or edge_index.layout != torch.strided:
        raise InputError(
            f"edge_index is a {_kind(edge_index)}, but Sparsify needs a tensor of shape (2, arcs)"
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}, but needs (2, arcs)")
    if edge_index.dtype not in WHOLE:
        raise InputError(
            f"edge_index has dtype {edge_index.dtype}, but node numbers are whole: cast it"
        )
    plain = edge_index.detach().as_subclass(Tensor)  # torch_geometric.EdgeIndex is a subclass
    ends: NDArray[np.int64] = plain.cpu().long().numpy()
    return ends


def _check_weight(weight: Any, num_arcs: int) -> NDArray[np.float64] | None:
    if weight is None:
        return None
    if isinstance(weight, np.ndarray) and weight.dtype.kind in "biuf":
        weight = torch.as_tensor(weight)
    is_dense = isinstance(weight, Tensor) and weight.layout == torch.strided
    if not is_dense or weight.is_complex():
        raise InputError(
            f"edge_weight is a {_kind(weight)}, but weights are a tensor of real numbers"
        )
    return weight_array("edge_weight", weight.detach().cpu().double().numpy(), num_arcs)


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"tensor of {value.layout} and {value.dtype}"
    return type(value).__name__


def _node_bounds(store: Any, is_batch: bool, name: str) -> NDArray[np.int64]:
    """Where the nodes of each graph begin and end."""
    if is_batch:
        ptr = store.get("ptr")
        if not isinstance(ptr, Tensor) or ptr.dtype not in WHOLE or ptr.dim() != 1:
            raise InputError(
                f"{name} is a batch without ptr, so its graphs cannot be told apart; "
                "make it with Batch.from_data_list"
            )
        bounds: NDArray[np.int64] = ptr.cpu().long().numpy()
        if bounds.size < 2 or bounds[0] != 0 or (np.diff(bounds) < 0).any():
            raise InputError(f"ptr of {name} must rise from 0 to the number of nodes")
        return bounds
    num_nodes = store.num_nodes
    if num_nodes is None:
        raise InputError(f"{name} does not know its number of nodes; set {name}.num_nodes")
    if isinstance(num_nodes, Tensor) and num_nodes.numel() == 1:
        num_nodes = num_nodes.item()
    return np.array([0, check_count("num_nodes", num_nodes)], np.int64)


def _check_nodes(
    ends: NDArray[np.int64], source_ptr: NDArray[np.int64], target_ptr: NDArray[np.int64]
) -> None:
    size = np.array([[source_ptr[-1]], [target_ptr[-1]]])
    row, arc = np.nonzero((ends < 0) | (ends >= size))
    if row.size:
        side, at = int(row[0]), int(arc[0])
        raise InputError(
            f"edge_index[{side}, {at}] names node {ends[side, at]}, but num_nodes={size[side, 0]}"
        )
