"""Edges as Arrow tables: names to numbers when read, numbers to names when written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.graph.formats.arcs import ArcBuffer
from fastgat.graph.graph import Graph

COLUMNS = ("source", "target", "weight")
ROWS = 1 << 20  # edges in a table: a few megabytes beside the graph


def edge_schema(graph: Graph, *, by_name: bool = True, weighted: bool | None = None) -> Any:
    """Types of the columns; the options are those of `edge_tables`."""
    node = pa.string() if by_name and graph.names is not None else pa.int32()
    kinds = (node, node, pa.float64())
    weighted = graph.is_weighted if weighted is None else weighted
    return pa.schema(list(zip(COLUMNS, kinds, strict=True))[: 3 if weighted else 2])


def edge_tables(
    graph: Graph, *, by_name: bool = True, weighted: bool | None = None
) -> Iterator[Any]:
    """The edges in order, `ROWS` at a time.

    Args:
        graph: whose edges they are.
        by_name: whether nodes are text where they have names.
        weighted: whether there are weights; None: if the graph stores any.
    """
    schema = edge_schema(graph, by_name=by_name, weighted=weighted)
    named = by_name and graph.names is not None
    names = pa.array(checked_names(graph), pa.string()) if named else None
    for begin in range(0, graph.num_edges, ROWS):
        part = slice(begin, begin + ROWS)
        columns = [pa.array(graph.source[part]), pa.array(graph.target[part])]
        if names is not None:
            columns = [names.take(column) for column in columns]
        if len(schema.names) == 3:
            columns.append(pa.array(graph.weight[part]))
        yield pa.Table.from_arrays(columns, schema=schema)


def checked_names(graph: Graph) -> list[str]:
    """The nodes' names, if a reader that goes by name will tell the nodes apart."""
    names = [] if graph.names is None else graph.names.tolist()
    if names and len(names) != graph.num_nodes:
        raise InputError(f"{len(names)} names for num_nodes={graph.num_nodes}")
    seen: set[str] = set()
    for name in names:
        if not name or name != name.strip():
            raise InputError(f"node name {name!r} is blank at an end; write .npz instead")
        if name in seen:
            raise InputError(f"node name {name!r} appears twice; write .npz instead")
        seen.add(name)
    return names


def isolated_names(graph: Graph) -> list[str]:
    """Names of the nodes that no edge mentions."""
    return [] if graph.names is None else graph.names[graph.is_isolated].tolist()


class NameTable:
    """Numbers for names, in order of first appearance (source before target)."""

    def __init__(self) -> None:
        """Begin empty: the first name gets number 0."""
        self._number: dict[str, int] = {}

    @property
    def has_blank(self) -> bool:
        """Whether some node had no name."""
        return "" in self._number

    def number(self, source: Any, target: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Numbers of two Arrow columns of text; new names get the next free numbers."""
        rows = len(source)
        both = pa.concat_arrays([_as_text(source), _as_text(target)])
        in_order = np.arange(2 * rows).reshape(2, rows).T.ravel()  # row by row
        coded = both.take(pa.array(in_order)).dictionary_encode()
        number = np.fromiter(map(self._add, coded.dictionary.to_pylist()), np.int32)
        ends = number[coded.indices.to_numpy(zero_copy_only=False)].reshape(rows, 2)
        return ends[:, 0], ends[:, 1]

    def _add(self, name: str) -> int:
        return self._number.setdefault(name, len(self._number))

    def graph(
        self, path: Path, arcs: ArcBuffer, num_nodes: int | None, isolated: Iterable[str]
    ) -> Graph:
        """The graph of all arcs with its nodes' names; those only `num_nodes` knows have none."""
        for name in isolated:
            self._add(name)
        names = list(self._number)
        if num_nodes is None:
            num_nodes = len(names) or None
        elif num_nodes < len(names):
            raise InputError(f"{path} names {len(names)} nodes, but num_nodes={num_nodes}")
        names += [""] * ((num_nodes or 0) - len(names))
        return arcs.graph(path, num_nodes, np.array(names, dtype=np.str_))


def _as_text(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return pc.utf8_trim_whitespace(column.cast(pa.string()))
