"""What the benchmarks share: interleaved timing, memory, records."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import fastgat
from fastgat import _core
from fastgat.machine import peak_bytes as peak_bytes

RESULTS = Path(__file__).parents[2] / "results"
REFERENCES = Path(__file__).parents[2] / "build" / "references"


def interleaved(
    cases: dict[str, Callable[[], Any]], repeats: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds of every case, run in turn `repeats` times, and what each returned last.

    Taking turns lets a slow spell of the machine fall on all alike.
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    values: dict[str, Any] = {}
    for _ in range(repeats):
        for name, run in cases.items():
            start = time.perf_counter()
            values[name] = run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}, values


def take_turns(cases: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Median of the seconds that every case says it took, asked in turn `repeats` times."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, measure in cases.items():
            seconds[name].append(measure())
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_of(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """The result of `work` run in a process of its own, and that process's peak memory in bytes."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_with_peak, (work, arguments))


def _with_peak(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    return work(*arguments), peak_bytes()


def write_record(name: str, command: str, rows: Any) -> None:
    """Write `results/NAME.json` with what is needed to judge the figures."""
    record = {
        "command": command,
        "date": time.strftime("%Y-%m-%d"),
        "fastgat": fastgat.__version__,
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "vector_bits": 8 * _core.vector_bytes,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        }
        | _installed("torch", "torch_geometric"),
        "rows": rows,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, default=float) + "\n")
    print(f"wrote results/{path.name}")


def _installed(*names: str) -> dict[str, str]:
    with contextlib.suppress(PackageNotFoundError):
        return {name: version(name) for name in names}
    return {}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
