"""A graph's edges as Arrow tables, for the formats that keep tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from fastgat.check import InputError
from fastgat.graph.graph import Graph

COLUMNS = ("source", "target", "weight")
ROWS = 1 << 20  # edges in a table: a few megabytes beside the graph


def edge_schema(graph: Graph, *, by_name: bool = True) -> Any:
    """Types of the columns: nodes are text where they have names, unless they go by number."""
    node = pa.string() if by_name and graph.names is not None else pa.int32()
    kinds = (node, node, pa.float64())
    return pa.schema(list(zip(COLUMNS, kinds, strict=True))[: 3 if graph.is_weighted else 2])


def edge_tables(graph: Graph, *, by_name: bool = True) -> Iterator[Any]:
    """The edges in order, `ROWS` at a time."""
    named = by_name and graph.names is not None
    names = pa.array(checked_names(graph), pa.string()) if named else None
    schema = edge_schema(graph, by_name=by_name)
    for begin in range(0, graph.num_edges, ROWS):
        part = slice(begin, begin + ROWS)
        columns = [pa.array(graph.source[part]), pa.array(graph.target[part])]
        if names is not None:
            columns = [names.take(column) for column in columns]
        if graph.is_weighted:
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
    if graph.names is None:
        return []
    touched = np.zeros(graph.num_nodes, bool)
    touched[graph.source] = True
    touched[graph.target] = True
    return [str(name) for name in graph.names[~touched]]
