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
ROWS = 1 << 20  # edges in memory a second time while writing


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
        if suffix == ".npz":
            _write_npz(temporary, graph, resistance)
        elif suffix == ".parquet":
            _write_parquet(temporary, graph, resistance)
        else:
            _write_text(temporary, graph, resistance, suffix)


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

    node = pa.int32() if graph.names is None else pa.string()
    numbers = [(name, pa.float64()) for name in ("weight", "resistance", "leverage")]
    return pa.schema([("source", node), ("target", node), *numbers])


def _tables(graph: Graph, resistance: NDArray[np.float64]) -> Iterator[Any]:
    import pyarrow as pa

    names = None if graph.names is None else pa.array(graph.names.tolist(), pa.string())
    for begin in range(0, graph.num_edges, ROWS):
        part = slice(begin, begin + ROWS)
        nodes = [pa.array(graph.source[part]), pa.array(graph.target[part])]
        if names is not None:
            nodes = [names.take(column) for column in nodes]
        weight = graph.weight[part]
        columns = [weight, resistance[part], weight * resistance[part]]
        yield pa.Table.from_arrays([*nodes, *map(pa.array, columns)], schema=_schema(graph))
