"""The line that a fast parser stumbled over, found again slowly so that it can be named."""

from __future__ import annotations

import re
from pathlib import Path

from fastgat.check import InputError
from fastgat.graph.formats.arcs import NAMES_HINT, refuse_arc
from fastgat.graph.formats.layout import Layout, is_comment
from fastgat.graph.graph import MAX_NODES

WHOLE = re.compile(r"-?[0-9]+")


def bad_line(
    path: Path,
    block: bytes,
    first: int,
    layout: Layout,
    *,
    names: bool,
    any_number: bool = False,
) -> InputError:
    """The refusal of the first bad line of a block whose first line has number `first`.

    With `any_number` a line is bad only if its fields are no numbers, as in a matrix.
    """
    number = first
    for number, raw in enumerate(block.split(b"\n"), first):
        try:
            line = raw.decode("utf-8").strip("\r")
        except UnicodeDecodeError:
            return InputError(f"{path}, line {number}: not UTF-8 text")
        blank = not (line.strip() if layout.delimiter == " " else line)
        if blank or is_comment(line):
            continue
        where, fields = f"{path}, line {number}", layout.split(line)
        error = _check_form(where, fields, layout, names=names, any_number=any_number)
        if error is None and not any_number:
            error = _check_values(where, fields, names=names)
        if error is not None:
            return error
    return InputError(f"{path}, lines {first} to {number}: not a list of edges")


def _check_form(
    where: str, fields: list[str], layout: Layout, *, names: bool, any_number: bool
) -> InputError | None:
    if len(fields) != layout.columns:
        found = f"{len(fields)} column{'s' * (len(fields) != 1)}"
        return InputError(f"{where}: {found}, but the first row has {layout.columns}")
    for text in fields[:2]:
        if names and not text:
            return InputError(f"{where}: a node has no name")
        if not names and not WHOLE.fullmatch(text):
            hint = "" if any_number else f"; {NAMES_HINT}"
            return InputError(f"{where}: {text!r} is not a node number{hint}")
    try:
        float(fields[-1].replace("_", "x") if len(fields) == 3 else 1)
    except ValueError:
        return InputError(f"{where}: weight {fields[2]!r} is not a number")
    return None


def _check_values(where: str, fields: list[str], *, names: bool) -> InputError | None:
    weight = float(fields[2]) if len(fields) == 3 else None
    u, v = (0, 0) if names else (int(fields[0]), int(fields[1]))
    good = min(u, v) >= 0 and max(u, v) < MAX_NODES
    if good and (weight is None or 0 < weight < float("inf")):
        return None
    return refuse_arc(where, u, v, weight)
