"""The timing harness: turns, blocks, medians, processes."""

import os
import time

import numpy as np
import pytest

from experiments import timing
from experiments.peers.optional import find_package
from experiments.timing import calls_in_turn, in_turn, medians_in_turn, peak_of, timed_block


def test_cases_take_turns() -> None:
    order: list[str] = []
    cases = {name: lambda name=name: order.append(name) for name in "ab"}
    assert in_turn(cases, 3) == {"a": [None] * 3, "b": [None] * 3}
    assert order == list("ababab")


def test_medians_leave_the_warm_up_out() -> None:
    times = iter([100.0, 3.0, 1.0, 2.0])
    assert medians_in_turn({"a": lambda: next(times)}, 3, warm_up=1) == {"a": 2.0}


def test_calls_give_times_and_last_values() -> None:
    values = iter(range(3))
    seconds, found = calls_in_turn({"a": lambda: next(values), "b": lambda: "b"}, 3)
    assert found == {"a": 2, "b": "b"}
    assert all(0 <= taken < 1 for taken in seconds.values())


def test_a_block_is_filled_with_short_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = 0.0, 0
    monkeypatch.setattr(time, "perf_counter", lambda: now)

    def run() -> None:
        nonlocal now, calls
        calls += 1
        now += timing.BLOCK_SECONDS / 4

    assert timed_block(run) == pytest.approx(timing.BLOCK_SECONDS / 4)
    assert calls in (4, 5)


def test_peak_memory_is_of_a_process_of_its_own() -> None:
    value, peak = peak_of(allocate_megabytes, 200)
    assert value == 200
    assert peak > 200e6


def allocate_megabytes(number: int) -> int:
    return int(np.ones(number * 1_000_000, np.uint8).nbytes // 1_000_000)


def test_a_process_that_the_system_ends_is_told() -> None:
    with pytest.raises(MemoryError, match="ended before it was done"):
        peak_of(os.abort)


def test_a_peer_that_is_not_installed_is_none() -> None:
    assert find_package("no_such_package_here") is None
    assert find_package("numpy") is np
