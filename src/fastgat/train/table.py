"""Predictions and attention as files: columns of equal length, as Parquet or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastgat.check import InputError
from fastgat.files import write_atomically

SUFFIXES = (".parquet", ".csv")


def check_table(path: Path) -> None:
    """Refuse a file whose suffix names no format."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path} must end in {' or '.join(SUFFIXES)}")


def write_table(path: Path, columns: dict[str, Any]) -> None:
    """Write columns, such as `Prediction.columns()`, whole or not at all."""
    import pyarrow as pa

    check_table(path)
    table = pa.table(columns)
    with write_atomically(path) as temporary:
        if path.suffix.lower() == ".csv":
            from pyarrow import csv

            csv.write_csv(table, temporary)
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary)
