"""Edge lists as text: one edge per line, numbers or names, SNAP's comments, plain or gzipped."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from fastgat.check import InputError, Progress, Say
from fastgat.files import create_plain, naming
from fastgat.graph.formats.arcs import ArcBuffer, first_bad_arc
from fastgat.graph.formats.arrow_edges import (
    NameTable,
    checked_names,
    edge_schema,
    edge_tables,
    isolated_names,
)
from fastgat.graph.formats.edge_columns import HEADER_WORDS, ColumnChoice, choose_columns
from fastgat.graph.formats.text_blocks import Layout, bad_line, is_comment, parse_block, text_blocks
from fastgat.graph.graph import Graph
from fastgat.text_table import SAMPLE_LINES, TableFormat, UnclearHeaderError, is_number, split_line

NOTE = re.compile(r"[#%]\s*(num_nodes|isolated)\s*=\s*(.*\S)\s*$")


def read(
    path: Path,
    *,
    num_nodes: int | None,
    names: bool,
    progress: Progress | None,
    choice: ColumnChoice,
    say: Say,
) -> Graph:
    """The graph of the lines `source target [weight]`; with `names`, nodes are any text."""
    layout, line = Layout(), 1
    arcs, table = ArcBuffer(0, weighted=False), NameTable()
    for block in text_blocks(path, progress):
        if not layout.columns:
            with naming(path):
                layout, skipped, lines = find_layout(block, layout, choice, names=names, say=say)
            block, line = block[skipped:], line + lines
            arcs = ArcBuffer(0, weighted=len(layout.places) == 3)
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
    weight = columns["weight"].to_numpy() if arcs.weight is not None else None
    if first_bad_arc(source, target, weight) is not None or (table and table.has_blank):
        raise bad_line(path, block, line, layout, names=table is not None)
    arcs.append(source, target, weight)


def find_layout(
    block: bytes, layout: Layout, choice: ColumnChoice, *, names: bool, say: Say
) -> tuple[Layout, int, int]:
    """The layout, and how many bytes and lines come before the first edge.

    Args:
        block: the file's beginning.
        layout: what was found before it.
        choice: what the caller says of the columns.
        names: whether nodes are any text.
        say: told what the columns are.
    """
    begin = lines = 0
    while begin < len(block):
        end = block.find(b"\n", begin) + 1 or len(block)
        line = block[begin:end].decode("utf-8", "replace").strip("\r\n")
        if line.strip() and not is_comment(line):
            table, rows = _table_format(_sample(block[begin:]), choice, names=names)
            columns = choose_columns(table, choice, rows)
            if not names:
                _refuse_leading_zeros(rows, (columns.source, columns.target))
            say(f"{columns.describe(table)} ({'with' if table.header else 'no'} header)")
            layout = replace(
                layout, delimiter=table.delimiter, columns=table.num_columns, chosen=columns
            )
            if table.header is not None:
                begin, lines = end, lines + 1
            break
        layout = _with_note(layout, line.strip())
        begin, lines = end, lines + 1
    return layout, begin, lines


def _refuse_leading_zeros(rows: list[list[str]], ends: tuple[int, int]) -> None:
    """Refuse 007 as a number: it may be another node than 7."""
    for row in rows:
        for place in ends:
            if place < len(row) and re.fullmatch(r"0\d+", row[place]):
                raise InputError(
                    f"node {row[place]!r} begins with 0, so nodes seem to have names: use "
                    "names=True (--names on the command line), or write it without the 0"
                )


def _sample(block: bytes) -> list[str]:
    """The first lines that are not blank nor a remark."""
    lines = block[: 1 << 18].decode("utf-8", "replace").splitlines()
    if len(block) > 1 << 18:
        lines = lines[:-1]  # cut short
    return [line for line in lines[:SAMPLE_LINES] if line.strip() and not is_comment(line)]


def _table_format(
    lines: list[str], choice: ColumnChoice, *, names: bool
) -> tuple[TableFormat, list[list[str]]]:
    """The format of the table, and its first rows."""
    unquoted = re.sub(r'"[^"]*"', "", lines[0])
    delimiter = next((mark for mark in "\t,;" if mark in unquoted), " ")
    if delimiter == "\t" and not names:
        delimiter = " "  # numbers hold no spaces, so tabs and spaces may mix
    rows = [split_line(line, delimiter) for line in lines]
    first, width = rows[0], len(rows[1]) if len(rows) > 1 else len(rows[0])
    # R names its rows, but not the column of their names.
    unnamed = len(first) == width - 1 > 1 and not any(map(is_number, first))
    header = choice.header
    if header is None:
        header = unnamed or _is_header(rows, names=names)
    if not header:
        return TableFormat(delimiter, len(first)), rows
    full = ("", *first) if unnamed else tuple(first)
    return TableFormat(delimiter, len(full), full), rows[1:]


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


def _is_header(rows: list[list[str]], *, names: bool) -> bool:
    """Whether the first row names the columns; nodes that are numbers tell, names may not."""
    first, rest = rows[0], rows[1:]
    if {"".join(text.lower().split("_")) for text in first} & HEADER_WORDS:
        return True
    if not names:
        return not any(is_number(text) for text in first[:2]) and not _is_row(first, rest)
    if len(first) > 2 and not is_number(first[2]):
        return True
    if len(first) > 2 or not rest:
        return False
    again = {text for row in rest for text in row[:2]}
    if again & set(first[:2]):
        return False
    raise UnclearHeaderError(first, "header")


def _is_row(first: list[str], rest: list[list[str]]) -> bool:
    """Whether the nodes below are no numbers either: then they are names, and so may these be."""
    return bool(rest) and not any(is_number(text) for row in rest[:20] for text in row[:2])


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
