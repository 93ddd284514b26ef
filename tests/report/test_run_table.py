"""The comparison as text: a column of speed-ups only where there is one."""

from dataclasses import replace

from fastgat.report import Row
from fastgat.report.run_table import run_table

FULL = Row(
    task="photo", label="full graph", num_runs=1, test_f1=0.93177, test_f1_deviation=None,
    num_edges=119081.0, num_edges_before=119081.0, seconds_per_epoch=0.0123, total_seconds=4.56,
    memory_bytes=123.4e6, engine_speed_up=None, sparsifier_speed_up=None, is_reference=True,
)  # fmt: skip
SPARSE = replace(
    FULL, label="FastGAT, epsilon=0.5", num_edges=36915.0, sparsifier_speed_up=1.255,
    is_reference=False,
)  # fmt: skip


def test_one_run_needs_no_legend() -> None:
    table = run_table([FULL])
    assert table.headings == [
        "photo", "test F1", "edges", "kept", "s/epoch", "whole run s", "memory MB"
    ]  # fmt: skip
    assert table.rows == [["full graph", "0.932", "119,081", "100 %", "0.0123", "4.6", "123"]]
    assert table.legend == ""


def test_speed_ups_have_columns_where_there_are_any() -> None:
    table = run_table([FULL, SPARSE])
    assert table.headings[-1] == "sparsifying"
    assert [row[-1] for row in table.rows] == ["", "1.25x"]
    table = run_table([replace(FULL, engine_speed_up=29.44), SPARSE])
    assert table.headings[-2:] == ["kernel speed-up", "sparsifying"]
    assert [row[-2:] for row in table.rows] == [["29.4x", ""], ["", "1.25x"]]
    assert all(f"{heading}: " in table.legend for heading in table.headings[-2:])


def test_the_legend_tells_the_number_of_seeds() -> None:
    several = [replace(row, num_runs=3, test_f1_deviation=0.0021) for row in (FULL, SPARSE)]
    table = run_table(several)
    assert "mean and deviation of 3 seeds" in table.legend
    assert table.rows[0][1] == "0.932 ± 0.002"


def test_what_records_do_not_tell_is_left_empty() -> None:
    blank = replace(FULL, test_f1=None, seconds_per_epoch=None, memory_bytes=None)
    (row,) = run_table([blank]).rows
    assert [row[1], row[4], row[6]] == ["", "", ""]
