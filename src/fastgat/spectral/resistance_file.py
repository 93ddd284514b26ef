"""Resistances as a file: source, target, weight, resistance, leverage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.files import create_plain, write_atomically
from fastgat.graph import Graph

DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
SUFFIXES = (".parquet", ".npz", *DELIMITERS)


def check_suffix(path: Path) -> str:
    """The suffix that decides the format; text may have `.gz` behind it."""
    suffix = path.suffix.lower()
    is_gzip = suffix == ".gz"
    if is_gzip:
        suffix = Path(path.stem).suffix.lower()
    if suffix not in (DELIMITERS if is_gzip else SUFFIXES):
        has = f"suffix {path.suffix!r}" if path.suffix else "no suffix"
        known = ", ".join(SUFFIXES)
        raise InputError(f"{path} has {has}, but resistances go to {known} (text also .gz)")
    return suffix


def write_resistances(path: Path, graph: Graph, resistance: NDArray[np.float64]) -> None:
    """Write one row per edge; nodes go by name where they have one, except in `.npz`.

    An `.npz` has an array for each column, the number of nodes and their names: `read_graph` takes
    it for a graph file.

    Args:
        path: its suffix decides the format.
        graph: whose edges the rows are.
        resistance: aligned with them.
    """
    suffix = check_suffix(path)
    with write_atomically(path) as temporary:
        try:
            if suffix == ".npz":
                _write_npz(temporary, graph, resistance)
            elif suffix == ".parquet":
                _write_parquet(temporary, graph, resistance)
            else:
                _write_text(temporary, graph, resistance, suffix)
        except InputError as error:  # names that do not tell the nodes apart
            raise InputError(f"cannot write {path}: {error}") from None


def _write_npz(path: Path, graph: Graph, resistance: NDArray[np.float64]) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "source": graph.source,
        "target": graph.target,
        "weight": graph.weight,
        "resistance": resistance,
        "leverage": graph.weight * resistance,
        "num_nodes": np.array(graph.num_nodes),
    }
    if graph.names is not None:
        arrays["names"] = graph.names
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def _write_parquet(path: Path, graph: Graph, resistance: NDArray[np.float64]) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, _schema(graph)) as writer:
        for table in _tables(graph, resistance):
            writer.write_table(table)


def _write_text(path: Path, graph: Graph, resistance: NDArray[np.float64], suffix: str) -> None:
    import pyarrow.csv

    delimiter = DELIMITERS[suffix]
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter)
    header = ("# " if suffix == ".txt" else "") + delimiter.join(_schema(graph).names) + "\n"
    with create_plain(path) as file:
        file.write(header.encode())
        for table in _tables(graph, resistance):
            pyarrow.csv.write_csv(table, file, write_options=options)


def _schema(graph: Graph) -> Any:
    import pyarrow as pa

    from fastgat.graph.formats.arrow_edges import edge_schema

    added = [pa.field(name, pa.float64()) for name in ("resistance", "leverage")]
    return pa.schema([*edge_schema(graph, weighted=True), *added])


def _tables(graph: Graph, resistance: NDArray[np.float64]) -> Iterator[Any]:
    """The tables of the graph's edges with two more columns."""
    import pyarrow as pa

    from fastgat.graph.formats.arrow_edges import edge_tables

    begin = 0
    for table in edge_tables(graph, weighted=True):
        part = slice(begin, begin + table.num_rows)
        added = [resistance[part], graph.weight[part] * resistance[part]]
        columns = [*table.columns, *map(pa.array, added)]
        yield pa.Table.from_arrays(columns, schema=_schema(graph))
        begin += table.num_rows
