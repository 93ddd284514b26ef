"""Text tables as people have them, written by pandas, R, spreadsheets or by hand.

From the first lines follow the separator, whether there is a header, and which column is only the
index of the rows. What cannot be told is refused, with the option that settles it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastgat.check import InputError

SAMPLE_LINES = 2000  # enough to tell a header from a row
# How programs write that there is no value.
MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")
_NUMBER = re.compile(r"[+-]?(\d+([.]\d*)?|[.]\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_PLAIN = {"true", "false", *(word.lower() for word in MISSING)}  # values, not names of columns
# What programs call the index of rows that has no name of its own.
_INDEX_NAME = re.compile(r"|Unnamed: ?\d+|__index_level_\d+__|row[._ ]?names?", re.IGNORECASE)
_LONGEST_SHOWN = 60  # characters of a field in a message

Fields = Sequence[Sequence[str]]  # of lines


@dataclass(frozen=True)
class TableFormat:
    """How the lines of a table are cut, and what its columns are called."""

    delimiter: str  # " " stands for any run of spaces and tabs
    num_columns: int
    header: tuple[str, ...] | None = None  # names of all columns; None: there is no header
    decimal_comma: bool = False

    def split(self, line: str) -> list[str]:
        """The fields of one line, quotes taken off."""
        return split_line(line, self.delimiter)

    def place(self, asked: str | int, option: str) -> int:
        """The place of a column that is asked for by its name, or by its number from 0.

        Args:
            asked: what was asked for.
            option: what it was asked with, for the message.
        """
        names = [name.lower() for name in self.header or ()]
        wanted = str(asked).strip()
        if isinstance(asked, str) and wanted.lower() in names:
            if names.count(wanted.lower()) > 1 and wanted not in (self.header or ()):
                raise InputError(f"{option}={wanted!r} names two columns: {self.described}")
            exact = list(self.header or ())
            return exact.index(wanted) if wanted in exact else names.index(wanted.lower())
        if re.fullmatch(r"\d+", wanted) and int(wanted) < self.num_columns:
            return int(wanted)
        raise InputError(f"{option}={asked!r} is not a column; there are {self.described}")

    @property
    def described(self) -> str:
        """The columns as messages show them.

        >>> TableFormat(",", 3, ("", "source", "target")).described
        "0: '' (an index without a name), 1: 'source', 2: 'target'"
        >>> TableFormat(",", 4).described
        '4 columns without a header, 0 to 3'
        """
        if self.header is None and self.num_columns == 1:
            return "one column without a header"
        if self.header is None:
            return f"{self.num_columns} columns without a header, 0 to {self.num_columns - 1}"
        shown = list(enumerate(self.header or ()))
        parts = [f"{k}: {name!r}" + " (an index without a name)" * (not name) for k, name in shown]
        if len(parts) > 12:
            parts = [*parts[:10], "...", parts[-1]]
        return ", ".join(parts)


def split_line(line: str, delimiter: str) -> list[str]:
    """The fields of one line, quotes and outer spaces taken off.

    >>> split_line('"a, b",  2', ",")
    ['a, b', '2']
    """
    if delimiter == " ":
        line = " ".join(line.split())
    try:
        fields = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        fields = [line]
    return [text.strip() for text in fields]


def normalise_name(name: str) -> str:
    """The name of a column without what people write in different ways.

    >>> [normalise_name(name) for name in ("Node ID", "node_id", "#node-id", "nodeId")]
    ['nodeid', 'nodeid', 'nodeid', 'nodeid']
    """
    return re.sub(r"[\s._#%-]", "", name).lower()


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names as messages show them: the first ones, each cut short where it is very long.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', ..."
    """
    shown = [
        repr(name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}...")
        for name in names[:most]
    ]
    return ", ".join([*shown, "..."] if len(names) > most else shown)


def is_index_name(name: str) -> bool:
    """Whether a program gave a column this name for want of one: the index of its rows.

    >>> [is_index_name(name) for name in ("", "Unnamed: 0", "row.names", "id")]
    [True, True, True, False]
    """
    return _INDEX_NAME.fullmatch(name.strip()) is not None


def is_number(text: str) -> bool:
    """Whether a field is a number."""
    return _NUMBER.fullmatch(text) is not None


def is_quantity(text: str) -> bool:
    """Whether a field is a number, be it with a decimal comma."""
    return is_number(text) or _DECIMAL_COMMA.fullmatch(text) is not None


