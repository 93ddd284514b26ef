import math
from collections.abc import Callable
from dataclasses import replace
from statistics import mean, stdev

import pytest

from fastgat.report import Row, comparison_rows
from fastgat.report.comparison import run_table
from fastgat.train import RunRecord
from fastgat.train.baselines import Baseline

Make = Callable[..., RunRecord]
FULL = Row(
    task="photo", label="full graph", num_runs=1, test_f1=0.93177, test_f1_deviation=None,
    num_edges=119081.0, num_edges_before=119081.0, seconds_per_epoch=0.0123, total_seconds=4.56,
    memory_bytes=123.4e6, kernel_speed_up=None, sparsifier_speed_up=None, is_reference=True,
    test_macro_f1=0.91256,
)  # fmt: skip
SPARSE = replace(
    FULL, label="FastGAT, epsilon=0.5", num_edges=36915.0, sparsifier_speed_up=1.255,
    is_reference=False,
)  # fmt: skip


def rows_by_label(records: list[RunRecord]) -> dict[str, Row]:
    return {row.label: row for row in comparison_rows(records)}


def test_a_row_is_the_mean_of_its_records(record: Make) -> None:
    runs = [record(seed=seed) for seed in (1, 3, 5)]
    (row,) = comparison_rows(runs)
    assert row.num_runs == 3
    assert row.test_f1 == pytest.approx(mean(run.scores["test"] for run in runs))
    assert row.test_f1_deviation == pytest.approx(stdev(run.scores["test"] for run in runs))
    assert row.num_edges == pytest.approx(mean(run.edges["trained_on"] for run in runs))
    assert row.seconds_per_epoch == pytest.approx(mean(run.seconds_per_epoch for run in runs))
    assert row.total_seconds == pytest.approx(mean(run.total_seconds for run in runs))
    assert row.memory_bytes == pytest.approx(mean(run.memory_bytes or 0 for run in runs))


def test_a_single_run_has_no_deviation(record: Make) -> None:
    assert comparison_rows([record()])[0].test_f1_deviation is None


def test_peers_come_first_then_our_full_graph_then_sparser_ones(many: list[RunRecord]) -> None:
    photo = [row.label for row in comparison_rows(many) if row.task == "photo"]
    assert photo[:2] == ["PyG GAT, full graph", "GAT, full graph"]
    assert photo[-1] == "FastGAT adaptive"


def test_order_of_records_does_not_matter(many: list[RunRecord]) -> None:
    assert comparison_rows(many) == comparison_rows(many[::-1])


def test_the_two_speed_ups_have_references_of_their_own(record: Make) -> None:
    peer, full, sparse = (
        record(label) for label in ("PyG GAT, full graph", "GAT, full graph", "FastGAT eps=0.5")
    )
    rows = rows_by_label([peer, full, sparse])
    kernel = peer.seconds_per_epoch / full.seconds_per_epoch
    sparsifier = full.seconds_per_epoch / sparse.seconds_per_epoch
    assert rows[full.label].kernel_speed_up == pytest.approx(kernel)
    assert rows[full.label].sparsifier_speed_up is None
    assert rows[sparse.label].sparsifier_speed_up == pytest.approx(sparsifier)
    assert rows[sparse.label].kernel_speed_up is None
    assert rows[peer.label].kernel_speed_up is rows[peer.label].sparsifier_speed_up is None


def test_without_a_full_graph_there_is_no_speed_up(record: Make) -> None:
    rows = rows_by_label([record(), record("PyG GAT, full graph")])
    assert all(row.sparsifier_speed_up is row.kernel_speed_up is None for row in rows.values())


@pytest.mark.parametrize("changes", [
    {"environment": {"processor": "another one", "threads": 2}},
    {"model": {"name": "FastGAT", "attention": "cosine", "heads": 8}},
])  # fmt: skip
def test_other_machines_and_models_are_not_compared(
    record: Make, changes: dict[str, object]
) -> None:
    full = replace(record("GAT, full graph"), **changes)  # type: ignore[arg-type]
    assert rows_by_label([full, record()])["FastGAT eps=0.5"].sparsifier_speed_up is None


