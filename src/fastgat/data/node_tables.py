"""Features and labels as users keep them: tables with a row per node, or arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.archive import csr_features, open_zip, read_array, read_arrays
from fastgat.data.columns import Columns, file_kind, read_columns
from fastgat.data.node_column import (
    BY_ROW,
    NODE_COLUMNS,
    NODE_OPTION,
    find_nodes,
    refuse_likely_nodes,
)
from fastgat.data.splits import is_role_word
from fastgat.files import existing_file, naming
from fastgat.text_table import is_number, listed

_SPLIT_COLUMNS = ("split", "set", "subset", "partition", "fold", "part")
LABEL_COLUMNS = ("label", "labels", "class", "y")
SPLIT_COLUMN = "split"
LABEL_OPTION = "label_column (--label-column on the command line)"
KNOWN_COLUMNS = (*NODE_COLUMNS, *LABEL_COLUMNS, SPLIT_COLUMN)
_MAX_BYTES = 2**36  # the user's own file: limited by the memory, not by what it claims to be


@dataclass(frozen=True)
class Rows:
    """Values with one row per node; `node` says whose row it is, None: row i is node i's."""

    file: Path
    values: Any  # dense or sparse numbers, or an Arrow column of labels
    node: NDArray[Any] | None = None
    columns: tuple[str, ...] | None = None  # names of the values' columns, where they have any
    split: Any = None  # an Arrow column, where the table has one
    split_column: str | None = None  # its name
    how: str = BY_ROW  # how rows are matched with nodes, in words
    has_no_header: bool = False  # text whose first line is a row
    taken: tuple[str, ...] = ()  # names of the columns of labels and of the split
    left_out: tuple[str, ...] = ()  # names of columns that are neither

    @property
    def num_rows(self) -> int:
        """How many there are."""
        shape = getattr(self.values, "shape", None)
        return int(shape[0]) if shape else len(self.values)


def read_features(
    path: str | os.PathLike[str],
    *,
    node_column: str | int | None = None,
    header: bool | None = None,
    num_rows: int | None = None,
    names: bool = False,
    leave_out: Sequence[str] = (),
) -> Rows:
    """Features from `.npy`, `.npz` (`x` or `features`, or SciPy's CSR), text or `.parquet`.

    Args:
        path: the file; text may be gzipped.
        node_column: whose row it is; None: a column called node or id, or an index without a name;
            "": no column says so, rows are in the order of the nodes.
        header: whether text begins with the names of its columns; None: find out.
        num_rows: as many as there should be, to tell a header from a row.
        names: nodes go by name: 007 is not 7.
        leave_out: names of columns that are no features.
    """
    file = existing_file(path)
    if file_kind(file) in (".npy", ".npz"):
        return Rows(file, _read_arrays(file, ("x", "features"), node_column, header))
    with naming(file):
        table = read_columns(
            file, header=header, option="features_header", num_rows=num_rows, known=KNOWN_COLUMNS
        )
        apart = [table.column(name) for name in leave_out if name in table.names]
        node, how, table = find_nodes(table, node_column, apart, as_text=names)
        if not table.names:
            raise InputError("there is no column of features")
        if node is None and how == BY_ROW and node_column is None:
            refuse_likely_nodes(table, table.names)
        values = np.stack([_numbers(table, name) for name in table.names], axis=1)
        _refuse_gaps(table.names, values)
    columns = tuple(table.names) if table.has_header else None
    return Rows(file, values, node, columns, how=how, has_no_header=not table.has_header)


def read_labels(
    path: str | os.PathLike[str],
    *,
    node_column: str | int | None = None,
    label_column: str | int | None = None,
    header: bool | None = None,
    num_rows: int | None = None,
    names: bool = False,
) -> Rows:
    """Labels from `.npy`, `.npz` (`y` or `labels`), text or `.parquet`.

    A table has a column called label, class or y, or but one column; otherwise all its columns are
    0 and 1, one per label. A column `split` may say what each node is for.

    Args:
        path: the file; text may be gzipped.
        node_column: whose row it is, as `read_features` takes it.
        label_column: the column to learn.
        header: whether text begins with the names of its columns; None: find out.
        num_rows: as many as there should be, to tell a header from a row.
        names: nodes go by name: 007 is not 7.
    """
    file = existing_file(path)
    if file_kind(file) in (".npy", ".npz"):
        if label_column is not None:
            raise InputError(f"{file} has no columns: leave out label_column")
        values = _read_arrays(file, ("y", "labels"), node_column, header)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]  # one column is one class per node, not a label to have or not
        return Rows(file, values)
    with naming(file):
        table = read_columns(
            file, header=header, option="labels_header", num_rows=num_rows, known=KNOWN_COLUMNS
        )
        label = None if label_column is None else table.place(label_column, "label_column")
        apart = [] if label is None else [label]
        node, how, rest = find_nodes(table, node_column, apart, as_text=names)
        _refuse_masks(rest.names)
        split_name = _split_column(rest)
        split = None if split_name is None else rest.column(split_name)
        others = [name for name in rest.names if name != split_name]
        if label is None:
            called = [name for name in others if name.lower() in LABEL_COLUMNS]
            if len(called) > 1:
                raise InputError(f"{listed(called)} may all be labels; choose with {LABEL_OPTION}")
            if called or len(others) == 1:
                label = rest.column((called or others)[0])
        if label is not None:
            shown = table.name_of(label)
            others = [name for name in others if name != shown]
            if node is None and how == BY_ROW and node_column is None:
                refuse_likely_nodes(rest, others)
            values = label if _is_boolean(label) else table.text(label)
            return Rows(
                file,
                values,
                node,
                split=split,
                split_column=split_name,
                how=how,
                taken=(shown, *([] if split_name is None else [split_name])),
                left_out=tuple(others),
            )
        if not others:
            raise InputError("there is no column of labels; call it label")
        several = np.stack([_zero_or_one(rest, name, others) for name in others], axis=1)
    taken = (*others, *([] if split_name is None else [split_name]))
    return Rows(file, several, node, tuple(others), split, split_name, how=how, taken=taken)


