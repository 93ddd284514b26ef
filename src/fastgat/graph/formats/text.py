"""Text read in blocks of whole lines, and parsed by Arrow."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv

from fastgat.check import InputError
from fastgat.files import open_plain, reason
from fastgat.graph.formats.bad_line import bad_line
from fastgat.graph.formats.layout import Layout
from fastgat.graph.formats.tables import COLUMNS

if TYPE_CHECKING:
    from fastgat._core import Progress

BLOCK = 1 << 23  # bytes parsed at a time: large enough for speed, small beside the edges


def text_blocks(path: Path, progress: Progress) -> Iterator[bytes]:
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
    """The block's fields as an Arrow table, None if it has none; it begins at line `line`."""
    text = layout.clean(block)
    if not text.strip():
        return None
    node = pa.string() if names else pa.int64()
    types = dict(zip(COLUMNS, (node, node, pa.float64()), strict=True))
    try:
        return pa.csv.read_csv(
            pa.BufferReader(text),
            read_options=pa.csv.ReadOptions(column_names=COLUMNS[: layout.columns]),
            parse_options=pa.csv.ParseOptions(delimiter=layout.delimiter),
            convert_options=pa.csv.ConvertOptions(column_types=types, null_values=[]),
        )
    except pa.ArrowInvalid:
        raise bad_line(path, block, line, layout, names=names, any_number=any_number) from None