class UnclearHeaderError(InputError):
    """Whether the first line names the columns cannot be told."""

    def __init__(self, first: Sequence[str], option: str) -> None:
        """Say what it is and how to say which.

        Args:
            first: its fields.
            option: the argument that settles it.
        """
        flag = option.replace("_", "-")
        super().__init__(
            f"the first line, {listed(first, 4)}, may be a header or a row; say which with "
            f"{option}=True or False (--{flag} or --no-{flag} on the command line)"
        )


def find_table_format(
    lines: Sequence[str], header: bool | Callable[[Fields], bool], *, delimiter: str | None = None
) -> TableFormat:
    """The format of a table that begins with these lines, of which none is blank.

    Args:
        lines: the first ones.
        header: whether the first one names the columns, or what tells from their fields.
        delimiter: where it is known.
    """
    delimiter = find_delimiter(lines) if delimiter is None else delimiter
    rows = [split_line(line, delimiter) for line in lines[:SAMPLE_LINES]]
    first, rest = rows[0], rows[1:]
    width = max((len(row) for row in rest), default=len(first))
    # R names its rows, but not the column of their names.
    unnamed = bool(rest) and len(first) == width - 1 and len(rest[0]) == width
    unnamed = unnamed and not any(map(is_quantity, first))
    if not isinstance(header, bool):
        header = unnamed or header(rows)
    decimal_comma = delimiter == ";" and any(
        _DECIMAL_COMMA.fullmatch(field) for row in rows[int(header) :][:50] for field in row
    )
    if not header:
        return TableFormat(delimiter, len(first), None, decimal_comma)
    names = ("", *first) if unnamed else tuple(first)
    return TableFormat(delimiter, len(names), names, decimal_comma)


def find_delimiter(lines: Sequence[str], *, words: bool = False) -> str:
    """What stands between the fields: a tab, a semicolon, a comma or spaces.

    Args:
        lines: the first ones.
        words: whether spaces may stand between words too, not only between numbers.
    """
    sample = [re.sub(r'"[^"]*"', '""', line) for line in lines[:50]]
    for mark in "\t;,":
        if all(mark in line for line in sample):
            return mark
    rows = [line.split() for line in sample[1:] or sample]
    if not words and all(len(row) > 1 and all(map(is_number, row)) for row in rows):
        return " "
    return next((mark for mark in "\t;," if mark in sample[0]), " " if words else ",")


def has_header(rows: Fields, known: Sequence[str] = (), option: str = "header") -> bool:
    """Whether the first row names the columns.

    Args:
        rows: the fields of the first rows.
        known: names of columns that only a header has, as `normalise_name` gives them.
        option: the argument that settles it where it cannot be told.
    """
    first, rest = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    words = [not is_quantity(text) and text.lower() not in _PLAIN for text in first]
    if any(is_index_name(text) for text in first[:1]) and (any(words) or _counts(first[1:])):
        return True
    if not any(words):
        return _is_numeric_header(first, rest, option)
    if {normalise_name(text) for text in first} & set(known):
        return True
    columns = list(zip(*rest, strict=True)) if rest else [()] * len(first)
    values = [[text for text in column if text not in MISSING] for column in columns]
    of_numbers = [bool(column) and all(map(_is_value, column)) for column in values]
    if any(word and numbers for word, numbers in zip(words, of_numbers, strict=True)):
        return True  # a word above numbers
    if not all(word or text in MISSING for word, text in zip(words, first, strict=True)):
        return False  # a number beside words: a row like the others
    if any(text in column for text, column in zip(first, values, strict=True)):
        return False  # the words come again below
    raise UnclearHeaderError(first, option)


def _is_numeric_header(first: Sequence[str], rest: Sequence[Sequence[str]], option: str) -> bool:
    """Whether a row of numbers names columns: pandas calls them 0, 1, 2, ... for want of names."""
    if len(rest) == 0 or not _counts(first):
        return False
    if len(first) > 2:
        return True
    if any(
        not re.fullmatch(r"[+-]?\d+", text) for row in rest for text in row if text not in MISSING
    ):
        return True
    raise UnclearHeaderError(first, option)


def _counts(fields: Sequence[str]) -> bool:
    return len(fields) > 0 and list(fields) == [str(k) for k in range(len(fields))]


def _is_value(text: str) -> bool:
    return is_quantity(text) or text.lower() in _PLAIN
