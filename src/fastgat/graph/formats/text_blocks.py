"""Text of edges: read in blocks of whole lines, parsed by Arrow; bad lines are named."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from fastgat.check import MAX_NODES, InputError, Progress
from fastgat.files import open_plain, reason
from fastgat.graph.formats.arcs import NAMES_HINT, refuse_arc
from fastgat.graph.formats.arrow_edges import COLUMNS
from fastgat.graph.formats.edge_columns import EdgeColumns
from fastgat.text_table import TableFormat, listed

BLOCK = 1 << 23  # bytes parsed at a time: large enough for speed, small beside the edges
COMMENT = re.compile(rb"(?m)^[ \t]*[#%][^\n]*")
AMONG_NAMES = re.compile(rb"(?m)^[ \t]*[#%](?=\s)[^\n]*")  # #2 is a node there
WHOLE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True)
class Layout:
    """How lines are cut, and which of their fields make an edge."""

    table: TableFormat
    chosen: EdgeColumns | None = None  # None: as many as there are, in their order
    names: bool = False  # nodes are any text: it may begin with #

    @property
    def places(self) -> list[int]:
        """Where source, target and perhaps weight stand."""
        return list(range(self.table.num_columns)) if self.chosen is None else self.chosen.places

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights."""
        return len(self.places) == 3

    def pick(self, fields: list[str]) -> list[str]:
        """Source, target and perhaps weight of a line's fields."""
        return [fields[place] for place in self.places]

    def clean(self, block: bytes) -> bytes:
        """The block without comments and with one delimiter between fields, at C speed."""
        block = block.replace(b"\r\n", b"\n")
        if b"#" in block or b"%" in block:
            block = (AMONG_NAMES if self.names else COMMENT).sub(b"", block)
        if self.table.delimiter == " ":
            block = block.replace(b"\t", b" ")
            while b"  " in block:
                block = block.replace(b"  ", b" ")
            block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        return block


def is_comment(line: str, *, names: bool = False) -> bool:
    """Whether the line is a remark: `#` or `%` first, and among names a blank after it."""
    text = line.lstrip()
    return text.startswith(("#", "%")) and not (names and text[1:2].strip())


def text_blocks(path: Path, progress: Progress | None) -> Iterator[bytes]:
    """Pieces of the text that end with a line."""
    size, rest = path.stat().st_size, b""
    try:
        with open_plain(path) as (plain, stored):
            while piece := plain.read(BLOCK):
                if progress is not None:
                    progress(min(1.0, stored.tell() / size))
                if b"\0" in piece:
                    raise InputError(f"{path} is not text, but of another format")
                rest += piece
                cut = rest.rfind(b"\n") + 1
                if cut:
                    yield rest[:cut].removeprefix(b"\xef\xbb\xbf")  # some editors' first bytes
                    rest = rest[cut:]
            if rest:
                yield rest.removeprefix(b"\xef\xbb\xbf")
    except (EOFError, zlib.error):
        raise InputError(f"{path} is cut short or damaged") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None


def parse_block(
    path: Path,
    block: bytes,
    line: int,
    layout: Layout,
    *,
    names: bool = False,
    any_number: bool = False,
) -> Any:
    """The block's fields as an Arrow table; None if it has none.

    Args:
        path: of the file, for messages.
        block: whole lines.
        line: number of the first of them, for messages.
        layout: of the lines.
        names: whether nodes are any text.
        any_number: as in `bad_line`.
    """
    text = layout.clean(block)
    if not text.strip():
        return None
    node = pa.string() if names else pa.int64()
    table = layout.table
    numbered = [str(place) for place in range(table.num_columns)]
    used = [numbered[place] for place in layout.places]
    types = dict(zip(used, (node, node, pa.float64())[: len(used)], strict=True))
    try:
        return pa.csv.read_csv(
            pa.BufferReader(text),
            read_options=pa.csv.ReadOptions(column_names=numbered),
            parse_options=pa.csv.ParseOptions(delimiter=table.delimiter),
            convert_options=pa.csv.ConvertOptions(
                column_types=types,
                include_columns=used,
                null_values=[],
                decimal_point="," if table.decimal_comma else ".",
            ),
        ).rename_columns(list(COLUMNS[: len(used)]))
    except pa.ArrowInvalid:
        raise bad_line(path, block, line, layout, names=names, any_number=any_number) from None


def bad_line(
    path: Path,
    block: bytes,
    first: int,
    layout: Layout,
    *,
    names: bool,
    any_number: bool = False,
) -> InputError:
    """The refusal of the first bad line of a block.

    Args:
        path: of the file.
        block: whole lines, at least one of them bad.
        first: number of the first of them.
        layout: of the lines.
        names: whether nodes are any text.
        any_number: whether a line is bad only if its fields are no numbers, as in a matrix.
    """
    number = first
    for number, raw in enumerate(block.split(b"\n"), first):
        try:
            line = raw.decode("utf-8").strip("\r")
        except UnicodeDecodeError:
            return InputError(f"{path}, line {number}: not UTF-8 text")
        blank = not (line.strip() if layout.table.delimiter == " " else line)
        if blank or is_comment(line, names=layout.names):
            continue
        where, fields = f"{path}, line {number}", layout.table.split(line)
        error = _check_fields(where, fields, layout, names=names, any_number=any_number)
        if error is None and not any_number:
            error = _check_values(where, layout, fields, names=names)
        if error is not None:
            return error
    return InputError(f"{path}, lines {first} to {number}: not a list of edges")


def _check_fields(
    where: str, fields: list[str], layout: Layout, *, names: bool, any_number: bool
) -> InputError | None:
    if len(fields) != layout.table.num_columns:
        found = f"{len(fields)} column{'s' * (len(fields) != 1)}"
        return InputError(f"{where}: {found}, but the first row has {layout.table.num_columns}")
    fields = layout.pick(fields)
    for text in fields[:2]:
        if names and not text:
            return InputError(f"{where}: a node has no name")
        if not names and not WHOLE.fullmatch(text):
            hint = "" if any_number else f"; {NAMES_HINT}"
            return InputError(f"{where}: {listed([text])} is not a node number{hint}")
    if layout.is_weighted and _weight(layout, fields[2]) is None:
        comma = " with a decimal comma" if layout.table.decimal_comma else ""
        return InputError(f"{where}: weight {listed([fields[2]])} is not a number{comma}")
    return None


def _weight(layout: Layout, text: str) -> float | None:
    """The weight as Arrow reads it, None if it does not."""
    if layout.table.decimal_comma:
        text = text.replace(".", "x").replace(",", ".")
    try:
        return float(text.replace("_", "x"))
    except ValueError:
        return None


def _check_values(
    where: str, layout: Layout, fields: list[str], *, names: bool
) -> InputError | None:
    fields = layout.pick(fields)
    weight = _weight(layout, fields[2]) if layout.is_weighted else None
    u, v = (0, 0) if names else (int(fields[0]), int(fields[1]))
    good = min(u, v) >= 0 and max(u, v) < MAX_NODES
    if good and (weight is None or 0 < weight < float("inf")):
        return None
    return refuse_arc(where, u, v, weight)
