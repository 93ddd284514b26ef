"""The first sentence of a page: true to the records, and plain where sparsifying does not pay."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from fastgat.report.comparison import task_rows
from fastgat.report.conclusion import beside, conclusion
from fastgat.report.headline import chosen_runs
from fastgat.report.runs import group_records
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]


def told(*records: RunRecord) -> str | None:
    (task,) = group_records(records)
    return conclusion(task, chosen_runs(task), task_rows(task))


def told_beside(*records: RunRecord) -> str:
    (task,) = group_records(records)
    return beside(task, chosen_runs(task), task_rows(task), [])


def as_if(run: RunRecord, test: float, epoch: float, total: float, memory: int) -> RunRecord:
    """The run with other results."""
    history = [replace(line, seconds=epoch) for line in run.history]
    return replace(
        run, history=history, scores={"test": test, "validation": test}, seconds={"forward": total},
        peak_bytes=memory, resident_bytes_before=0,
    )  # fmt: skip


@pytest.mark.parametrize(("test", "epoch", "total", "memory", "begin"), [
    (0.89, 0.5, 60, 80e6, "Sparsifying pays here:"),
    (0.89, 0.5, 99, 80e6, "Sparsifying pays here in longer runs only:"),
    (0.80, 0.5, 60, 80e6, "Sparsifying costs accuracy here:"),
    (0.89, 0.98, 99, 80e6, "Sparsifying saves memory but no time here:"),
    (0.90, 0.98, 99, 99e6, "Sparsifying does not pay here:"),
    (0.90, 2.0, 150, 120e6, "Sparsifying does not pay here:"),
])  # fmt: skip
def test_what_is_said_follows_the_numbers(
    record: Make, test: float, epoch: float, total: float, memory: float, begin: str
) -> None:
    full = as_if(record("GAT, full graph"), 0.9, 1.0, 100, 100_000_000)
    said = told(full, as_if(record(), test, epoch, total, int(memory)))
    assert said is not None and said.startswith(begin)
    assert f"({test:.3f} of 0.900)" in said and "of the edges" in said
    assert f"{memory / 1e6:.0f} MB of memory instead of 100 MB" in said


def test_equal_memory_is_called_so(record: Make) -> None:
    full = as_if(record("GAT, full graph"), 0.9, 1.0, 100, 10**8)
    said = told(full, as_if(record(), 0.9, 0.5, 50, 10**8))
    assert said is not None and said.endswith("training takes 100 MB of memory in both cases.")


def test_ratios_of_time_are_in_words(record: Make) -> None:
    full = as_if(record("GAT, full graph"), 0.9, 1.0, 100, 10**8)
    faster = told(full, as_if(record(), 0.9, 0.5, 80, 10**8))
    assert faster is not None
    assert "an epoch is 2.00x faster than on our own full graph" in faster
    assert "the whole run 1.25x faster" in faster
    slower = told(full, as_if(record(), 0.9, 2.0, 101, 10**8))
    assert slower is not None and "2.00x slower" in slower and "run no faster" in slower


def test_a_loss_within_the_seeds_is_none(record: Make) -> None:
    full = [
        as_if(record("GAT, full graph", seed=s), f1, 1.0, 100, 9) for s, f1 in ((1, 0.8), (3, 1))
    ]
    sparse = [as_if(record(seed=s), f1, 0.5, 50, 9) for s, f1 in ((1, 0.78), (3, 0.96))]
    said = told(*full, *sparse)
    assert said is not None and said.startswith("Sparsifying pays here:")


def test_nothing_is_said_without_something_to_compare(record: Make) -> None:
    assert told(record()) is None
    assert told(record("GAT, full graph")) is None
    assert told(record("GAT, full graph"), record(scores={})) is None


def test_as_many_other_edges_are_found_whatever_their_label(record: Make) -> None:
    full, random = record("GAT, full graph"), "random, same count as eps=0.5"
    sparse = replace(record(), scores={"test": 0.9, "validation": 0.9})
    other = replace(record("by chance", like=random), scores={"test": 0.875})
    assert told_beside(full, sparse, other) == "Beside it, by chance: 0.875."
    fewer = replace(other, edges={**other.edges, "trained_on": other.edges["trained_on"] // 2})
    assert told_beside(full, sparse, fewer) == ""
    like = replace(record("same count", like=sparse.label), scores={"test": 0.8})
    assert told_beside(full, sparse, like) == ""  # by resistance too
