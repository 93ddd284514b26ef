"""Rows that were stored, without running them."""

from collections.abc import Callable
from typing import Any

import pytest

from experiments.records import StoredRow
from experiments.training.method import Method


@pytest.fixture
def stored() -> Callable[..., StoredRow]:
    """Give `stored(dataset, method, seed, test_f1=0.9)`: a training row with such a result."""

    def make(dataset: str, method: Method, seed: int, **result: Any) -> StoredRow:
        settings = {
            "dataset": dataset,
            "method": method.settings(),
            "seed": seed,
            "device": "cpu",
            "quick": False,
            "training": {},
        }
        if not {"missing", "failed"} & set(result):
            result = {"config": {"epochs": 300}, **result}
        environment = {"processor": "a test's", "threads": 2, "torch": "2"}
        return StoredRow(settings, result, 1.0, "2026-01-02 03:04", environment)

    return make
