"""Which arcs a layer works on, and how its operators find them sorted.

Operators are told of a graph by a tensor, its key: an `edge_index`, or the key of an
`EdgeStructure`. Tensors are all that torch's operators take.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from fastgat import _core
from fastgat.check import InputError, check_count
from fastgat.graph import Graph
from fastgat.nn.inputs import check_edge_index, check_edge_index_form
from fastgat.nn.sorted_arcs import Options, arcs_of_edge_index, order_arcs, sort_arcs
from fastgat.sparsify import PreparedSparsifier

_MOST_NODES = 2**31 - 1


class _Source:
    """Where a structure's arcs come from, and what was sorted of them."""

    def __init__(self, given: Tensor | Graph | _core.Arcs) -> None:
        self.given = given
        self.sorted: dict[Options, _core.Arcs] = {}

    def edge_index(self) -> Tensor:
        """The arcs in the order of values per arc, (2, num_arcs)."""
        if isinstance(self.given, Tensor):
            return self.given
        return torch.from_numpy(self.plain_arcs().ends())

    def arcs(self, options: Options) -> _core.Arcs:
        """The arcs as the kernels read them; sorted on the first call."""
        if options not in self.sorted:
            _, _, add_loops, reverse, with_ids = options
            if isinstance(self.given, Tensor):
                self.sorted[options] = sort_arcs(self.given, options)
            elif reverse and with_ids:  # values per arc keep their order, which is no longer ours
                self.sorted[options] = sort_arcs(self.edge_index(), options)
            else:
                self.sorted[options] = self.plain_arcs().variant(add_loops, with_ids)
        return self.sorted[options]

    def plain_arcs(self) -> _core.Arcs:
        """The arcs of an undirected graph, without loops."""
        if isinstance(self.given, Graph):
            return _core.Arcs.from_adjacency(self.given.adjacency)
        assert isinstance(self.given, _core.Arcs)
        return self.given


class EdgeStructure:
    """A graph prepared for attention: pass it to a layer in place of `edge_index`.

    Made from an `edge_index`, from a `Graph` (both directions of every edge) or by a draw of a
    prepared sparsifier. Layers given the same `edge_index` tensor again sort it once by themselves;
    a structure is for graphs that never were an `edge_index`, and takes a quarter of its memory.
    """

    def __init__(
        self, given: Tensor | Graph | _core.Arcs, num_sources: int, num_targets: int
    ) -> None:
        """Use `from_edge_index`, `from_graph` or `from_draw`."""
        self.num_sources = num_sources
        self.num_targets = num_targets
        self._source = _Source(given)
        # The number is all that operators need. Whoever holds the tensor holds the arcs: autograd
        # does until its backward pass, however short the structure's own life.
        number = next(_NUMBERS)
        with torch.inference_mode(False):  # autograd saves it
            self.key = torch.tensor([number])
        self.key.source = self._source  # type: ignore[attr-defined]
        _SOURCES[number] = self._source

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

    @classmethod
    def from_draw(cls, prepared: PreparedSparsifier, seed: int = 0) -> EdgeStructure:
        """The graph of `prepared.draw(seed)`, drawn as arcs at once."""
        num_nodes = prepared.graph.num_nodes
        return cls(prepared.draw_arcs(seed), num_nodes, num_nodes)

    def edges(self, add_loops: bool, reverse: bool = False) -> Edges:
        """The arcs for one call; reversed, they run from the targets to the sources."""
        ends = (self.num_sources, self.num_targets)
        sources, targets = reversed(ends) if reverse else ends
        return Edges(self.key, sources, targets, add_loops, reverse)

    def edge_index(self) -> Tensor:
        """The arcs in the order of values per arc, (2, num_arcs)."""
        return self._source.edge_index()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out what is made again on demand."""
        given = self._source.given
        given = self.edge_index() if isinstance(given, _core.Arcs) else given
        return (EdgeStructure, (given, self.num_sources, self.num_targets))

    def __repr__(self) -> str:
        """Its sizes."""
        return f"EdgeStructure(num_sources={self.num_sources}, num_targets={self.num_targets})"


# Weak, and outside of all modules: neither pickles nor copies take it along.
_SOURCES: WeakValueDictionary[int, _Source] = WeakValueDictionary()
_NUMBERS = itertools.count()


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
        ends = self.key if self.key.dim() == 2 else self._source().edge_index()
        return order_arcs(ends, self.num_sources, self.num_targets, self.add_loops, self.reverse)

    def arcs(self, *, with_ids: bool) -> _core.Arcs:
        """The arcs as the kernels read them; sorted on the first call for this key."""
        options = (self.num_sources, self.num_targets, self.add_loops, self.reverse, with_ids)
        if self.key.dim() == 2:
            return arcs_of_edge_index(self.key, options)
        return self._source().arcs(options)

    def _source(self) -> _Source:
        return _SOURCES[int(self.key.item())]
