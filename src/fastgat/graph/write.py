"""Graphs to files."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from fastgat.check import InputError
from fastgat.files import write_atomically
from fastgat.graph.formats import format_of
from fastgat.graph.graph import Graph


def write_graph(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write a graph in the format its suffix says; the file appears whole or not at all.

    Weights come back exactly. `.npz` keeps names and numbering; edge lists and `.parquet` hold the
    names themselves (read them with `names=True`: nodes are then numbered by first appearance);
    `.mtx` keeps no names.
    """
    module = import_module(f"fastgat.graph.formats.{format_of(Path(path))}")
    with write_atomically(path) as temporary:
        try:
            module.write(graph, temporary)
        except InputError as error:
            raise InputError(f"cannot write {os.fspath(path)}: {error}") from None
