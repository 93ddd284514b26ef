"""Which column of a table says whose row it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.columns import Columns
from fastgat.text_table import is_index_name, listed, normalise_name

# As `normalise_name` gives them.
NODE_COLUMNS = ("node", "nodes", "id", "nodeid", "nid", "vertex", "vertexid")
# Other names that may mean nodes: who gives one is asked.
_LIKE_AN_ID = re.compile(r".*[\s._-]ids?|.*[a-z]I[dD]s?|idx|index|key|names?|users?", re.ASCII)
BY_ROW = "by row"
NODE_OPTION = "node_column (--node-column on the command line)"


def find_nodes(
    table: Columns, asked: str | int | None, apart: Sequence[Any] = (), *, as_text: bool = False
) -> tuple[NDArray[Any] | None, str, Columns]:
    """The column that says whose row it is, that in words, and the table without it.

    Args:
        table: with all columns.
        asked: the column's name or number, where the caller knows; "" if there is none.
        apart: columns that are something else, whatever they are called.
        as_text: whether nodes go by name.
    """
    rest = table.without(*apart)

    def nodes(column: Any, shown: str) -> NDArray[Any]:
        return _nodes(table.text(column) if as_text else column, shown)

    if asked == "":
        return None, BY_ROW, rest
    if asked is not None:
        column, how = table.place(asked, "node_column"), f"by column {asked!r}"
        return nodes(column, repr(asked)), how, rest.without(column)
    if not table.has_header:
        for name in rest.names[:1] if len(rest.names) > 1 else ():
            if _counts_rows(rest.column(name)):
                how = f"by row (column {name} only counts them)"
                return None, how, rest.without(rest.column(name))
        return None, BY_ROW, rest
    named = [name for name in rest.names if normalise_name(name) in NODE_COLUMNS]
    if len(named) > 1:
        raise InputError(f"{listed(named)} may all name the nodes; choose with {NODE_OPTION}")
    index = [name for name in rest.names[:1] if is_index_name(name)]
    if not named and rest.index in rest.names:
        named, index = [rest.index], []
    if named:
        column = rest.column(named[0])
        left_out = [rest.column(name) for name in index]  # beside a column of nodes it says nothing
        how = f"by column {named[0]!r}"
        return nodes(column, repr(named[0])), how, rest.without(column, *left_out)
    if index:
        column = rest.column(index[0])
        shown = "the first column, an index without a name"
        _refuse_second_index(rest)
        return nodes(column, shown), f"by {shown}", rest.without(column)
    for name in rest.names:
        if _counts_rows(rest.column(name)):
            how = f"by row (column {name!r} only counts them)"
            without = rest.without(rest.column(name))
            refuse_likely_nodes(without, without.names)
            return None, how, without
    return None, BY_ROW, rest


def _refuse_second_index(table: Columns) -> None:
    """Refuse an index that was saved, read as a column and saved again with another one."""
    for name in table.names[1:]:
        if is_index_name(name) or name in ("index", "level_0"):
            raise InputError(
                f"the first column has no name and {name!r} is an index too; choose with "
                f"{NODE_OPTION}, and write the file without the other one"
            )


def refuse_likely_nodes(table: Columns, names: Sequence[str]) -> None:
    """Refuse to go by row where a column has a number or name of its own for every row."""
    import pyarrow as pa

    for name in names:
        column = table.column(name)
        kind = column.type
        is_whole = pa.types.is_integer(kind) or _is_whole(column)
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if column.null_count or len(column) < 3 or not (is_whole or is_text):
            continue
        if len(column.unique()) < len(column):
            continue
        run = False
        if is_whole:
            values = column.to_numpy()
            run = int(values.min()) in (0, 1) and int(np.ptp(values)) == values.size - 1
        called = table.has_header and any(
            _LIKE_AN_ID.fullmatch(text) for text in (name.strip(), name.lower())
        )
        if run or called:
            raise InputError(
                f"column {name!r} is different in every row and may say whose row it is: choose it "
                f"with {NODE_OPTION}, or give '' if rows are in the order of the nodes"
            )


def _is_whole(column: Any) -> bool:
    """Whether a column of decimal numbers holds whole ones only, as 3.0."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type) or column.null_count:
        return False
    values = column.to_numpy()
    return bool(np.array_equal(values, np.rint(values)))


def _counts_rows(column: Any) -> bool:
    """Whether a column is 0, 1, 2, ... in this order."""
    import pyarrow as pa

    if not pa.types.is_integer(column.type) or column.null_count or len(column) < 3:
        return False
    values = column.to_numpy()
    return bool(np.array_equal(values, np.arange(values.size)))


def _nodes(column: Any, shown: str) -> NDArray[Any]:
    import pyarrow as pa

    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise InputError(f"column {shown} has no node in row {row}")
    if pa.types.is_floating(column.type):
        values = column.to_numpy()
        if not np.array_equal(values, np.rint(values)):
            raise InputError(f"column {shown} has the node {values[values != np.rint(values)][0]}")
        return np.asarray(values.astype(np.int64))
    if pa.types.is_integer(column.type):
        values = column.to_numpy()
        if values.dtype == np.uint64 and values.size and values.max() >= 2**63:
            return np.asarray(values.astype(np.str_))
        return np.asarray(values.astype(np.int64))
    texts = column.cast(pa.string()).to_numpy(zero_copy_only=False)
    return np.array([text.strip() for text in texts.tolist()], np.str_)
