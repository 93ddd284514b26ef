"""Features and labels as users keep them: tables with a row per node, or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data.archive import csr_features, open_zip, read_array, read_arrays
from fastgat.files import existing_file

NODE_COLUMNS = ("node", "id")
_MAX_BYTES = 2**36  # the user's own file: limited by the memory, not by what it claims to be


@dataclass(frozen=True)
class Rows:
    """Values with one row per node; `node` says whose row it is, None: row i is node i's."""

    node: NDArray[Any] | None
    values: Any  # dense, sparse, or for a table of labels an Arrow column


def read_features(path: str | Path) -> Rows:
    """Features from `.npy`, `.npz` (`x` or `features`, or SciPy's CSR), `.csv` or `.parquet`."""
    file = existing_file(path)
    if file.suffix == ".npy":
        return Rows(None, read_array(file))
    if file.suffix == ".npz":
        return Rows(None, _read_npz(file, ("x", "features")))
    node, table = _read_table(file)
    try:
        columns = [
            np.asarray(table.column(name).cast("float32").to_numpy()) for name in table.column_names
        ]
    except Exception as error:  # Arrow's errors share no base but this
        raise InputError(f"{file}: features must be numbers: {_first_line(error)}") from None
    if not columns:
        raise InputError(f"{file} has no column of features")
    return Rows(node, np.stack(columns, axis=1))


def read_labels(path: str | Path) -> Rows:
    """Labels from `.npy`, `.npz` (`y` or `labels`), or a table with a column `label`.

    A table without such a column has one column of 0 and 1 per label, unless it has one column.
    """
    file = existing_file(path)
    if file.suffix == ".npy":
        return Rows(None, read_array(file))
    if file.suffix == ".npz":
        return Rows(None, _read_npz(file, ("y", "labels")))
    node, table = _read_table(file)
    if "label" in table.column_names:
        return Rows(node, table.column("label"))
    if table.num_columns == 1:
        return Rows(node, table.column(0))
    if table.num_columns == 0:
        raise InputError(f"{file} has no column of labels; call it label")
    try:
        columns = [
            table.column(name).cast("uint8").to_numpy(zero_copy_only=False)
            for name in table.column_names
        ]
    except Exception as error:
        raise InputError(f"{file}: several labels are 0 or 1: {_first_line(error)}") from None
    return Rows(node, np.stack(columns, axis=1))


def encode(column: Any, file: object) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Classes of a column of numbers or text, -1 where there is no value; text gives names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, np.ndarray):
        if column.dtype.kind in "US":
            texts, classes = np.unique(column, return_inverse=True)
            return classes.astype(np.int64), tuple(map(str, texts))
        return column, None
    column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        return column.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False), None
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise InputError(f"{file}: labels are {column.type}, but classes are whole numbers or text")
    column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    names = sorted(name for name in pc.unique(column).to_pylist() if name is not None)
    number = pc.index_in(column, value_set=pa.array(names, column.type)).fill_null(-1)
    return number.to_numpy(zero_copy_only=False).astype(np.int64), tuple(names)


def _read_npz(file: Path, names: tuple[str, ...]) -> Any:
    try:
        with open_zip(file, _MAX_BYTES) as archive:
            present = [name.removesuffix(".npy") for name in archive.namelist()]
        if {"data", "indices", "indptr", "shape"} <= set(present):
            parts = read_arrays(file, "data", "indices", "indptr", "shape", max_bytes=_MAX_BYTES)
            return csr_features(*parts)
        found = [name for name in names if name in present]
        if not found:
            wanted = " or ".join(names)
            raise InputError(f"has arrays {', '.join(present) or '(none)'}, but needs {wanted}")
        return read_arrays(file, found[0], max_bytes=_MAX_BYTES)[0]
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def _read_table(file: Path) -> tuple[NDArray[Any] | None, Any]:
    """The column of nodes, if there is one, and the table without it."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    try:
        if file.suffix == ".parquet":
            table = pa.parquet.read_table(file)
        elif file.suffix in (".csv", ".tsv"):
            parse = pa.csv.ParseOptions(delimiter="\t" if file.suffix == ".tsv" else ",")
            table = pa.csv.read_csv(file, parse_options=parse)
        else:
            raise InputError(f"{file} must end in .npy, .npz, .csv, .tsv or .parquet")
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file} cannot be read: {_first_line(error)}") from None
    named = [name for name in NODE_COLUMNS if name in table.column_names][:1]
    if not named:
        return None, table
    node = table.column(named[0])
    if node.null_count:
        raise InputError(f"{file}: column {named[0]!r} has a row without a node")
    return node.to_numpy(), table.drop_columns(named)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
