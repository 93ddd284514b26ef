"""Parquet: columns source, target and perhaps weight, read a batch at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fastgat.check import InputError, check_memory
from fastgat.files import reason
from fastgat.graph.formats.arcs import NAMES_HINT, ArcBuffer, first_bad_arc, refuse_arc
from fastgat.graph.formats.tables import (
    NameTable,
    checked_names,
    edge_schema,
    edge_tables,
    isolated_names,
)
from fastgat.graph.graph import Graph

if TYPE_CHECKING:
    from fastgat._core import Progress

NODE_COLUMNS = (("source", "target"), ("src", "dst"))
WEIGHT_COLUMNS = ("weight", "edge_weight")
ROWS = 1 << 18  # rows held beside the edges while reading
NUM_NODES, ISOLATED = b"fastgat.num_nodes", b"fastgat.isolated"


def read(path: Path, *, num_nodes: int | None, names: bool, progress: Progress) -> Graph:
    """The graph of the columns source and target, or src and dst, or the first two of numbers."""
    try:
        # Without pre-buffering, a file that is one giant row group is not read whole.
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
        with file:
            return _read(path, file, num_nodes, names, progress)
    except (pa.ArrowException, UnicodeDecodeError):
        raise _damaged(path) from None
    except OSError as error:
        if error.errno is None:  # Arrow's own: the file, not the disk, is at fault
            raise _damaged(path) from None
        raise InputError(f"cannot read {path}: {reason(error)}") from None


def _read(path: Path, file: Any, num_nodes: int | None, names: bool, progress: Progress) -> Graph:
    columns = _choose_columns(path, file.schema_arrow, names)
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


def _choose_columns(path: Path, schema: Any, names: bool) -> list[str]:
    """Names of the columns to read: two of nodes, and perhaps one of weights."""
    kinds = {field.name: field.type for field in schema}
    usable = [name for name, kind in kinds.items() if _holds_nodes(kind, names)]
    chosen = next((pair for pair in NODE_COLUMNS if set(pair) <= kinds.keys()), tuple(usable[:2]))
    if len(chosen) < 2:
        found = ", ".join(f"{name} ({kind})" for name, kind in kinds.items()) or "(none)"
        raise InputError(f"{path} has columns {found}, but a graph needs source and target")
    for name in chosen:
        if not _holds_nodes(kinds[name], names):
            hint = f"; {NAMES_HINT}" if _holds_nodes(kinds[name], True) else ""
            raise InputError(
                f"{path}: column {name!r} holds {kinds[name]}, but nodes are whole numbers{hint}"
            )
    weight = [name for name in WEIGHT_COLUMNS if name in kinds and name not in chosen][:1]
    if weight and not (pa.types.is_floating(kinds[weight[0]]) or _is_whole(kinds[weight[0]])):
        raise InputError(f"{path}: column {weight[0]!r} holds {kinds[weight[0]]}, not numbers")
    return [*chosen, *weight]


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
