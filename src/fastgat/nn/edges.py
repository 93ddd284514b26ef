"""Which arcs a layer works on, and how its operators find them sorted.

Operators are told of a graph by a tensor, its key: an `edge_index`, or the key of an
`EdgeStructure`. Tensors are all that torch's operators take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from fastgat import _core
from fastgat.check import InputError, check_count
from fastgat.graph import Graph
from fastgat.nn.inputs import check_edge_index, check_edge_index_form
from fastgat.nn.sorted_arcs import Options, arcs_of_edge_index, order_arcs, sort_arcs

_MOST_NODES = 2**31 - 1


class EdgeStructure:
    """A graph prepared for attention: pass it to a layer in place of `edge_index`.

    Made from an `edge_index` or from a `Graph` (both directions of every edge). Layers given the
    same `edge_index` tensor again sort it once by themselves; a structure is for graphs that never
    were an `edge_index`, and takes a quarter of its memory.
    """

    def __init__(self, graph: Graph | Tensor, num_sources: int, num_targets: int) -> None:
        """Use `from_edge_index` or `from_graph`."""
        self.num_sources = num_sources
        self.num_targets = num_targets
        self._take_key(graph)

    @classmethod
    def from_edge_index(
        cls, edge_index: Tensor, num_sources: int, num_targets: int | None = None
    ) -> EdgeStructure:
        """Arcs from `edge_index[0]` to `edge_index[1]`; a copy of it is kept."""
        num_sources = check_count("num_sources", num_sources, 0, _MOST_NODES)
        targets = num_sources
        if num_targets is not None:
            targets = check_count("num_targets", num_targets, 0, _MOST_NODES)
        check_edge_index_form(edge_index)
        check_edge_index(edge_index, num_sources, targets)
        return cls(edge_index.detach().long().clone(), num_sources, targets)

    @classmethod
    def from_graph(cls, graph: Graph) -> EdgeStructure:
        """Both directions of every edge, neighbour lists one after the other."""
        if not isinstance(graph, Graph):
            raise InputError(
                f"graph is a {type(graph).__name__}, but must be a fastgat.Graph; "
                "EdgeStructure.from_edge_index takes tensors"
            )
        return cls(graph, graph.num_nodes, graph.num_nodes)

    def edge_index(self) -> Tensor:
        """The arcs in the order of values per arc, (2, num_arcs)."""
        return self._prepared.edge_index()

    def edges(self, add_loops: bool, reverse: bool = False) -> Edges:
        """The arcs for one call; reversed, they run from the targets to the sources."""
        ends = (self.num_sources, self.num_targets)
        sources, targets = reversed(ends) if reverse else ends
        return Edges(self.key, sources, targets, add_loops, reverse)

    def _take_key(self, graph: Graph | Tensor) -> None:
        # Nothing but its identity is ever used: the operators find the arcs by it. Autograd saves
        # it, which it could not do with one made in inference mode.
        with torch.inference_mode(False):
            self.key = torch.zeros(0, dtype=torch.int64)
        self._prepared = _by_key[self.key] = _Prepared(graph)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again on demand."""
        return {
            "graph": self._prepared.graph,
            "num_sources": self.num_sources,
            "num_targets": self.num_targets,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a key of its own."""
        self.num_sources, self.num_targets = state["num_sources"], state["num_targets"]
        self._take_key(state["graph"])

    def __repr__(self) -> str:
        """Its sizes."""
        return f"EdgeStructure(num_sources={self.num_sources}, num_targets={self.num_targets})"


class _Prepared:
    """What a key stands for. It does not know its key, or the two would keep each other alive."""

    def __init__(self, graph: Graph | Tensor) -> None:
        self.graph = graph
        self._sorted: dict[Options, _core.Arcs] = {}

    def edge_index(self) -> Tensor:
        """The arcs in the order of values per arc."""
        if isinstance(self.graph, Tensor):
            return self.graph
        rows = self.graph.adjacency
        offset, neighbor = (torch.from_numpy(part) for part in (rows.offset, rows.neighbor))
        target = torch.repeat_interleave(torch.arange(self.graph.num_nodes), offset.diff())
        return torch.stack([neighbor.long(), target])

    def arcs(self, options: Options) -> _core.Arcs:
        """The arcs as the kernels read them; sorted on the first call."""
        if options not in self._sorted:
            _, _, add_loops, reverse, with_ids = options
            if isinstance(self.graph, Tensor):
                self._sorted[options] = sort_arcs(self.graph, options)
            elif reverse and with_ids:  # values per arc keep their order, which is no longer ours
                self._sorted[options] = sort_arcs(self.edge_index(), options)
            else:
                rows = self.graph.adjacency
                self._sorted[options] = _core.Arcs.from_adjacency(rows, add_loops, with_ids)
        return self._sorted[options]


_by_key: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


@dataclass(frozen=True)
class Edges:
    """The arcs of one call. Light to make: the sorting behind it is done once per `key`.

    Arcs run from sources to targets. Values given per arc follow the order of `arc_index`: the
    arcs of `key` in their order (without self-loops, if `add_loops`), then one loop per node.
    """

    key: Tensor  # edge_index (2, num_arcs) of int64, or the `key` of an EdgeStructure (one axis)
    num_sources: int
    num_targets: int
    add_loops: bool = False  # leave out the self-loops of `key` and give every target its own
    reverse: bool = False  # the rows of `key` are (target, source): PyG's "target_to_source"

    def arc_index(self) -> tuple[Tensor, Tensor]:
        """Sources and targets of all arcs, loops last, as int64 tensors on the key's device."""
        ends = self.key if self.key.dim() == 2 else _by_key[self.key].edge_index()
        return order_arcs(ends, self.num_sources, self.num_targets, self.add_loops, self.reverse)

    def arcs(self, *, with_ids: bool) -> _core.Arcs:
        """The arcs as the kernels read them; sorted on the first call for this key."""
        options = (self.num_sources, self.num_targets, self.add_loops, self.reverse, with_ids)
        if self.key.dim() == 2:
            return arcs_of_edge_index(self.key, options)
        prepared: _Prepared = _by_key[self.key]
        return prepared.arcs(options)
