"""Matrix Market: the adjacency matrix as text, plain or gzipped.

SciPy's own reader is not used: damaged files make it end the whole process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import scipy.sparse

from fastgat.check import MAX_NODES, InputError, Progress
from fastgat.files import create_plain, naming
from fastgat.graph.convert import from_scipy
from fastgat.graph.formats.arcs import ArcBuffer, build_graph
from fastgat.graph.formats.arrow_edges import edge_tables
from fastgat.graph.formats.text_blocks import Layout, parse_block, text_blocks
from fastgat.graph.graph import Graph
from fastgat.text_table import TableFormat

KINDS = ("real", "double", "integer", "pattern")
SYMMETRIES = ("general", "symmetric")
NO_SIZE = "has no line with its numbers of rows, columns and entries"


def read(path: Path, *, num_nodes: int | None, names: bool, progress: Progress | None) -> Graph:
    """The graph of a square matrix in coordinates; a `pattern` gives unit weights."""
    if names:
        raise InputError(f"{path} numbers its nodes; names=True is for edge lists")
    arcs, size, promised, line = ArcBuffer(0, weighted=False), -1, 0, 1
    layout, head = Layout(TableFormat(" ", 3)), b""
    for block in text_blocks(path, progress):
        if size < 0:
            head += block
            kind = _read_banner(path, head)
            begin, size, promised = _read_size(path, head)
            if size < 0:  # the remarks fill more than one block
                continue
            layout = Layout(TableFormat(" ", 2 if kind == "pattern" else 3))
            arcs = ArcBuffer(0, weighted=layout.is_weighted)
            line += head.count(b"\n", 0, begin)
            block = head[begin:]
        _append(path, block, line, layout, arcs, size)
        line += block.count(b"\n")
    if size < 0:
        raise InputError(f"{path} {NO_SIZE}")
    if arcs.size != promised:
        wrong = "is cut short" if arcs.size < promised else "has too many lines"
        raise InputError(f"{path} {wrong}: {arcs.size} entries, but it says {promised}")
    if num_nodes is not None and num_nodes != size:
        raise InputError(f"{path} has {size} nodes, but num_nodes={num_nodes}")
    if arcs.weight is None:
        return build_graph(path, arcs.source, arcs.target, None, size)
    with naming(path):  # entries add, zeros go and all ones are no weights, as in any matrix
        shape = (size, size)
        return from_scipy(scipy.sparse.coo_array((arcs.weight, (arcs.source, arcs.target)), shape))


def _read_banner(path: Path, head: bytes) -> str:
    """The kind of the entries."""
    words = head.partition(b"\n")[0].decode("ascii", "replace").lower().split()
    if words[:2] != ["%%matrixmarket", "matrix"] or len(words) != 5:
        raise InputError(f"{path} is not a Matrix Market file: its first line does not say so")
    form, kind, symmetry = words[2:]
    if form != "coordinate" or kind not in KINDS or symmetry not in SYMMETRIES:
        raise InputError(
            f"{path} is a {form} {kind} {symmetry} matrix, but a graph is a coordinate matrix, "
            "real, integer or pattern, general or symmetric"
        )
    return kind


def _read_size(path: Path, head: bytes) -> tuple[int, int, int]:
    """Where the entries begin, the number of nodes (-1 if not reached) and of entries."""
    begin = 0
    while begin < len(head):
        end = head.find(b"\n", begin) + 1 or len(head)
        words = head[begin:end].split()
        begin = end
        if not words or words[0].startswith(b"%"):
            continue
        if len(words) != 3 or not all(word.isdigit() for word in words):
            raise InputError(f"{path} {NO_SIZE}")
        rows, columns, entries = map(int, words)
        if rows != columns:
            raise InputError(f"{path} has shape {rows, columns}, but an adjacency matrix is square")
        if rows > MAX_NODES:
            raise InputError(f"{path} has {rows} nodes, but at most {MAX_NODES} are possible")
        return begin, rows, entries
    return begin, -1, 0


def _append(
    path: Path, block: bytes, line: int, layout: Layout, arcs: ArcBuffer, size: int
) -> None:
    columns = parse_block(path, block, line, layout, any_number=True)
    if columns is None:
        return
    row, column = columns["source"].to_numpy(), columns["target"].to_numpy()
    outside = (row < 1) | (row > size) | (column < 1) | (column > size)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(f"{path}: entry ({row[at]}, {column[at]}) is outside 1 to {size}")
    weight = columns["weight"].to_numpy() if layout.is_weighted else None
    arcs.append(row - 1, column - 1, weight)


def write(graph: Graph, path: Path) -> None:
    """The lower triangle of the symmetric matrix; names are not kept."""
    kind = "real" if graph.is_weighted else "pattern"
    size, entries = graph.num_nodes, graph.num_edges
    head = f"%%MatrixMarket matrix coordinate {kind} symmetric\n{size} {size} {entries}\n"
    options = pa.csv.WriteOptions(include_header=False, delimiter=" ")
    with create_plain(path) as file:
        file.write(head.encode())
        for table in edge_tables(graph, by_name=False):
            pa.csv.write_csv(_one_based(table), file, write_options=options)


def _one_based(table: Any) -> Any:
    lower = {"row": table["target"].to_numpy() + 1, "column": table["source"].to_numpy() + 1}
    weight = {"weight": table["weight"]} if table.num_columns == 3 else {}
    return pa.table({**lower, **weight})