def _is_boolean(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_boolean(column.type))


def _refuse_masks(names: Sequence[str]) -> None:
    masks = [name for name in names if name.lower().endswith("mask")]
    if masks:
        raise InputError(
            f"{listed(masks)} say what nodes are for: give one column split with train, "
            "validation or test instead, or the masks as split (--split masks.npz)"
        )


def _split_column(table: Columns) -> str | None:
    """A column called split, or one with a name alike that has nothing but its words."""
    found = {name.lower(): name for name in table.names if name.lower() in _SPLIT_COLUMNS}
    for lower, name in found.items():
        if lower == SPLIT_COLUMN or all(map(is_role_word, table.column(name).to_pylist())):
            return name
    return None


def _numbers(table: Columns, name: str) -> NDArray[np.float32]:
    """A column of features."""
    import pyarrow as pa

    column = table.column(name)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        values = ["" if value is None else str(value) for value in column.to_pylist()]
        where = next((k for k, text in enumerate(values) if text and not is_number(text)), 0)
        value = values[where] if values else ""
        raise InputError(
            f"column {name!r} holds {value!r} in row {where}, but features are numbers; "
            f"leave the column out, or if it names the nodes, say so with {NODE_OPTION}"
        )
    return np.asarray(column.to_numpy(zero_copy_only=False), np.float32)


def _refuse_gaps(names: list[str], values: NDArray[np.float32]) -> None:
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row, place = (int(where) for where in np.argwhere(bad)[0])
    value = values[row, place]
    shown = "no number" if np.isnan(value) else str(value)
    raise InputError(
        f"row {row}, column {names[place]!r} has {shown}, one of {int(bad.sum())} such cells; "
        "fill them before"
    )


def _zero_or_one(table: Columns, name: str, names: list[str]) -> NDArray[np.uint8]:
    import pyarrow as pa

    column = table.column(name)
    kind = column.type
    values = None
    if column.null_count and set(column.drop_null().to_pylist()) <= {0, 1}:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise InputError(
            f"column {name!r} has an empty cell in row {row}: of several labels per node, every "
            "cell is 0 or 1"
        )
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if values is None or not np.isin(values, (0, 1)).all():
        raise InputError(
            f"which of the columns {listed(names)} is the label cannot be told; choose it with "
            f"{LABEL_OPTION}. Several labels per node are columns of 0 and 1"
        )
    return np.asarray(values, np.uint8)


def _read_arrays(
    file: Path, names: tuple[str, ...], node_column: object, header: bool | None
) -> Any:
    if node_column is not None or header is not None:
        raise InputError(f"{file} is an array, row i node i's: leave out node_column and header")
    if file_kind(file) == ".npy":
        return _real(file, read_array(file))
    with naming(file):
        with open_zip(file, _MAX_BYTES) as archive:
            present = [name.removesuffix(".npy") for name in archive.namelist()]
        if {"data", "indices", "indptr", "shape"} <= set(present):
            if "format" in present:
                stored = read_arrays(file, "format", max_bytes=_MAX_BYTES)[0].item()
                kind = stored.decode() if isinstance(stored, bytes) else str(stored)
                if kind != "csr":
                    raise InputError(
                        f"is a sparse matrix in format {kind!r}; save it as scipy's csr: "
                        "save_npz(file, matrix.tocsr())"
                    )
            parts = read_arrays(file, "data", "indices", "indptr", "shape", max_bytes=_MAX_BYTES)
            return csr_features(*parts)
        found = [name for name in names if name in present]
        if not found:
            wanted = " or ".join(names)
            raise InputError(f"has arrays {', '.join(present) or '(none)'}, but needs {wanted}")
        return _real(file, read_arrays(file, found[0], max_bytes=_MAX_BYTES)[0])


def _real(file: Path, array: Any) -> Any:
    """The array, if its numbers are real."""
    if array.dtype.kind == "c":
        raise InputError(f"{file} holds complex numbers; give real and imaginary parts as columns")
    return array
