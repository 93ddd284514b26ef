"""Edge lists as text: one edge per line, numbers or names, SNAP's comments, plain or gzipped."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from fastgat.check import InputError
from fastgat.files import create_plain
from fastgat.graph.formats.arcs import ArcBuffer, first_bad_arc
from fastgat.graph.formats.tables import (
    NameTable,
    checked_names,
    edge_schema,
    edge_tables,
    isolated_names,
)
from fastgat.graph.formats.text import Layout, bad_line, is_comment, parse_block, text_blocks
from fastgat.graph.graph import Graph

if TYPE_CHECKING:
    from fastgat._core import Progress

HEADER_WORDS = re.compile(
    "source|target|src|dst|from|to|u|v|i|j|head|tail|(node|id)_?[12]|(from|to)_?node_?id"
)
NOTE = re.compile(r"[#%]\s*(num_nodes|isolated)\s*=\s*(.*\S)\s*$")


def read(path: Path, *, num_nodes: int | None, names: bool, progress: Progress) -> Graph:
    """The graph of the lines `source target [weight]`; with `names`, nodes are any text."""
    layout, line = Layout(), 1
    arcs, table = ArcBuffer(0, weighted=False), NameTable()
    for block in text_blocks(path, progress):
        if not layout.columns:
            layout, skipped, lines = find_layout(block, layout, names=names)
            block, line = block[skipped:], line + lines
            if layout.columns not in (0, 2, 3):
                found = f"{layout.columns} column{'s' * (layout.columns != 1)}"
                raise InputError(
                    f"{path}, line {line}: {found}, but an edge list has source, target and "
                    "perhaps weight"
                )
            arcs = ArcBuffer(0, weighted=layout.columns == 3)
        if layout.columns:
            _append(path, block, line, layout, arcs, table if names else None)
        line += block.count(b"\n")
    pa.default_memory_pool().release_unused()  # before the edges are sorted
    num_nodes = layout.num_nodes if num_nodes is None else num_nodes
    if names:
        return table.graph(path, arcs, num_nodes, layout.isolated)
    return arcs.graph(path, num_nodes)


def _append(
    path: Path, block: bytes, line: int, layout: Layout, arcs: ArcBuffer, table: NameTable | None
) -> None:
    """Add a block's arcs; if one is bad, look for its line."""
    columns = parse_block(path, block, line, layout, names=table is not None)
    if columns is None:
        return
    if table is None:
        source, target = columns["source"].to_numpy(), columns["target"].to_numpy()
    else:
        source, target = table.number(columns["source"], columns["target"])
    weight = columns["weight"].to_numpy() if layout.columns == 3 else None
    if first_bad_arc(source, target, weight) is not None or (table and table.has_blank):
        raise bad_line(path, block, line, layout, names=table is not None)
    arcs.append(source, target, weight)


def find_layout(block: bytes, layout: Layout, *, names: bool) -> tuple[Layout, int, int]:
    """The layout, and how many bytes and lines come before the first edge."""
    begin = lines = 0
    while begin < len(block):
        end = block.find(b"\n", begin) + 1 or len(block)
        line = block[begin:end].decode("utf-8", "replace").strip("\r\n")
        if line.strip() and not is_comment(line):
            layout = _with_fields(layout, line, names=names)
            if _is_header(layout.split(line), names=names):
                begin, lines = end, lines + 1
            break
        layout = _with_note(layout, line.strip())
        begin, lines = end, lines + 1
    return layout, begin, lines


def _with_note(layout: Layout, line: str) -> Layout:
    """Take up `num_nodes` and `isolated`; what another program meant by them is only a comment."""
    note = NOTE.match(line)
    if note is None:
        return layout
    name, value = note.groups()
    if name == "num_nodes":
        return replace(layout, num_nodes=int(value)) if re.fullmatch("[0-9]+", value) else layout
    try:
        isolated = json.loads(value)
    except ValueError:
        return layout
    is_list = isinstance(isolated, list) and all(isinstance(name, str) for name in isolated)
    return replace(layout, isolated=isolated) if is_list else layout


def _with_fields(layout: Layout, line: str, *, names: bool) -> Layout:
    unquoted = re.sub(r'"[^"]*"', "", line)
    delimiter = next((mark for mark in "\t,;" if mark in unquoted), " ")
    if delimiter == "\t" and not names:
        delimiter = " "  # numbers hold no spaces, so tabs and spaces may mix
    layout = replace(layout, delimiter=delimiter)
    return replace(layout, columns=len(layout.split(line)))


def _is_header(fields: list[str], *, names: bool) -> bool:
    if len(fields) > 2 and not _is_number(fields[2]):
        return names or not (_is_number(fields[0]) or _is_number(fields[1]))
    if names:
        return all(HEADER_WORDS.fullmatch(text.lower()) for text in fields[:2])
    return not any(_is_number(text) for text in fields[:2])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write(graph: Graph, path: Path) -> None:
    """`# num_nodes=N`, then an edge per line; `.csv` has commas, every other suffix has tabs."""
    kinds = {suffix.lower() for suffix in path.suffixes[-2:]}
    delimiter = "," if ".csv" in kinds else "\t"
    notes = f"# num_nodes={graph.num_nodes}\n"
    quoting, names = "needed", checked_names(graph)
    if names:
        if broken := [name for name in names if len(name.splitlines()) > 1]:
            raise InputError(f"node name {broken[0]!r} has a line break; write .npz instead")
        notes += f"# isolated={json.dumps(isolated_names(graph))}\n"
        if any(name.startswith(("#", "%")) for name in names):
            quoting = "all_valid"  # or the line would be a comment
    remark = "" if kinds & {".csv", ".tsv"} else "# "
    header = remark + delimiter.join(edge_schema(graph).names) + "\n"
    options = pa.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
    with create_plain(path) as file:
        file.write((notes + header).encode())
        for table in edge_tables(graph):
            pa.csv.write_csv(table, file, write_options=options)
