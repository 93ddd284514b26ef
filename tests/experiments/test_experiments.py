"""Every experiment: its rows, and one tiny run from end to end."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments.catalogue import EXPERIMENTS, OPEN, find_experiment
from experiments.experiment import run_experiment
from experiments.open import choices, equal_edges
from experiments.options import PAPER_DATASETS, Options
from experiments.paper import (
    adaptive,
    dense_scaling,
    figure_1,
    figure_2,
    rate_of_learning,
    table_2,
    table_3,
    table_4,
)
from experiments.paper.figure_2 import last_weights, relative_errors
from experiments.paper.rate_of_learning import gap
from experiments.records import Records, StoredRow, plain
from experiments.reproduction_page import page_text, write_reproduction_page
from experiments.results_page import write_results_page
from experiments.training.method import (
    FAST_GCN_400,
    FAST_GCN_800,
    GAT,
    const,
    degree_edges,
    independent,
    per_head,
    random_edges,
)
from experiments.training.scores import score_table
from experiments.verdict import Finding
from fastgat.check import InputError
from fastgat.data import load_dataset
from fastgat.sparsify import UniformSparsifier
from fastgat.train import Plan, TrainConfig, node_order

NUM_ROWS = {  # full and quick: datasets x (methods x seeds, and times)
    "table-1": (11, 11),
    "table-2": (6 * (3 * 5 + 1) + 1, 4),  # and the stand-in
    "table-3": (6 * (6 * 5 + 3 * 3), 9),
    "table-4": (6 * 3 + 1, 7),
    "table-5": (6 * (6 * 5 + 1), 7),
    "small-graphs": (3 * (5 * 5 + 1), 6),
    "figure-1": (6, 1),
    "figure-2": (5 * 5, 1),
    "rate-of-learning": (6 * 3 * 5, 3),
    "adaptive": (3 * 4 * 5, 4),
    "dense-scaling": (5, 3),
    "theorems": (1, 1),
    "equal-edges": (6 * 10 * 5, 10),
    "choices": (3 * 2 * 6 * 5, 12),
    "open-settings": (3 * 6 * 3, 6),
    "attention-steps": (5, 1),
    "attention-layers": (2 * 5, 5),
    "attention-memory": (2, 2),
    "attention-scaling": (4, 2),
    "attention-reddit": (2, 2),
    "attention-draws": (2, 2),
    "training-speed": (4, 1),
    "training-reddit": (2, 2),
    "resistances": (5, 1),
    "smoothing": (3 + 3, 1 + 3),
    "solver": (3 + 1, 2),
    "reddit-size": (3, 1),
    "parquet-memory": (1, 1),
    "sparsifiers": (8 * 2 * 7, 2 * 7),
    "before-after": (5 + 2 + 1, 1 + 1 + 1),
}


@pytest.mark.parametrize("name", NUM_ROWS)
def test_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (table_2, table_4):
        monkeypatch.setattr(module, "obtain", lambda _: "a file")  # nothing is fetched here
    for quick in (False, True):
        rows = EXPERIMENTS[name].rows(Options(quick=quick))
        assert len(rows) == len({row.key for row in rows}) == NUM_ROWS[name][quick]
        for row in rows:
            assert plain(row.settings) == plain(plain(row.settings))


def test_the_paper_is_complete() -> None:
    assert set(EXPERIMENTS) == {*NUM_ROWS, "accuracy"}  # whose rows go by the files that are here
    assert len(table_3.METHODS) == 9
    drawn = {name for name, experiment in EXPERIMENTS.items() if experiment.draw}
    shown = {"figure-1", "figure-2", "rate-of-learning", "adaptive", "dense-scaling", "theorems"}
    assert drawn == shown


def test_fastgat_without_const_draws_per_head() -> None:
    assert per_head(0.5).resample == "head"
    assert const(0.5).resample == "const"


def test_tables_2_and_3_and_the_rate_share_runs() -> None:
    def settings(name: str) -> dict[str, object]:
        return {row.key: row.settings for row in EXPERIMENTS[name].rows(Options())}

    key = "photo/FastGAT-const-0.5/seed-3"
    assert settings("table-2")[key] == settings("table-3")[key]
    assert settings("table-2")[key] == settings("rate-of-learning")[key]


def test_options_are_checked_at_once() -> None:
    assert Options(datasets=("Photo", "photo", "PPI_GO")).datasets == ("photo", "ppi-go")
    assert list(Options().numbers()) == [1, 2, 3, 4, 5]
    assert list(Options(quick=True).numbers()) == [1]
    assert Options().names(PAPER_DATASETS) == PAPER_DATASETS
    with pytest.raises(InputError, match="did you mean 'photo'"):
        Options(datasets=("foto",))
    with pytest.raises(InputError, match="seeds=0"):
        Options(seeds=0)
    with pytest.raises(InputError, match="device='gpu' must be one of"):
        Options(device="gpu")
    with pytest.raises(InputError, match="datasets is empty"):
        Options(datasets=())
    with pytest.raises(InputError, match="name='table-9' is no experiment; there are table-1"):
        find_experiment("table-9")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="device='cuda' needs a GPU"):
        Options(device="cuda")


@pytest.mark.parametrize(
    "name", [
        "table-1", "table-3", "figure-1", "figure-2", "adaptive", "equal-edges", "choices",
    ],
)  # fmt: skip
def test_end_to_end_on_a_made_dataset(name: str, tmp_path: Path) -> None:
    options = Options(seeds=1, datasets=("synthetic",), epochs=3, quick=True)
    experiment, records = EXPERIMENTS[name], Records(tmp_path)
    results = run_experiment(experiment, options, records)
    assert all(row.is_done for row in results.values())
    assert results == records.read(name)
    assert any("synthetic" in table.markdown() for table in experiment.tables(results))
    assert all(finding.verdict == "not judged" for finding in experiment.findings(results))
    if experiment.draw is not None:
        files = experiment.draw(results, tmp_path / "figures")
        assert [file.suffix for file in files] == [".png", ".pdf"]
        assert all(file.stat().st_size > 5000 for file in files)
    write = write_results_page if experiment in OPEN else write_reproduction_page
    page = write(records, tmp_path / "page.md").read_text()
    assert experiment.title in page
    assert ("figures/" in page) == (experiment.draw is not None)


def test_the_page_opens_with_the_verdict_and_the_misses(
    tmp_path: Path, stored: Callable[..., StoredRow]
) -> None:
    records = Records(tmp_path)
    with pytest.raises(InputError, match="has no records; run python -m experiments all"):
        page_text(records, tmp_path)
    row = stored("physics", GAT, 1, test_f1=0.5, edges=3, edges_before=3, paper_edges=6)
    records.write("table-2", {"physics/GAT/seed-1": row})
    (tmp_path / "reproduction_log.md").write_text("2026-01-02: it did not work.\n")
    page = page_text(records, tmp_path)
    assert "[reproduction_log.md](reproduction_log.md)" in page
    assert "| table-2/GAT/physics/F1 | 0.500 | 0.94 ± 0.001 | not known |" in page
    places = [page.index(part) for part in ("1 missed (0 of them with", "## Misses", "## Table 2")]
    assert places == sorted(places)


def test_a_stand_in_for_ppi_is_not_judged(stored: Callable[..., StoredRow]) -> None:
    result = {"test_f1": 0.6, "edges": 10, "epochs": 7}
    (finding,) = table_4.findings({"a": stored("ppi-go", GAT, 1, **result)})
    assert (finding.verdict, finding.why) == ("not judged", "ppi-go stands in for PPI")
    seconds = {label: {"training_seconds": 2.0} for label in table_4.LABELS}
    settings = {"dataset": "ppi-go", "quick": False}
    times = StoredRow(settings, seconds, 1.0, "2026-01-02 03:04", {})
    results = {"ppi-go/times@cpu": times, "a": stored("ppi-go", GAT, 1, **result)}
    (table,) = table_4.tables(results)
    assert table.lines[0] == ["GAT", "0.600", "0.974 ± 0.002", "2.00", "45.8", "10", "7", "1"]
    assert "stands in for PPI" in table.remarks[-1]
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


def test_faster_is_a_ratio_in_every_timed_run() -> None:
    def finding(sparse: list[float]) -> Finding:
        times = {label: {"training_seconds_by_run": [2.0, 3.0]} for label in figure_1.LABELS}
        times[figure_1.FAST] = {"training_seconds_by_run": sparse}
        settings = {"dataset": "photo", "quick": False}
        row = StoredRow(settings, times, 1.0, "2026-01-02 03:04", {})
        (found,) = figure_1.findings({"photo/times@cpu": row})
        return found

    met, missed = finding([1.0, 2.0]), finding([1.0, 3.1])
    assert (met.ours, met.verdict) == ("GAT's time over FastGAT's: 1.50 to 2.00", "within")
    assert missed.verdict == "miss"


def test_weight_errors_are_per_head() -> None:
    full = {
        "layers.0.lin.weight": torch.eye(4),
        "layers.0.att_src": torch.ones(1, 2, 2),
        "layers.0.att_dst": torch.ones(1, 2, 2),
        "layers.0.bias": torch.ones(4),
    }
    half = {key: 0.5 * value for key, value in full.items()}
    assert relative_errors(full, half) == {"weight": 0.5, "attention": 0.5}
    assert relative_errors(full, full) == {"weight": 0.0, "attention": 0.0}


def test_trainings_are_compared_with_the_same_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair of runs on the same edges, one of which was told to draw them all, ends at one place.

    Were nodes numbered by each run's own graph, half the edges would change the dropout as well.
    """
    monkeypatch.setattr(node_order, "FEWEST_EDGES", 1)
    task = load_dataset("synthetic", num_nodes=100, num_edges=1000)
    shared = {"epochs": 2, "patience": None}
    plans = [
        Plan("", TrainConfig(sparsifier=sparsifier, **shared))
        for sparsifier in (None, UniformSparsifier(keep=1.0), UniformSparsifier(keep=0.5))
    ]
    full, all_kept, half = (last_weights(plan, task, "cpu") for plan in plans)
    assert relative_errors(full, all_kept) == {"weight": 0.0, "attention": 0.0}
    other = last_weights(plans[0], task, "cpu", shift=1)
    assert 0 < relative_errors(full, half)["weight"] < relative_errors(full, other)["weight"]


