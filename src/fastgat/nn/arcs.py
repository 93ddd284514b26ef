"""The arcs of a graph as every kernel reads them: sorted by target and by source."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from fastgat import _core
from fastgat.check import InputError, check_count
from fastgat.graph import Graph
from fastgat.nn.operator import (
    Shown,
    check_edge_index_form,
    check_has_numbers,
    is_traced,
    operator,
)
from fastgat.sparsify import PreparedSparsifier
from fastgat.sparsify.draws import draw_arcs, whole_arcs

_MOST_NODES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class ArcRows:
    """Arcs in compressed rows, seen from one end.

    Args:
        offset: row r has the arcs [offset[r], offset[r + 1]); int64, one more than there are rows.
        other: the far end of every arc, rising inside a row; int32. May go on beyond the last row.
        id: the place of every arc in values given per arc; int32. None: such values have the order
            of the arcs by target.
    """

    offset: Tensor
    other: Tensor
    id: Tensor | None = None

    @property
    def num_rows(self) -> int:
        """Nodes on this side."""
        return self.offset.numel() - 1

    def to(self, device: torch.device | str) -> ArcRows:
        """The same rows on another device."""
        ids = None if self.id is None else self.id.to(device)
        return ArcRows(self.offset.to(device), self.other.to(device), ids)


@dataclass(frozen=True, eq=False, repr=False)
class SortedArcs:
    """A graph prepared for attention: pass it to a layer in place of `edge_index`.

    Made from an `edge_index`, from a `Graph` (both directions of every edge) or by a draw of a
    prepared sparsifier. Layers given the same `edge_index` tensor again sort it once by themselves;
    this is for graphs that never were an `edge_index`, and takes a quarter of its memory.

    Args:
        by_target: row i has the sources of target i.
        by_source: row j has the targets of source j; in a symmetric graph the same tensors.
        has_loops: every node has one more arc, to itself, that is not stored. Its values come
            after those of the stored arcs.
        stores_loops: some stored arc may lead from a node to itself.
    """

    by_target: ArcRows
    by_source: ArcRows
    has_loops: bool = False
    stores_loops: bool = False

    @classmethod
    def from_edge_index(
        cls, edge_index: Tensor, num_sources: int, num_targets: int | None = None
    ) -> SortedArcs:
        """Arcs from `edge_index[0]` to `edge_index[1]`; values per arc keep its order.

        Args:
            edge_index: (2, arcs), whole numbers.
            num_sources: nodes that arcs may start at.
            num_targets: nodes that arcs may end at; as many unless given.
        """
        num_sources = check_count("num_sources", num_sources, 0, _MOST_NODES)
        targets = num_sources
        if num_targets is not None:
            targets = check_count("num_targets", num_targets, 0, _MOST_NODES)
        if isinstance(edge_index, Tensor) and edge_index.layout != torch.strided:
            raise InputError(
                f"edge_index has layout {edge_index.layout}, but must be dense of shape (2, arcs); "
                "a layer takes a sparse adjacency in its place as it is"
            )
        check_edge_index_form(edge_index)
        counts = ("num_sources", "num_sources" if num_targets is None else "num_targets")
        check_edge_index(edge_index, num_sources, targets, counts)
        return sort_arcs(edge_index.long(), num_sources, targets, with_ids=True)

    @classmethod
    def from_graph(cls, graph: Graph) -> SortedArcs:
        """Both directions of every edge, neighbour lists one after the other."""
        if not isinstance(graph, Graph):
            raise InputError(
                f"graph is a {type(graph).__name__}, but must be a fastgat.Graph; "
                "SortedArcs.from_edge_index takes tensors"
            )
        return cls._symmetric(*whole_arcs(graph))

    @classmethod
    def from_draw(cls, prepared: PreparedSparsifier, seed: int = 0) -> SortedArcs:
        """The graph of `prepared.draw(seed)`, drawn as arcs at once where it knows how."""
        return cls._symmetric(*draw_arcs(prepared, seed))

    @classmethod
    def _symmetric(cls, offset: NDArray[np.int64], other: NDArray[np.int32]) -> SortedArcs:
        with torch.inference_mode(False):
            rows = ArcRows(torch.from_numpy(offset), torch.from_numpy(other))
        return cls(rows, rows)

    @property
    def num_sources(self) -> int:
        """Nodes that arcs may start at."""
        return self.by_source.num_rows

    @property
    def num_targets(self) -> int:
        """Nodes that arcs may end at."""
        return self.by_target.num_rows

    @property
    def is_symmetric(self) -> bool:
        """Whether every arc is there in both directions, so that one list serves both sides."""
        return self.by_source.other is self.by_target.other

    def arc_index(self) -> tuple[Tensor, Tensor]:
        """Sources and targets, int64, in the order of values per arc: loops come last."""
        offset, other, ids = self.by_target.offset, self.by_target.other, self.by_target.id
        row = torch.arange(self.num_targets, device=other.device)
        place = torch.arange(other.numel(), device=other.device)
        if not torch.compiler.is_compiling():
            stored: Any = slice(int(offset[-1]))
        else:  # rows end early only where a compiler's sort left loops out
            stored = place < offset[-1] if self.has_loops else slice(None)
        source = other[stored].long()
        target = torch.searchsorted(offset, place[stored], right=True) - 1
        if ids is not None:
            place = ids[stored].long()
            source = torch.empty_like(source).scatter_(0, place, source)
            target = torch.empty_like(target).scatter_(0, place, target)
        if not self.has_loops:
            return source, target
        return torch.cat([source, row]), torch.cat([target, row])

    def edge_index(self) -> Tensor:
        """The arcs in the order of values per arc, (2, arcs)."""
        return torch.stack(self.arc_index())

    def to(self, device: torch.device | str) -> SortedArcs:
        """The same arcs on another device."""
        by_target, by_source = self.by_target.to(device), self.by_source.to(device)
        if self.is_symmetric:  # stored once there too
            by_source = replace(by_target, id=by_source.id)
        return replace(self, by_target=by_target, by_source=by_source)

    def rows(self, *, with_ids: bool) -> tuple[Tensor | None, ...]:
        """Offset, other and id by target, then by source, as operators take them.

        Ids only where values are given per arc: they slow the kernels down.
        """
        arcs = self.with_ids() if with_ids else self
        target, source = arcs.by_target, arcs.by_source
        ids = (target.id, source.id) if with_ids else (None, None)
        return target.offset, target.other, ids[0], source.offset, source.other, ids[1]

    def with_ids(self) -> SortedArcs:
        """The same arcs, which know their places in values per arc from both sides."""
        if self.by_target.id is not None:
            return self
        return self._make_ids() if torch.compiler.is_compiling() else self._with_ids

    def with_loops(self) -> SortedArcs:
        """An arc from every node to itself, in place of stored ones; its values come last."""
        if self.has_loops:
            return self
        if not self.stores_loops and self.num_sources == self.num_targets:
            return replace(self, has_loops=True)
        return self._make_loops() if torch.compiler.is_compiling() else self._with_loops

    def reversed(self) -> SortedArcs:
        """Every arc turned round; values per arc keep their order."""
        if self.is_symmetric and self.by_target.id is None:
            return self
        arcs = self.with_ids()
        return replace(arcs, by_target=arcs.by_source, by_source=arcs.by_target)

    # Kept once made; a compiler cannot look into cached properties.
    _with_ids = cached_property(lambda self: self._make_ids())
    _with_loops = cached_property(lambda self: self._make_loops())

    def _make_ids(self) -> SortedArcs:
        stored = self.by_target.other
        if not torch.compiler.is_compiling():
            stored = stored[: int(self.by_target.offset[-1])]
        place = torch.arange(stored.numel(), dtype=torch.int32, device=stored.device)
        # By target they are in order; a stable sort by source keeps the targets of each in order.
        from_source = torch.argsort(stored, stable=True).to(torch.int32)
        return replace(
            self,
            by_target=replace(self.by_target, id=place),
            by_source=replace(self.by_source, id=from_source),
        )

    def _make_loops(self) -> SortedArcs:
        sizes = (self.num_sources, self.num_targets)
        return sort_arcs(self.edge_index(), *sizes, add_loops=True, with_ids=True)

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, without what is made again on demand."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        """Its sizes."""
        return f"SortedArcs(num_sources={self.num_sources}, num_targets={self.num_targets})"


def sort_arcs(
    edge_index: Tensor,
    num_sources: int,
    num_targets: int,
    *,
    add_loops: bool = False,
    reverse: bool = False,
    with_ids: bool = False,
) -> SortedArcs:
    """Sort the arcs of an edge_index by target and by source.

    Args:
        edge_index: (2, arcs), int64, in range.
        num_sources: nodes that arcs may start at.
        num_targets: nodes that arcs may end at.
        add_loops: leave out the loops of `edge_index` and give every node its own.
        reverse: the rows of `edge_index` are targets and sources, PyG's "target_to_source".
        with_ids: keep the order of values per arc, that of `order_arcs`.
    """
    source, target = edge_index.flip(0) if reverse else edge_index
    implied = add_loops and num_sources == num_targets
    if add_loops and not implied:  # loops that no node has on both sides: spelt out
        source, target = order_arcs(edge_index, num_sources, num_targets, add_loops, reverse)
    if is_traced(edge_index):
        parts = _sort_arcs_op(source, target, num_sources, num_targets, implied, with_ids)
        rows = ArcRows(*parts[:2]), ArcRows(*parts[3:5])
        if with_ids:
            rows = ArcRows(*parts[:3]), ArcRows(*parts[3:])
        return SortedArcs(*rows, has_loops=implied, stores_loops=not implied)
    ends = (source.detach().contiguous(), target.detach().contiguous())
    sort = _sort_with_core if edge_index.is_cpu else _sort_with_torch
    with torch.inference_mode(False):  # autograd saves what is sorted
        by_target, by_source = sort(*ends, num_sources, num_targets, implied, with_ids)
    stores_loops = not implied and bool((source == target).any())
    return SortedArcs(by_target, by_source, has_loops=implied, stores_loops=stores_loops)


def order_arcs(
    edge_index: Tensor, num_sources: int, num_targets: int, add_loops: bool, reverse: bool
) -> tuple[Tensor, Tensor]:
    """Sources and targets in the order of values per arc: loops dropped, then one per node.

    Of a graph with two kinds of nodes, as many have loops as there are of the fewer, as in PyG.

    Args:
        edge_index: (2, arcs).
        num_sources: nodes that arcs may start at.
        num_targets: nodes that arcs may end at.
        add_loops: otherwise nothing is dropped or added.
        reverse: the rows of `edge_index` are targets and sources.
    """
    source, target = edge_index.flip(0) if reverse else edge_index
    if not add_loops:
        return source, target
    kept = source != target
    loops = torch.arange(min(num_sources, num_targets), device=edge_index.device)
    return torch.cat([source[kept], loops]), torch.cat([target[kept], loops])


def _sort_with_core(
    source: Tensor, target: Tensor, *sizes_and_options: Any
) -> tuple[ArcRows, ArcRows]:
    *parts, _ = _core.sort_arcs(source.numpy(), target.numpy(), *sizes_and_options)
    # A symmetric graph comes with the same arrays twice: they stay the same tensors.
    tensors = {id(part): None if part is None else torch.from_numpy(part) for part in parts}
    found = [tensors[id(part)] for part in parts]
    return ArcRows(*found[:3]), ArcRows(*found[3:])  # type: ignore[arg-type]


def _sort_with_torch(
    source: Tensor,
    target: Tensor,
    num_sources: int,
    num_targets: int,
    drop_loops: bool,
    with_ids: bool,
) -> tuple[ArcRows, ArcRows]:
    """The same where the core does not reach; a symmetric graph is stored twice."""
    if drop_loops:
        kept = source != target
        source, target = source[kept], target[kept]

    def rows(own: Tensor, far: Tensor, num_rows: int, num_far: int) -> ArcRows:
        order = torch.argsort(own * num_far + far, stable=True)
        count = torch.bincount(own, minlength=num_rows)
        offset = pad(count.cumsum(0), (1, 0))
        ids = order.to(torch.int32) if with_ids else None
        return ArcRows(offset, far[order].to(torch.int32), ids)

    return (
        rows(target, source, num_targets, num_sources),
        rows(source, target, num_sources, num_targets),
    )


_SORTING = Shown(
    "fastgat's sorting of arcs", under_vmap="sort outside, by SortedArcs.from_edge_index"
)


@operator("sort_arcs", _SORTING)
def _sort_arcs_op(
    source: Tensor,
    target: Tensor,
    num_sources: int,
    num_targets: int,
    drop_loops: bool,
    with_ids: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The rows by target and by source, for compilers: as long as if no loop was dropped."""
    sort = _sort_with_core if source.is_cpu else _sort_with_torch
    ends = (source.contiguous(), target.contiguous())
    size = source.numel()
    parts: list[Tensor] = []
    for rows in sort(*ends, num_sources, num_targets, drop_loops, with_ids):
        unused = (0, size - rows.other.numel())
        ids = rows.other.new_empty(0) if rows.id is None else pad(rows.id, unused)
        parts += [rows.offset.clone(), pad(rows.other, unused), ids]
    return tuple(parts)  # type: ignore[return-value]


