from collections.abc import Callable
from dataclasses import replace
from statistics import mean, stdev

import pytest

from fastgat.report import Row, comparison_rows
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]


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
    engine = peer.seconds_per_epoch / full.seconds_per_epoch
    sparsifier = full.seconds_per_epoch / sparse.seconds_per_epoch
    assert rows[full.label].engine_speed_up == pytest.approx(engine)
    assert rows[full.label].sparsifier_speed_up is None
    assert rows[sparse.label].sparsifier_speed_up == pytest.approx(sparsifier)
    assert rows[sparse.label].engine_speed_up is None
    assert rows[peer.label].engine_speed_up is rows[peer.label].sparsifier_speed_up is None


def test_without_a_full_graph_there_is_no_speed_up(record: Make) -> None:
    rows = rows_by_label([record(), record("PyG GAT, full graph")])
    assert all(row.sparsifier_speed_up is row.engine_speed_up is None for row in rows.values())


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
