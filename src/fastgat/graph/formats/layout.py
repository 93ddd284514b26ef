"""How a text of edges is laid out: comments, delimiter, header row, columns."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field, replace

HEADER_WORDS = re.compile(
    "source|target|src|dst|from|to|u|v|i|j|head|tail|(node|id)_?[12]|(from|to)_?node_?id"
)
COMMENT = re.compile(rb"(?m)^[ \t]*[#%][^\n]*")
NOTE = re.compile(r"[#%]\s*(num_nodes|isolated)\s*=\s*(.*\S)\s*$")


@dataclass(frozen=True)
class Layout:
    """What the lines before the first edge, and its own form, say about the file."""

    delimiter: str = ""  # "" until a line with fields is seen; " " stands for any run of spaces
    columns: int = 0
    num_nodes: int | None = None  # from a comment `# num_nodes=5`
    isolated: list[str] = field(default_factory=list)  # from a comment `# isolated=["a", "b"]`

    def split(self, line: str) -> list[str]:
        """The fields of one line, quotes taken off."""
        if self.delimiter == " ":
            line = " ".join(line.split())
        try:
            fields = next(csv.reader([line], delimiter=self.delimiter), [])
        except csv.Error:
            fields = [line]
        return [text.strip() for text in fields]

    def clean(self, block: bytes) -> bytes:
        """The block without comments and with one delimiter between fields, at C speed."""
        block = block.replace(b"\r\n", b"\n")
        if b"#" in block or b"%" in block:
            block = COMMENT.sub(b"", block)
        if self.delimiter == " ":
            block = block.replace(b"\t", b" ")
            while b"  " in block:
                block = block.replace(b"  ", b" ")
            block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        return block


def is_comment(line: str) -> bool:
    """Whether the line is a remark (`#` or `%` first)."""
    return line.lstrip().startswith(("#", "%"))


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
