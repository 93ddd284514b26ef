"""The timing harness: cases in turn, each in a block of calls, medians; peak memory.

Turns let a slow spell of the machine fall on all cases alike. A block of calls is what training
does: a step that alternates with a peer's single step finds cold caches (Photo 19 ms instead of 9).
Load and width of vectors are noted in the record of every row (see records.py).
Nothing of fastgat is imported before it is used: the processes of peers time with this file too.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

BLOCK_SECONDS = 0.2  # short calls are repeated for so long
Value = TypeVar("Value")


def in_turn(cases: Mapping[str, Callable[[], Value]], repeats: int) -> dict[str, list[Value]]:
    """What every case gave, asked in turn `repeats` times."""
    found: dict[str, list[Value]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, run in cases.items():
            found[name].append(run())
    return found


def medians_in_turn(
    measures: Mapping[str, Callable[[], float]], repeats: int, *, warm_up: int = 0
) -> dict[str, float]:
    """Median of the seconds that every measure gives, after rounds that do not count."""
    in_turn(measures, warm_up)
    return {name: statistics.median(times) for name, times in in_turn(measures, repeats).items()}


def calls_in_turn(
    cases: Mapping[str, Callable[[], Any]], repeats: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds of single calls, and what each case gave last: for calls that take long."""
    values: dict[str, Any] = {}

    def measure(name: str, run: Callable[[], Any]) -> Callable[[], float]:
        def seconds() -> float:
            begin = time.perf_counter()
            values[name] = run()
            return time.perf_counter() - begin

        return seconds

    measures = {name: measure(name, run) for name, run in cases.items()}
    return medians_in_turn(measures, repeats), values


def timed_block(run: Callable[[], Any]) -> float:
    """Median seconds of `run`, called for at least BLOCK_SECONDS."""
    taken: list[float] = []
    while sum(taken) < BLOCK_SECONDS:
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def peak_of(work: Callable[..., Value], *arguments: Any) -> tuple[Value, int]:
    """The result of `work` run in a process of its own, and that process's peak memory in bytes.

    Of its own: memory that one run gives back stays with the process, and would hide what the
    next one takes. `work` must be importable. A process that is ended by the system, most likely
    for want of memory, raises MemoryError.
    """
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(_with_peak, work, arguments).result()
    except BrokenProcessPool:
        raise MemoryError("the process was ended before it was done") from None


def _with_peak(work: Callable[..., Value], arguments: tuple[Any, ...]) -> tuple[Value, int]:
    from fastgat.machine import peak_bytes

    return work(*arguments), peak_bytes()