def test_errors_must_grow_with_epsilon() -> None:
    def row(*errors: float) -> StoredRow:
        found = [{"weight": error, "attention": 0.1} for error in errors]
        names = [*map(str, figure_2.EPSILONS), figure_2.CONTROL]
        settings = {"dataset": "photo", "quick": False}
        result = dict(zip(names, found, strict=True))
        return StoredRow(settings, result, 1.0, "2026-01-02 03:04", {})

    weight, _ = figure_2.findings({"a": row(0.1, 0.2, 0.3, 0.0), "b": row(0.1, 0.2, 0.3, 0.0)})
    assert weight.verdict == "within"
    weight, _ = figure_2.findings({"a": row(0.3, 0.2, 0.3, 0.0)})
    assert weight.verdict == "miss"


def test_curves_are_compared_after_the_warm_up() -> None:
    epochs = np.array([5.0, 25.0, 50.0])
    full, other = (epochs, np.array([0.0, 0.8, 0.9])), (epochs, np.array([0.7, 0.78, 0.9]))
    apart = gap(other, full)
    assert apart is not None
    assert math.isclose(apart, 0.01)
    assert gap((epochs[:1], full[1][:1]), full) is None
    assert rate_of_learning.LABELS[0] == "GAT"


def test_exponents_are_of_the_larger_sizes() -> None:
    def row(nodes: int) -> StoredRow:
        edges = {"full graph": nodes**2, "epsilon = 0.5": 3 * nodes}
        times = {"full graph": 1e-6 * nodes**2, "epsilon = 0.5": 1e-5 * nodes}
        settings = {"nodes": nodes, "quick": False, "device": "cpu"}
        result = {"edges": edges, "training_seconds": times}
        return StoredRow(settings, result, 1.0, "2026-01-02 03:04", {})

    results = {str(nodes): row(nodes) for nodes in dense_scaling.NODES}
    assert [(f.ours, f.verdict) for f in dense_scaling.findings(results)] == [
        ("1.00", "within"),
        ("2.00", "within"),
    ]


