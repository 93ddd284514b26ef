"""Parquet: columns source, target and perhaps weight, read a batch at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fastgat.check import InputError, Progress, Say, check_memory
from fastgat.files import naming, reason
from fastgat.graph.formats.arcs import NAMES_HINT, ArcBuffer, first_bad_arc, refuse_arc
from fastgat.graph.formats.arrow_edges import (
    NameTable,
    checked_names,
    edge_schema,
    edge_tables,
    isolated_names,
)
from fastgat.graph.formats.edge_columns import ColumnChoice, choose_columns
from fastgat.graph.graph import Graph
from fastgat.text_table import TableFormat

ROWS = 1 << 18  # rows held beside the edges while reading
NUM_NODES, ISOLATED = b"fastgat.num_nodes", b"fastgat.isolated"


def read(
    path: Path,
    *,
    num_nodes: int | None,
    names: bool,
    progress: Progress | None,
    choice: ColumnChoice,
    say: Say,
) -> Graph:
    """The graph of the columns source and target; columns are chosen as in text."""
    try:
        # Without pre-buffering, a file that is one giant row group is not read whole.
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
        with file:
            with naming(path):
                columns = _choose_columns(file.schema_arrow, choice, say, names=names)
            return _read(path, file, columns, num_nodes, names, progress)
    except (pa.ArrowException, UnicodeDecodeError):
        raise _damaged(path) from None
    except OSError as error:
        if error.errno is None:  # Arrow's own: the file, not the disk, is at fault
            raise _damaged(path) from None
        raise InputError(f"cannot read {path}: {reason(error)}") from None


def _read(
    path: Path,
    file: Any,
    columns: list[str],
    num_nodes: int | None,
    names: bool,
    progress: Progress | None,
) -> Graph:
    stored, isolated = _read_notes(path, file.schema_arrow.metadata or {})
    num_nodes = stored if num_nodes is None else num_nodes
    rows, weighted = file.metadata.num_rows, len(columns) == 3
    check_memory(f"reading {path}", rows * (16 if weighted else 8), hint="use a larger machine")
    arcs, table = ArcBuffer(rows, weighted=weighted), NameTable() if names else None
    for batch in file.iter_batches(ROWS, columns=columns, use_threads=False):
        _append(path, batch.select(columns), arcs, table)
        if progress is not None:
            progress(min(1.0, arcs.size / max(rows, 1)))
    pa.default_memory_pool().release_unused()  # before the edges are sorted
    if table is None:
        return arcs.graph(path, num_nodes)
    return table.graph(path, arcs, num_nodes, isolated)


def _choose_columns(schema: Any, choice: ColumnChoice, say: Say, *, names: bool) -> list[str]:
    """Names of the columns to read: two of nodes, and perhaps one of weights."""
    if choice.header is not None:
        raise InputError("a Parquet file names its columns itself; leave out header")
    table = TableFormat("", len(schema.names), tuple(schema.names))
    columns = choose_columns(table, choice)
    say(columns.describe(table))
    for place in columns.places[:2]:
        kind, name = schema.field(place).type, schema.names[place]
        if not _holds_nodes(kind, names):
            hint = f"; {NAMES_HINT}" if _holds_nodes(kind, True) else ""
            raise InputError(f"column {name!r} holds {kind}, but nodes are whole numbers{hint}")
    if columns.weight is not None:
        kind = schema.field(columns.weight).type
        if not (pa.types.is_floating(kind) or _is_whole(kind)):
            raise InputError(f"column {schema.names[columns.weight]!r} holds {kind}, not numbers")
    return [schema.names[place] for place in columns.places]


def _is_whole(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind))


def _holds_nodes(kind: Any, names: bool) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return _is_whole(kind) or (names and bool(text))


def _read_notes(path: Path, metadata: dict[bytes, bytes]) -> tuple[int | None, list[str]]:
    """Number of nodes and names of those without edges, where the file was written by us."""
    try:
        num_nodes = int(metadata[NUM_NODES]) if NUM_NODES in metadata else None
        isolated = [str(name) for name in json.loads(metadata.get(ISOLATED, b"[]"))]
    except (ValueError, TypeError):
        raise _damaged(path) from None
    return num_nodes, isolated


def _append(path: Path, batch: Any, arcs: ArcBuffer, table: NameTable | None) -> None:
    for column, name in zip(batch.columns, batch.schema.names, strict=True):
        if column.null_count:
            row = arcs.size + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise InputError(f"{path}, row {row}: column {name!r} has no value")
    source, target = batch.column(0), batch.column(1)
    weight = _numbers(batch.column(2)).astype(np.float64) if batch.num_columns == 3 else None
    if table is None:
        u, v = _numbers(source), _numbers(target)
    else:
        u, v = table.number(source, target)
        if table.has_blank:
            raise InputError(f"{path}: a node has no name")
    bad = first_bad_arc(u, v, weight)
    if bad is not None:
        value = None if weight is None else float(weight[bad])
        raise refuse_arc(f"{path}, row {arcs.size + bad}", int(u[bad]), int(v[bad]), value)
    arcs.append(u, v, weight)


def _numbers(column: Any) -> NDArray[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is not a whole Parquet file: it is cut short or of another format")


def write(graph: Graph, path: Path) -> None:
    """Columns source, target (names where there are any) and weight; node count as metadata."""
    checked_names(graph)
    notes = {NUM_NODES: str(graph.num_nodes), ISOLATED: json.dumps(isolated_names(graph))}
    schema = edge_schema(graph).with_metadata(notes)
    with pq.ParquetWriter(path, schema) as writer:
        for table in edge_tables(graph):
            writer.write_table(table.replace_schema_metadata(schema.metadata))
