"""What the paper's tables show and judge."""

from collections.abc import Callable

import pytest

from experiments.catalogue import EXPERIMENTS
from experiments.options import Options
from experiments.paper import (
    table_2,
    table_3,
    table_4,
)
from experiments.records import StoredRow
from experiments.training.method import (
    FAST_GCN_400,
    FAST_GCN_800,
    GAT,
    const,
    per_head,
    random_edges,
)
from experiments.training.scores import score_table


def test_fastgat_without_const_draws_per_head() -> None:
    assert per_head(0.5).resample == "head"
    assert const(0.5).resample == "const"


def test_tables_2_and_3_and_the_rate_share_runs() -> None:
    def settings(name: str) -> dict[str, object]:
        return {row.key: row.settings for row in EXPERIMENTS[name].rows(Options())}

    key = "photo/FastGAT-const-0.5/seed-3"
    assert settings("table-2")[key] == settings("table-3")[key]
    assert settings("table-2")[key] == settings("rate-of-learning")[key]


def test_a_stand_in_for_ppi_is_not_judged(stored: Callable[..., StoredRow]) -> None:
    result = {"test_f1": 0.6, "edges": 10, "epochs": 7}
    (finding,) = table_4.findings({"a": stored("ppi-rebuilt", GAT, 1, **result)})
    assert (finding.verdict, finding.why) == ("not judged", "ppi-rebuilt stands in for PPI")
    seconds = {label: {"training_seconds": 2.0} for label in table_4.LABELS}
    settings = {"dataset": "ppi-rebuilt", "quick": False}
    times = StoredRow(settings, seconds, 1.0, "2026-01-02 03:04", {})
    results = {"ppi-rebuilt/times@cpu": times, "a": stored("ppi-rebuilt", GAT, 1, **result)}
    (table,) = table_4.tables(results)
    assert table.lines[0] == ["GAT", "0.600", "0.974 ± 0.002", "2.00", "45.8", "10", "7", "1"]
    assert "99.9 % of its labels" in table.remarks[-1]
    (finding,) = table_4.findings({"a": stored("ppi", GAT, 1, **result)})
    assert finding.verdict == "miss"


def test_a_stand_in_for_reddit_is_timed_and_not_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_stand_in() -> list[str]:
        rows = table_2.rows(Options())
        return [row.key for row in rows if row.settings["dataset"] == "reddit-like"]

    monkeypatch.setattr(table_2, "obtain", lambda _: "a file")
    assert of_stand_in() == ["reddit-like/times@cpu"]
    monkeypatch.setattr(table_2, "obtain", lambda _: None)
    assert of_stand_in() == []

    def remarks(dataset: str) -> str:
        times = {label: {"training_seconds": 2.0} for label in table_2.LABELS}
        row = StoredRow({"dataset": dataset, "quick": False}, times, 1.0, "2026-01-02 03:04", {})
        table = table_2.speed_table({f"{dataset}/times@cpu": row})
        assert table is not None
        return " ".join(table.remarks)

    assert "stands in for its times" in remarks("reddit-like")
    assert "stands in" not in remarks("photo")


def test_a_baseline_that_is_as_good_is_named(stored: Callable[..., StoredRow]) -> None:
    fast, slow = FAST_GCN_400, FAST_GCN_800
    scores = {const(0.5): 0.90, fast: 0.93, slow: 0.80, random_edges(0.5): 0.899}
    scores[const(0.9)] = 0.91
    rows = {
        f"{method.label} {seed}": stored("photo", method, seed, test_f1=score + 0.001 * seed)
        for method, score in scores.items()
        for seed in (1, 2, 3)
    }
    assert table_3.where_as_good(rows) == [
        "As good as FastGAT-const-0.5 or better, or less by at most a deviation: "
        "FastGCN-400 on photo; GAT rand 0.5 on photo.",
        "As good as FastGAT-const-0.9 or better, or less by at most a deviation: "
        "FastGCN-400 on photo.",
    ]


def test_fewer_seeds_of_a_method_are_told(stored: Callable[..., StoredRow]) -> None:
    numbers = {GAT: 3, const(0.5): 2}
    results = {
        f"{method.label}/{seed}": stored("cs", method, seed, test_f1=0.9)
        for method, number in numbers.items()
        for seed in range(number)
    }
    table = score_table("table-2", results, ["GAT", "FastGAT-const-0.5"])
    assert table.remarks == [
        "3 seeds (FastGAT-const-0.5: 2), each with its own split; at most 300 epochs."
    ]
    for seed in range(3):
        results[f"photo/{seed}"] = stored("photo", const(0.5), seed, test_f1=0.9)
    (remark,) = score_table("table-2", results, ["GAT", "FastGAT-const-0.5"]).remarks
    assert remark.startswith("3 seeds (FastGAT-const-0.5 on cs: 2), each")
