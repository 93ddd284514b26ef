"""Tables in files: text or Parquet, with the names that they give their columns."""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fastgat.check import InputError
from fastgat.files import open_plain, reason
from fastgat.text_table import (
    MISSING,
    SAMPLE_LINES,
    TableFormat,
    UnclearHeaderError,
    find_table_format,
    has_header,
    is_index_name,
)

TEXT_SUFFIXES = (".csv", ".tsv", ".txt")


class Columns:
    """Arrow's columns with the names that the file gives them, or their numbers."""

    def __init__(
        self,
        names: Sequence[str],
        columns: Sequence[Any],
        table_format: TableFormat,
        *,
        index: str | None = None,
        as_text: Callable[[str], Any] | None = None,
    ) -> None:
        """Keep columns in the order of the file.

        Args:
            names: of the columns.
            columns: Arrow's.
            table_format: how they were cut, and what all of them are called.
            index: the name of the column that the file itself calls its index.
            as_text: gives the fields of a column as they were written.
        """
        self.names, self._columns, self._format = list(names), list(columns), table_format
        self.index, self._as_text = index, as_text

    @property
    def has_header(self) -> bool:
        """Whether the columns have names of their own."""
        return self._format.header is not None

    def place(self, asked: str | int, option: str) -> Any:
        """The column that is asked for."""
        return self._columns[self._format.place(asked, option)]

    def column(self, name: str) -> Any:
        """The column of this name."""
        return self._columns[self.names.index(name)]

    def name_of(self, column: Any) -> str:
        """The name of a column of this table."""
        return next(
            name for name, one in zip(self.names, self._columns, strict=True) if one is column
        )

    def without(self, *columns: Any) -> Columns:
        """The table without some columns."""
        kept = [
            k for k, column in enumerate(self._columns) if all(column is not c for c in columns)
        ]
        return Columns(
            [self.names[k] for k in kept],
            [self._columns[k] for k in kept],
            self._format,
            index=self.index,
            as_text=self._as_text,
        )

    def text(self, column: Any) -> Any:
        """The same column as it was written: 007 is not 7. Parquet's have a type of their own."""
        if self._as_text is None:
            return column
        return self._as_text(self.name_of(column))


def file_kind(file: Path) -> str:
    """The suffix that tells the format, without `.gz`."""
    suffix = file.suffix.lower()
    return Path(file.stem).suffix.lower() if suffix == ".gz" else suffix


def read_columns(
    file: Path,
    *,
    header: bool | None,
    option: str,
    num_rows: int | None,
    known: Sequence[str] = (),
) -> Columns:
    """The table in a file.

    Args:
        file: text, perhaps gzipped, or Parquet.
        header: whether text begins with the names of its columns; None: find out.
        option: what a caller says that with, for messages.
        num_rows: as many as there should be, to tell a header from a row.
        known: names that only a header has, as `normalise_name` gives them.
    """
    import pyarrow as pa

    kind = file_kind(file)
    if kind == ".parquet":
        return _read_parquet(file, header)
    if kind not in TEXT_SUFFIXES:
        raise InputError(
            f"features and labels end in .npy, .npz, .parquet or {', '.join(TEXT_SUFFIXES)} "
            "(text also .gz)"
        )
    text = _read_text(file)
    lines = [line for line in _decoded(text[: 1 << 20]).splitlines() if line.strip()]
    if not lines:
        raise InputError("there is nothing in it but blank lines")
    sample = lines[:SAMPLE_LINES]
    try:
        found = partial(has_header, known=known, option=option)
        table_format = find_table_format(sample, found if header is None else header)
    except UnclearHeaderError:
        count = sum(1 for line in text.splitlines() if line.strip())
        if num_rows is None or count not in (num_rows, num_rows + 1):
            raise
        table_format = find_table_format(sample, count > num_rows)
    try:
        table = _parse(text, table_format)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"it cannot be read: {str(error).splitlines()[0]}") from None
    return Columns(
        table.column_names,
        table.columns,
        table_format,
        as_text=lambda name: _parse(text, table_format, as_text=name).column(name),
    )


