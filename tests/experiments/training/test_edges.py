"""Edges as the paper counts them, and the share that is left out."""

from collections.abc import Callable

import pytest

from experiments.training.edges import paper_count, reduction
from fastgat.data import NodeTask


@pytest.mark.parametrize(
    ("name", "count", "how"),
    [
        ("cora", 5429, "as stored"),  # the number of citations that papers print
        ("citeseer", 4732, "as stored"),
        ("pubmed", 44338, "as stored"),
        ("photo", 143_663, "as stored"),
        ("cs", 163_788, "both directions"),
        ("github", 289_003, "undirected"),
    ],
)
def test_counts(name: str, count: int, how: str, task: Callable[[str], NodeTask]) -> None:
    assert paper_count(name, task(name)) == (count, how)


def test_a_reduction_is_of_what_was_there() -> None:
    assert reduction(0, 4) == 1
    assert reduction(4, 4) == 0
