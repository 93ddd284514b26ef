"""The tolerance is the larger of 0.01 and twice the paper's deviation; a miss stays a miss."""

import dataclasses
from collections.abc import Callable

import pytest

from experiments.expected import Figure
from experiments.records import StoredRow
from experiments.training.method import GAT
from experiments.training.scores import score_findings, score_table
from experiments.verdict import (
    Count,
    Finding,
    Verdict,
    explain,
    judge_claim,
    judge_count,
    judge_score,
    judge_share,
)
from fastgat.check import InputError


@pytest.mark.parametrize(
    ("ours", "paper", "verdict"),
    [
        (0.95, "0.94 ± 0.001", "within"),
        (0.93, "0.94 ± 0.001", "within"),
        (0.9299, "0.94 ± 0.001", "miss"),
        (0.9501, "0.94 ± 0.001", "above"),
        (0.59, "0.63 ± 0.02", "within"),
        (0.5899, "0.63 ± 0.02", "miss"),
        (0.6701, "0.63 ± 0.02", "above"),
        (0.9, "OOM", "not judged"),
    ],
)
def test_scores(ours: float, paper: str, verdict: str) -> None:
    assert judge_score(ours, Figure.read(paper)) == verdict


def test_shares_and_counts_have_no_better_side() -> None:
    assert judge_share(0.7504, Figure.read("74.04%")) == Verdict.within
    assert judge_share(0.7505, Figure.read("74.04%")) == Verdict.miss
    assert judge_count(163_788, Figure.read("163778")) == Verdict.within
    assert judge_count(793_632, Figure.read("818716")) == Verdict.miss
    assert judge_claim(True) == Verdict.within
    assert judge_claim(False) == Verdict.miss


def test_misses_and_scores_above_are_explained() -> None:
    findings = [
        Finding("a", "1", "2", Verdict.miss),
        Finding("b", "1", "2", Verdict.miss),
        Finding("c", "1", "1", Verdict.within),
        Finding("d/photo/F1", "3", "1", Verdict.above),
        Finding("e", "", "1", Verdict.not_judged, "no file"),
        Finding("f", "3", "1", Verdict.above),
    ]
    above = {"d/photo/*": "more epochs", "d/*": "a later pattern", "b": "not of a miss"}
    found = explain(findings, {"a": "fewer epochs", "c": "stale"}, above)
    assert [f.why for f in found] == ["fewer epochs", "", "", "more epochs", "no file", ""]
    assert Count.of(found) == Count(within=1, above=2, listed=1, unlisted=1, not_judged=1)


def test_a_figure_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="'about 3', which is no figure"):
        Figure.read("about 3")


def test_scores_are_means_over_the_seeds(stored: Callable[..., StoredRow]) -> None:
    results = {
        "1": stored("photo", GAT, 1, test_f1=0.90),
        "2": stored("photo", GAT, 2, test_f1=0.92),
        "3": stored("physics", GAT, 1, test_f1=0.90),
        "4": stored("reddit", GAT, 1, missing="Reddit/raw/reddit_graph.npz"),
        "5": stored("digits", GAT, 1, test_f1=0.5),
    }
    found = score_findings("table-2", results, ["GAT", "FastGAT-const-0.5"])
    assert [(f.of, f.ours, f.paper, f.verdict) for f in found] == [
        ("table-2/GAT/photo/F1", "0.910 ± 0.014", "0.92 ± 0.001", "within"),
        ("table-2/GAT/physics/F1", "0.900", "0.94 ± 0.001", "miss"),
        ("table-2/GAT/reddit/F1", "", "OOM", "not judged"),
    ]
    table = score_table("table-2", results, ["GAT"])
    assert table.lines == [
        [
            "GAT",
            "0.910 ± 0.014 (0.92 ± 0.001)",
            "0.900 (0.94 ± 0.001) miss",
            "0.500",
        ]
    ]
    assert "reddit: not run, Reddit/raw/reddit_graph.npz is missing." in table.remarks


def test_only_whole_runs_of_one_kind_are_judged(stored: Callable[..., StoredRow]) -> None:
    def finding(*rows: StoredRow) -> Finding:
        results = {str(place): row for place, row in enumerate(rows)}
        (found,) = score_findings("table-2", results, ["GAT"])
        return found

    whole = stored("photo", GAT, 1, test_f1=0.92)
    assert finding(whole).verdict == "within"
    short = dataclasses.replace(whole, settings=whole.settings | {"training": {"epochs": 5}})
    assert (finding(whole, short).verdict, finding(short).why) == (
        "not judged",
        "trained for 5 epochs only",
    )
    other = dataclasses.replace(whole, settings=whole.settings | {"revision": 0, "seed": 2})
    assert (finding(whole, other).verdict, finding(whole, other).why) == (
        "not judged",
        "rows of several settings",
    )
    failed = stored("photo", GAT, 2, failed="the loss is nan in epoch 3")
    assert (finding(whole, failed).verdict, finding(whole, failed).why) == (
        "miss",
        "1 of 2 runs failed: the loss is nan in epoch 3",
    )