def test_tasks_of_one_name_and_other_sizes_stay_apart(record: Make) -> None:
    small = record()
    large = replace(small, task={**small.task, "num_nodes": 9000})
    assert [row.num_runs for row in comparison_rows([small, large])] == [1, 1]


def test_what_records_do_not_tell_is_none(record: Make) -> None:
    bare = record(epochs=0, scores={}, peak_bytes=None)
    (row,) = comparison_rows([bare])
    assert row.test_f1 is row.seconds_per_epoch is row.memory_bytes is None


def test_no_records_make_no_rows() -> None:
    assert comparison_rows([]) == []


def test_one_run_needs_no_legend() -> None:
    table = run_table([FULL])
    assert table.headings == [
        "photo", "test F1", "macro-F1", "edges", "kept", "s/epoch", "whole run s", "memory MB"
    ]  # fmt: skip
    assert table.rows == [
        ["full graph", "0.932", "0.913", "119,081", "100 %", "0.0123", "4.6", "123"]
    ]
    assert table.legend == ""


def test_speed_ups_have_columns_where_there_are_any() -> None:
    table = run_table([FULL, SPARSE])
    assert table.headings[-1] == "sparsifying"
    assert [row[-1] for row in table.rows] == ["", "1.25x"]
    table = run_table([replace(FULL, kernel_speed_up=29.44), SPARSE])
    assert table.headings[-2:] == ["kernel speed-up", "sparsifying"]
    assert [row[-2:] for row in table.rows] == [["29.4x", ""], ["", "1.25x"]]
    assert all(f"{heading}: " in table.legend for heading in table.headings[-2:])


def test_the_legend_tells_the_number_of_seeds() -> None:
    several = [replace(row, num_runs=3, test_f1_deviation=0.0021) for row in (FULL, SPARSE)]
    table = run_table(several)
    assert "mean and deviation of 3 seeds" in table.legend
    assert table.rows[0][1] == "0.932 ± 0.002"


def test_what_records_do_not_tell_is_left_empty() -> None:
    blank = replace(
        FULL, test_f1=None, test_macro_f1=None, seconds_per_epoch=None, memory_bytes=None
    )
    (row,) = run_table([blank]).rows
    assert [row[1], row[2], row[5], row[7]] == ["", "", "", ""]


def test_memory_of_a_process_of_its_own_stands_alone(record: Make) -> None:
    apart = replace(record(seed=1), peak_bytes=7, resident_bytes_before=3, measured_apart=True)
    (row,) = comparison_rows([record(seed=3), apart])
    assert row.memory_bytes == 4 and row.measured_apart
    assert not comparison_rows([record()])[0].measured_apart
    told = [replace(one, measured_apart=True) for one in (FULL, SPARSE)]
    assert "in a process of its own" in run_table(told).legend
    assert "in a process of its own" not in run_table([told[0], SPARSE]).legend


def test_macro_f1_is_a_mean_too(record: Make) -> None:
    (row,) = comparison_rows([record(seed=seed) for seed in (1, 3)])
    assert row.test_macro_f1 == pytest.approx(0.926 - 0.01)


def test_baselines_stand_below_with_their_means() -> None:
    scores = [("features", 0.5, 0.25), ("majority", 0.3, 0.1), ("features", 0.7, 0.35)]
    table = run_table([FULL, SPARSE], [Baseline(*one, seconds=1.5) for one in scores])
    features, majority = table.rows[2:]
    assert features == ["features", "0.600 ± 0.141", "0.300", "", "", "", "1.5", "", ""]
    assert majority == ["majority", "0.300", "0.100", "", "", "", "1.5", "", ""]


def test_a_baseline_without_a_score_leaves_it_empty() -> None:
    table = run_table([FULL], [Baseline("features", math.nan, math.nan, seconds=1.5)])
    assert table.rows[1] == ["features", "", "", "", "", "", "1.5", ""]
