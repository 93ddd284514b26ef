"""Questions that the paper leaves open: what is compared with what."""

from collections.abc import Callable

from experiments.open import choices, equal_edges
from experiments.records import StoredRow
from experiments.training.method import (
    const,
    degree_edges,
    independent,
    random_edges,
)
from fastgat.data import load_dataset


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