def test_adaptive_is_judged_against_const(stored: Callable[..., StoredRow]) -> None:
    facts = {"edges": 129_000, "num_nodes": 34_493, "training_seconds": 0.1}
    curve = {"curve": [[1, 0.5, 0.5]], "seconds_by_epoch": [0.1], "edges_by_epoch": [60_000]}
    results = {
        "a": stored("physics", adaptive.CONST, 1, test_f1=0.94, **facts),
        "b": stored("physics", adaptive.CHANGING, 1, test_f1=0.92, **facts, **curve),
    }
    accurate, counted = adaptive.findings(results)
    assert accurate.verdict == "miss"
    assert (counted.ours, counted.paper, counted.verdict) == ("163,493", "163334", "within")


def test_adaptive_counts_the_edges_of_whole_runs(stored: Callable[..., StoredRow]) -> None:
    facts = {"edges": 100, "num_nodes": 50, "training_seconds": 0.1}
    changing = {"epochs": 2, "edges_by_epoch": [60, 100]}
    results = {
        "a": stored("cs", adaptive.CONST, 1, test_f1=0.94, epochs=4, **facts),
        "b": stored("cs", adaptive.CHANGING, 1, test_f1=0.92, **facts, **changing),
    }
    (table,) = adaptive.tables(results)
    assert [line[3:6] for line in table.lines] == [
        ["100", "100%", "100%"],
        ["60 to 100", "80%", "40%"],
    ]


