"""Arcs sorted by target and by source, once per edge_index.

What was sorted is found again by weak reference to the tensor and by its version, which every change
in place raises: never by address, and never stale.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from fastgat import _core
from fastgat.check import InputError

# num_sources, num_targets, add_loops, reverse, with_ids
Options = tuple[int, int, bool, bool, bool]


class _Sorted:
    """What was sorted for one version of an edge_index."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.arcs: dict[Options, _core.Arcs] = {}


_known: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


def arcs_of_edge_index(edge_index: Tensor, options: Options) -> _core.Arcs:
    """The sorted arcs of an edge_index, made on the first call for it."""
    if edge_index.is_inference():  # has no version: a change could not be seen
        return sort_arcs(edge_index, options)
    known: _Sorted | None = _known.get(edge_index)
    if known is None or known.version != edge_index._version:
        known = _known[edge_index] = _Sorted(edge_index._version)
    if options not in known.arcs:
        known.arcs[options] = sort_arcs(edge_index, options)
    return known.arcs[options]


def sort_arcs(edge_index: Tensor, options: Options) -> _core.Arcs:
    """Sort the arcs of an edge_index by target and by source."""
    num_sources, num_targets, add_loops, reverse, with_ids = options
    ends = (num_targets, num_sources) if reverse else (num_sources, num_targets)
    check_edge_index(edge_index, *ends)
    rows = edge_index.detach().contiguous().numpy()
    source, target = rows[::-1] if reverse else rows
    sizes = (num_sources, num_targets, add_loops)
    arcs = _core.Arcs.from_ends(source, target, *sizes, with_ids)
    if arcs.has_repeats and not with_ids:  # dropout tells repeated arcs apart by their ids
        arcs = _core.Arcs.from_ends(source, target, *sizes, True)
    return arcs


def order_arcs(
    edge_index: Tensor, num_targets: int, add_loops: bool, reverse: bool
) -> tuple[Tensor, Tensor]:
    """Sources and targets in the order of values per arc: loops dropped, then one per node."""
    source, target = edge_index.flip(0) if reverse else edge_index
    if not add_loops:
        return source, target
    kept = source != target
    loops = torch.arange(num_targets, device=edge_index.device)
    return torch.cat([source[kept], loops]), torch.cat([target[kept], loops])


def check_edge_index(edge_index: Tensor, num_sources: int, num_targets: int) -> None:
    """Refuse what is not (2, num_arcs) of int64 with nodes in range."""
    if edge_index.dtype != torch.int64:
        raise InputError(f"edge_index has dtype {edge_index.dtype}, needs torch.int64: use .long()")
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}, needs (2, num_arcs)")
    if edge_index.size(1) == 0:
        return
    low, high = (ends.tolist() for ends in edge_index.aminmax(dim=1))
    for row, count, side in ((0, num_sources, "source"), (1, num_targets, "target")):
        if low[row] < 0 or high[row] >= count:
            node = low[row] if low[row] < 0 else high[row]
            raise InputError(
                f"edge_index names {side} node {node}, but there are {count} {side} nodes, "
                f"numbered from 0 to {count - 1}"
            )