@_sort_arcs_op.register_fake
def _sort_arcs_fake(
    source: Tensor, target: Any, num_sources: int, num_targets: int, drop: bool, with_ids: bool
) -> tuple[Tensor, ...]:
    arcs = source.numel()
    parts = []
    for rows in (num_targets, num_sources):
        parts.append(source.new_empty(rows + 1, dtype=torch.int64))
        parts += [source.new_empty(n, dtype=torch.int32) for n in (arcs, arcs * with_ids)]
    return tuple(parts)


def check_edge_index(
    edge_index: Tensor,
    num_sources: int,
    num_targets: int,
    counts: tuple[str, str] | None = None,
) -> None:
    """Refuse node numbers outside the graph: sources in the first row, targets in the second.

    A pass over the entries, so once per edge_index.

    Args:
        edge_index: (2, arcs), whole numbers.
        num_sources: nodes that arcs may start at.
        num_targets: nodes that arcs may end at.
        counts: what the caller calls these two; None: they are the rows of `x`.
    """
    check_has_numbers("edge_index", edge_index)
    if edge_index.size(1) == 0:
        return
    lowest, highest = edge_index.amin(1).tolist(), edge_index.amax(1).tolist()
    for row, count in ((0, num_sources), (1, num_targets)):
        if lowest[row] < 0:
            raise InputError(
                f"edge_index names node {lowest[row]} in row {row}, but nodes count from 0; "
                "drop columns that are padding"
            )
        if highest[row] >= count:
            limit = f"x has {count} rows there; give features for every node"
            if counts is not None:
                limit = f"{counts[row]}={count}; raise it"
            raise InputError(
                f"edge_index names node {highest[row]} in row {row}, but {limit}, or drop the arc"
            )
