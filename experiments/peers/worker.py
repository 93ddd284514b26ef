"""A peer in a process and an environment of its own, kept alive: JSON lines there and back.

Both ends are here. The process imports nothing but NumPy, torch and what its own file names, so
that an environment without fastgat, or with another version of it, can be timed in turn with ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from experiments.timing import timed_block

ROOT = Path(__file__).parents[2]
ANSWER = "answer: "  # begins our lines, since libraries print as well


@dataclass(frozen=True)
class Loaded:
    """A model or layer, ready to be timed."""

    cases: Mapping[str, Callable[[], Any]]
    outputs: Callable[[], Any]  # without dropout, one row per node


class Worker:
    """Our end: `load` arrays under a name, then ask for `outputs` and `seconds`."""

    def __init__(
        self,
        module: str,
        python: str = sys.executable,
        *,
        path: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start `python -m module`.

        Args:
            module: what calls `serve`.
            python: the interpreter.
            path: folders to import from, before those of the interpreter's own environment; None
                for the folders of our own PYTHONPATH.
            environment: variables to set besides ours.
        """
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [python, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=child_environment(path) | dict(environment or {}),
        )

    def load(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Let the process make a model or layer of these arrays."""
        path = Path(self._folder.name) / f"{abs(hash(name))}.npz"
        np.savez(path, **arrays)
        self.ask(do="load", name=name, path=str(path))
        path.unlink()

    def outputs(self, name: str) -> Any:
        """What it gives without dropout."""
        path = Path(self._folder.name) / "outputs.npy"
        self.ask(do="outputs", name=name, path=str(path))
        return np.load(path)

    def seconds(self, name: str, case: str) -> float:
        """Median seconds of a block of calls."""
        return float(self.ask(do="time", name=name, case=case))

    def ask(self, **question: str) -> Any:
        """One question, one answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith(ANSWER):
                return json.loads(line.removeprefix(ANSWER))
        raise RuntimeError(f"the process ended without an answer to {question}: see above")

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def child_environment(path: Sequence[str] | None) -> dict[str, str]:
    """Our variables, with this clone and `path` to import from, or what we import from."""
    if path is None:
        path = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *path])}


def serve(load: Callable[[dict[str, Any]], Loaded], version: str) -> None:
    """The process's end: answer until standard input is closed."""
    known: dict[str, Loaded] = {}
    for line in sys.stdin:
        question = json.loads(line)
        name = question.get("name", "")
        answer: Any = "done"
        match question["do"]:
            case "version":
                answer = version
            case "load":
                with np.load(question["path"]) as file:
                    known[name] = load(dict(file))
            case "outputs":
                np.save(question["path"], np.asarray(known[name].outputs()))
            case "time":
                answer = timed_block(known[name].cases[question["case"]])
        print(ANSWER + json.dumps(answer), flush=True)
