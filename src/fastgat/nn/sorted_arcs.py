"""Arcs sorted by target and by source, once per edge_index.

What was sorted is found again by weak reference to the tensor, never by its address alone. Every
change in place raises the tensor's version, and `tensor.data = other` changes address or shape.
Like autograd it does not see what is written through `tensor.data` or NumPy.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from fastgat import _core
from fastgat.nn.inputs import check_edge_index

# num_sources, num_targets, add_loops, reverse, with_ids
Options = tuple[int, int, bool, bool, bool]


class _Sorted:
    """What is known of one version of an edge_index."""

    def __init__(self, version: tuple[int, int, torch.Size]) -> None:
        self.version = version
        self.arcs: dict[Options, _core.Arcs] = {}
        self.checked: set[tuple[int, int]] = set()


_known: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


def _of(edge_index: Tensor) -> _Sorted:
    known: _Sorted | None = _known.get(edge_index)  # type: ignore[no-untyped-call]
    version = (edge_index._version, edge_index.data_ptr(), edge_index.shape)
    if known is None or known.version != version:
        known = _known[edge_index] = _Sorted(version)
    return known


def check_once(edge_index: Tensor, num_sources: int, num_targets: int) -> None:
    """Refuse node numbers outside the graph; looks at each version of an edge_index once."""
    sizes = (num_sources, num_targets)
    if edge_index.is_inference():
        check_edge_index(edge_index, *sizes)
        return
    known = _of(edge_index)
    if sizes not in known.checked:
        check_edge_index(edge_index, *sizes)
        known.checked.add(sizes)


def arcs_of_edge_index(edge_index: Tensor, options: Options) -> _core.Arcs:
    """The sorted arcs of an edge_index, made on the first call for it."""
    if edge_index.is_inference():  # has no version: a change could not be seen
        return sort_arcs(edge_index, options)
    known = _of(edge_index)
    if options not in known.arcs:
        known.arcs[options] = sort_arcs(edge_index, options)
    return known.arcs[options]


def sort_arcs(edge_index: Tensor, options: Options) -> _core.Arcs:
    """Sort the arcs of an edge_index by target and by source. The core checks the node numbers."""
    num_sources, num_targets, add_loops, reverse, with_ids = options
    source, target = edge_index.detach().flip(0) if reverse else edge_index.detach()
    if add_loops and num_sources != num_targets:  # loops the core cannot imply: spell them out
        source, target = order_arcs(edge_index, num_sources, num_targets, add_loops, reverse)
        add_loops = False
    ends = (source.contiguous().numpy(), target.contiguous().numpy())
    arcs = _core.Arcs.from_ends(*ends, num_sources, num_targets, add_loops, with_ids)
    if arcs.has_repeats and not with_ids:  # dropout tells repeated arcs apart by their ids
        arcs = _core.Arcs.from_ends(*ends, num_sources, num_targets, add_loops, True)
    return arcs


def order_arcs(
    edge_index: Tensor, num_sources: int, num_targets: int, add_loops: bool, reverse: bool
) -> tuple[Tensor, Tensor]:
    """Sources and targets in the order of values per arc: loops dropped, then one per node.

    Of a graph with two kinds of nodes, as many have loops as there are of the fewer, as in PyG.
    """
    source, target = edge_index.flip(0) if reverse else edge_index
    if not add_loops:
        return source, target
    kept = source != target
    loops = torch.arange(min(num_sources, num_targets), device=edge_index.device)
    return torch.cat([source[kept], loops]), torch.cat([target[kept], loops])
