"""Edge lists as text: one edge per line, numbers or names, SNAP's comments, plain or gzipped."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from fastgat.check import InputError, Progress, Say
from fastgat.files import create_plain, naming
from fastgat.graph.formats.arcs import ArcBuffer, first_bad_arc
from fastgat.graph.formats.arrow_edges import (
    COLUMNS,
    NameTable,
    checked_names,
    edge_schema,
    edge_tables,
    isolated_names,
)
from fastgat.graph.formats.edge_columns import ColumnChoice, choose_columns, find_ends
from fastgat.graph.formats.text_blocks import (
    Layout,
    bad_line,
    is_comment,
    parse_block,
    text_blocks,
)
from fastgat.graph.graph import Graph
from fastgat.text_table import (
    SAMPLE_LINES,
    Fields,
    UnclearHeaderError,
    find_delimiter,
    find_table_format,
    has_header,
    is_quantity,
)

NOTE = re.compile(r"[#%]\s*(num_nodes|isolated)\s*=\s*(.*\S)\s*$")
OWN_REMARKS = tuple("# " + "\t".join(COLUMNS[:count]) for count in (2, 3))  # as `write` has them
SAMPLE_BYTES = 1 << 18


@dataclass(frozen=True)
class Notes:
    """What the comments before the first edge say."""

    num_nodes: int | None = None  # `# num_nodes=5`
    isolated: list[str] = field(default_factory=list)  # `# isolated=["a", "b"]`
    names_columns: bool = False  # our own remark with their names: there is no header below
    has_names: bool = False  # ours too: a file of named nodes


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
    notes, layout, line = Notes(), None, 1
    arcs, table = ArcBuffer(0, weighted=False), NameTable()
    for block in text_blocks(path, progress):
        if layout is None:
            skipped, notes = _read_notes(block, notes)
            block, line = block[skipped:], line + block.count(b"\n", 0, skipped)
            if not block:
                continue
            with naming(path):
                layout = find_layout(block, notes, choice, names=names, say=say)
            if layout.table.header is not None:
                block, line = block[_line_end(block) :], line + 1
            arcs = ArcBuffer(0, weighted=layout.is_weighted)
        _append(path, block, line, layout, arcs, table if names else None)
        line += block.count(b"\n")
    pa.default_memory_pool().release_unused()  # before the edges are sorted
    num_nodes = notes.num_nodes if num_nodes is None else num_nodes
    if names:
        return table.graph(path, arcs, num_nodes, notes.isolated)
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


def _read_notes(block: bytes, notes: Notes) -> tuple[int, Notes]:
    """Where the first line begins that is not blank nor a remark, and what those before it say."""
    begin = 0
    while begin < len(block):
        end = _line_end(block, begin)
        line = block[begin:end].decode("utf-8", "replace").strip()
        if line and not is_comment(line):
            break
        notes = _with_note(notes, line)
        begin = end
    return begin, notes


def _line_end(block: bytes, begin: int = 0) -> int:
    """Where the line ends that begins there."""
    return block.find(b"\n", begin) + 1 or len(block)


def _with_note(notes: Notes, line: str) -> Notes:
    """Take up what we write ourselves; what another program meant by it is only a comment."""
    if line in OWN_REMARKS:
        return replace(notes, names_columns=True)
    note = NOTE.match(line)
    if note is None:
        return notes
    name, value = note.groups()
    if name == "num_nodes":
        return replace(notes, num_nodes=int(value)) if re.fullmatch("[0-9]+", value) else notes
    try:
        isolated = json.loads(value)
    except ValueError:
        return notes
    is_list = isinstance(isolated, list) and all(isinstance(name, str) for name in isolated)
    return replace(notes, isolated=isolated, has_names=True) if is_list else notes


def find_layout(
    block: bytes, notes: Notes, choice: ColumnChoice, *, names: bool, say: Say
) -> Layout:
    """How the lines are cut, and which columns are edges.

    Args:
        block: lines, the first of them a header or an edge.
        notes: what the comments before it say.
        choice: what the caller says of the columns.
        names: whether nodes are any text.
        say: told what the columns are.
    """
    lines = _sample(block, names=names)
    delimiter = find_delimiter(lines, words=True)
    if delimiter == "\t" and not names:
        delimiter = " "  # numbers hold no spaces, so tabs and spaces may mix
    header = choice.header
    if header is None and notes.names_columns:
        header = False
    table = find_table_format(
        lines,
        partial(_is_header, names=names, is_own=notes.has_names) if header is None else header,
        delimiter=delimiter,
    )
    rows = [table.split(line) for line in lines[int(table.header is not None) :]]
    columns = choose_columns(table, choice, rows)
    if not names:
        _refuse_leading_zeros(rows, (columns.source, columns.target))
    say(f"{columns.describe(table)} ({'with' if table.header else 'no'} header)")
    if header is None and table.header is None and _may_count_columns(rows):
        say(f"the first line, {','.join(rows[0])}, is taken for an edge; --header if it is none")
    return Layout(table, columns, names=names)


def _may_count_columns(rows: list[list[str]]) -> bool:
    """Whether the first line may be the names that pandas gives columns without one: 0, 1, 2."""
    first = rows[0] if rows else []
    if first == ["0", "1"]:
        return any(row in (["0", "1"], ["1", "0"]) for row in rows[1:])
    return first == ["0", "1", "2"]


def _is_header(rows: Fields, *, names: bool, is_own: bool) -> bool:
    """Whether the first row names the columns; nodes that are numbers tell, names may not.

    Args:
        rows: the fields of the first rows.
        names: whether nodes are any text.
        is_own: whether we wrote the file, with a header of our own words.
    """
    first, rest = rows[0], rows[1:]
    if ends := find_ends(first):
        again = {row[place] for row in rest for place in ends if place < len(row)}
        if names and again & {first[place] for place in ends} and not is_own:
            raise UnclearHeaderError(first, "header")
        return True
    if not rest or any(map(is_quantity, first[:2])):
        return False
    nodes = [text for row in rest for text in row[:2]]
    if names and set(nodes) & set(first[:2]):
        return False
    if names and len(first) == 2 and not all(map(is_quantity, nodes)):
        raise UnclearHeaderError(first, "header")
    try:
        return has_header(rows)
    except UnclearHeaderError:
        if names:
            raise
        return False  # nodes are numbers, so these words are refused soon, with the cure


def _refuse_leading_zeros(rows: list[list[str]], ends: tuple[int, int]) -> None:
    """Refuse 007 as a number: it may be another node than 7."""
    for row in rows:
        for place in ends:
            if place < len(row) and re.fullmatch(r"0\d+", row[place]):
                raise InputError(
                    f"node {row[place]!r} begins with 0, so nodes seem to have names: use "
                    "names=True (--names on the command line), or write it without the 0"
                )


def _sample(block: bytes, *, names: bool) -> list[str]:
    """The first lines that are not blank nor a remark; the very first one whole."""
    size = max(SAMPLE_BYTES, _line_end(block))
    lines = block[:size].decode("utf-8", "replace").splitlines()
    if len(block) > size and len(lines) > 1:
        lines = lines[:-1]  # cut short
    return [
        line for line in lines[:SAMPLE_LINES] if line.strip() and not is_comment(line, names=names)
    ]


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
