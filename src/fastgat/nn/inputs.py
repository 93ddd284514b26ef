"""Checks of what a layer is called with: one sentence each, before anything is computed."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.nn.sparse_features import SparseFeatures

_HALF = (torch.float16, torch.bfloat16)


def check_features(name: str, x: object) -> Tensor:
    """Return `x` if it is a matrix of node features, dense or torch.sparse_csr."""
    if isinstance(x, SparseFeatures):  # as good as a tensor, where it is only multiplied
        return cast(Tensor, x)
    if not isinstance(x, Tensor):
        raise InputError(f"{name} is a {type(x).__name__}, but must be a tensor of node features")
    if x.layout not in (torch.strided, torch.sparse_csr):
        raise InputError(
            f"{name} has layout {x.layout}, but must be dense or torch.sparse_csr: "
            f"{name}.to_sparse_csr()"
        )
    if x.dim() != 2:
        raise InputError(
            f"{name} has shape {tuple(x.shape)}, but needs two dimensions: nodes and channels; "
            "batch several graphs as one graph without edges between them"
        )
    return x


def check_channels(name: str, x: Tensor, weight: Tensor) -> None:
    """Refuse features that `weight` cannot multiply."""
    check_float(name, x, weight)
    if x.size(1) != weight.size(1):
        raise InputError(
            f"{name} has {x.size(1)} channels, but the layer was made for {weight.size(1)}; "
            "-1 in its place takes the number from the first input"
        )


def check_float(name: str, values: Tensor, weight: Tensor) -> None:
    """Refuse values in another dtype or on another device than the layer's parameters."""
    if values.dtype in _HALF or weight.dtype in _HALF:
        half = values.dtype if values.dtype in _HALF else weight.dtype
        raise InputError(
            f"{name} and the layer meet in {half}, which loses too much in a sum over arcs; "
            "use float32, or torch.autocast for the layers around this one"
        )
    if values.dtype != weight.dtype:
        raise InputError(
            f"{name} has dtype {values.dtype}, but the layer's parameters have {weight.dtype}; "
            f"cast one of them: {name}.to({weight.dtype}) or layer.to({values.dtype})"
        )
    check_device(name, values, weight)


def check_device(name: str, values: Tensor, other: Tensor) -> None:
    """Refuse values on another device than the layer's parameters."""
    if values.device != other.device:
        raise InputError(
            f"{name} is on {values.device}, but the layer is on {other.device}; "
            f"move one of them: {name}.to({str(other.device)!r})"
        )


def check_has_numbers(name: str, values: Tensor) -> None:
    """Refuse a tensor without numbers."""
    if values.device.type == "meta":
        raise InputError(
            f"{name} is on meta, where tensors have no entries, but they say which nodes meet; "
            "use another device"
        )


def check_size(name: str, num_nodes: int, stated: int | None) -> None:
    """Refuse features whose number of rows is not what the graph or `size` states."""
    if stated is not None and num_nodes != stated:
        raise InputError(
            f"{name} has {num_nodes} rows, but the graph has {stated} nodes on that side; "
            "give one row per node"
        )


def check_edge_index_form(edge_index: object) -> None:
    """Refuse an edge_index that is not two rows of whole numbers. Looks at no entry."""
    if not isinstance(edge_index, Tensor):
        raise InputError(
            f"edge_index is a {type(edge_index).__name__}, but must be a tensor of shape (2, arcs)"
        )
    if edge_index.layout != torch.strided:
        raise InputError(
            f"edge_index has layout {edge_index.layout}, but must be dense of shape (2, arcs), or "
            "an adjacency of layout torch.sparse_csr: edge_index.to_dense().to_sparse_csr()"
        )
    kind = edge_index.dtype
    if kind.is_floating_point or kind.is_complex or kind == torch.bool:
        raise InputError(
            f"edge_index has dtype {edge_index.dtype}, but node numbers are whole: "
            "edge_index.long()"
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        hint = "; transpose it" if edge_index.dim() == 2 and edge_index.size(1) == 2 else ""
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}, needs (2, arcs){hint}")


def check_edge_index(edge_index: Tensor, num_sources: int, num_targets: int) -> None:
    """Refuse node numbers outside the graph: a pass over the entries, so once per structure.

    The first row names sources, the second targets.
    """
    check_has_numbers("edge_index", edge_index)
    if edge_index.size(1) == 0:
        return
    lowest, highest = edge_index.amin(1).tolist(), edge_index.amax(1).tolist()
    for row, count in ((0, num_sources), (1, num_targets)):
        if lowest[row] < 0:
            raise InputError(
                f"edge_index names node {lowest[row]} in row {row}, but nodes count from 0; "
                "drop the columns that only fill up"
            )
        if highest[row] >= count:
            raise InputError(
                f"edge_index names node {highest[row]} in row {row}, but x has {count} rows there; "
                "give features for every node, or drop the arc"
            )


def check_per_arc(name: str, values: object, num_arcs: int, reference: Tensor) -> Tensor:
    """Return `values` if it has one row per stored arc, in the reference's dtype and place."""
    if not isinstance(values, Tensor):
        raise InputError(f"{name} is a {type(values).__name__}, but must be a tensor")
    if values.layout != torch.strided:
        raise InputError(f"{name} has layout {values.layout}, but must be dense: {name}.to_dense()")
    if values.dim() == 0 or values.size(0) != num_arcs:
        raise InputError(
            f"{name} has shape {tuple(values.shape)}, but edge_index has {num_arcs} arcs; "
            "give one row per arc, without the self-loops that the layer adds"
        )
    check_float(name, values, reference)
    return values


def check_edge_weight(weight: object, num_arcs: int, reference: Tensor) -> Tensor:
    """Return `weight` if it is one finite number of at least zero per stored arc."""
    weight = check_per_arc("edge_weight", weight, num_arcs, reference)
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