def test_edges_that_do_as_well_are_named(stored: Callable[..., StoredRow]) -> None:
    scores = {
        independent(0.5): (0.92, 0.94),
        degree_edges(0.5): (0.91, 0.93),  # lower by less than a deviation of 0.014
        random_edges(0.5): (0.90, 0.92),
    }
    results = {
        f"{method.label}/{seed}": stored("cs", method, seed, test_f1=score, config={"epochs": 9})
        for method, both in scores.items()
        for seed, score in enumerate(both)
    }
    (table,) = equal_edges.tables(results)
    assert table.remarks[-1] == (
        "Degree, same count: as good or better, or less by at most a deviation, on cs at 0.5."
    )
    assert not any("Random" in remark for remark in table.remarks)


def test_choices_are_compared_seed_by_seed(stored: Callable[..., StoredRow]) -> None:
    prior = choices.changed(0.5)["weights as a prior"]
    scores = {const(0.5): (0.90, 0.95, 0.2), prior: (0.91, 0.98)}  # the third has no partner
    results = {
        f"{method.label}/{seed}": stored("cs", method, seed, test_f1=score)
        for method, every in scores.items()
        for seed, score in enumerate(every)
    }
    (table,) = choices.tables(results)
    assert [line[2] for line in table.lines] == ["as the paper", "weights as a prior"]
    assert [line[4] for line in table.lines] == ["", "+0.0200 ± 0.0100"]


def test_each_choice_changes_what_is_trained() -> None:
    task = load_dataset("synthetic", num_nodes=200)
    plans = [method.plan(task, 1) for method in choices.changed(0.5).values()]
    assert len({(repr(plan.config), repr(plan.settings)) for plan in plans}) == len(plans)


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