def _read_parquet(file: Path, header: bool | None) -> Columns:
    import pyarrow as pa
    import pyarrow.parquet

    if header is not None:
        raise InputError("a Parquet file names its columns itself: leave out header")
    try:
        table = pa.parquet.read_table(file)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"it cannot be read: {str(error).splitlines()[0]}") from None
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    names = ["" if is_index_name(name) else name for name in table.column_names]
    index, counted = _pandas_index(table)
    if counted is not None:
        names, columns = ["", *names], [pa.chunked_array([pa.array(counted)]), *columns]
    order = sorted(range(len(names)), key=lambda k: names[k] != "")  # pandas writes its index last
    table_format = TableFormat("", len(names), tuple(names[k] for k in order))
    return Columns(
        [names[k] for k in order], [columns[k] for k in order], table_format, index=index
    )


def _pandas_index(table: Any) -> tuple[str | None, range | None]:
    """The column that pandas calls the index; or its numbers, unless these are 0, 1, 2, ..."""
    metadata = (table.schema.metadata or {}).get(b"pandas")
    try:
        found = json.loads(metadata)["index_columns"] if metadata else []
    except (ValueError, KeyError, TypeError):
        return None, None  # another program's; pandas would not read it either
    if len(found) != 1:
        return None, None
    if isinstance(found[0], str):
        return (found[0] if found[0] in table.column_names else None), None
    try:
        counted = range(*(int(found[0][part]) for part in ("start", "stop", "step")))
    except (ValueError, KeyError, TypeError):
        return None, None
    is_plain = counted.start == 0 and counted.step == 1
    return None, None if is_plain or len(counted) != table.num_rows else counted


def _read_text(file: Path) -> bytes:
    """The plain bytes without remarks at the beginning."""
    try:
        with open_plain(file) as (plain, _):
            text = plain.read().removeprefix(b"\xef\xbb\xbf")
    except (EOFError, zlib.error):
        raise InputError("it is cut short or damaged") from None
    except MemoryError:
        raise InputError("it does not fit into memory; use a larger machine") from None
    except OSError as error:
        raise InputError(f"it cannot be read: {reason(error)}") from None
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("it is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)")
    if b"\0" in text[:4096]:
        raise InputError("it is not text, but of another format")
    while text.startswith((b"#", b"%")):
        text = text[text.find(b"\n") + 1 :] if b"\n" in text else b""
    return text


def _decoded(sample: bytes) -> str:
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(sample)  # may end within a character
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8: save it as UTF-8 (in Excel: CSV UTF-8)") from None


def _parse(text: bytes, table_format: TableFormat, as_text: str | None = None) -> Any:
    """The table as Arrow reads it; or one of its columns as it is written."""
    import pyarrow as pa
    import pyarrow.csv

    names = (
        list(table_format.header)
        if table_format.header
        else [str(k) for k in range(table_format.num_columns)]
    )
    if table_format.delimiter == " ":
        lines = (b" ".join(line.split()) for line in text.splitlines())
        text = b"\n".join(line for line in lines if line)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are called {twice!r}; give them different names")
    return pa.csv.read_csv(
        pa.BufferReader(text),
        read_options=pa.csv.ReadOptions(
            column_names=names, skip_rows=int(table_format.header is not None), block_size=1 << 26
        ),
        # In a table of one column a blank line is a row without a value.
        parse_options=pa.csv.ParseOptions(
            delimiter=table_format.delimiter, ignore_empty_lines=table_format.num_columns > 1
        ),
        convert_options=pa.csv.ConvertOptions(
            include_columns=None if as_text is None else [as_text],
            column_types=None if as_text is None else {as_text: pa.string()},
            null_values=list(MISSING) if as_text is None else [""],
            strings_can_be_null=True,
            decimal_point="," if table_format.decimal_comma else ".",
        ),
    )
