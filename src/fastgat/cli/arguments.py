"""What arguments stand for: graphs to read, files to write."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from fastgat.check import InputError
from fastgat.cli.output import phase
from fastgat.cli.phases import Phases
from fastgat.files import write_atomically
from fastgat.graph import Graph, read_graph


def load_argument(text: str, phases: Phases, *, names: bool, name: str = "read") -> Graph:
    """Read the graph that an argument names: a file, or else a dataset."""
    with phase(phases, name) as progress:
        if os.path.isfile(text):  # noqa: PTH113 (Path.is_file raises on names too long)
            return read_graph(text, names=names, progress=progress)
        from fastgat.data import graph_names, load_graph

        if text.lower().replace("_", "-") in graph_names():
            if names:
                raise InputError(f"--names is for files, but {text} is a dataset")
            return load_graph(text)
        if not os.path.lexists(text):
            known = ", ".join(graph_names())
            raise InputError(f"{text} is neither a file nor a dataset; datasets are {known}")
        return read_graph(text)  # refuses what is there, and says why


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    with contextlib.suppress(_NothingToWriteError), write_atomically(path):
        raise _NothingToWriteError


class _NothingToWriteError(Exception):
    """Leaves `write_atomically` without writing."""
