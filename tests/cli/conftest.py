"""The command line, run in this process or in one of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fastgat import _core
from fastgat.cli import run
from fastgat.graph import Graph
from fastgat.spectral import resistance
from fastgat.spectral.sketch import SketchSolver


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def cache_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A cache of the test's own; one thread, since these graphs are small."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    threads = _core.num_threads()
    _core.set_num_threads(1)
    yield folder
    _core.set_num_threads(threads)


@pytest.fixture
def cli(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """Give `cli("sparsify", path, ...)`, run in this process."""

    def call(*args: object) -> Ended:
        capsys.readouterr()
        given = [str(arg) for arg in args]
        monkeypatch.setattr(sys, "argv", ["fastgat", *given])
        code = run(given)
        return Ended(code, *capsys.readouterr())

    return call


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """The graphs whose resistances are computed, not taken from the cache."""
    graphs: list[Graph] = []

    def solver(graph: Graph, **options: Any) -> SketchSolver:
        graphs.append(graph)
        return SketchSolver(graph, **options)

    monkeypatch.setattr(resistance, "SketchSolver", solver)
    return graphs


def _listen() -> None:
    """Ctrl-C acts in a new process, even if these tests run where a shell ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Give `start("sparsify", path, ...)`: a process of its own, ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def call(*args: object, **options: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fastgat", *map(str, args)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        pipes.setdefault("preexec_fn", _listen)
        process = subprocess.Popen(command, text=True, env=dict(os.environ), **pipes)  # type: ignore[call-overload]
        started.append(process)
        return process  # type: ignore[no-any-return]

    yield call
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
