"""Columns as files: whole or not at all."""

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from fastgat import InputError
from fastgat.train.table import check_table, write_table

COLUMNS = {"node": [0, 1], "class": ["a", "b,c"], "probability of a": [0.75, 0.125]}


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "T.CSV"])
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_table(path, COLUMNS)
    read = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.csv.read_csv
    assert read(path).to_pydict() == COLUMNS
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["t.txt", "t", "t.csv.gz"])
def test_a_name_without_a_format_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for refuse in (check_table, lambda path: write_table(path, COLUMNS)):
        with pytest.raises(InputError, match=r"must end in \.parquet or \.csv"):
            refuse(path)
    assert not path.exists()
