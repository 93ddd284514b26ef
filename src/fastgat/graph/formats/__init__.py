"""Graphs from and to files: one module per format, each with `read` and `write`.

A module is imported when its format is first used.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fastgat.check import InputError, check_choice, check_count
from fastgat.files import existing_file, write_atomically
from fastgat.graph.graph import Graph

if TYPE_CHECKING:
    from fastgat._core import Progress

FORMATS = ("npz", "matrix_market", "edge_list", "parquet")
SUFFIXES = {
    ".npz": "npz",
    ".parquet": "parquet",
    **{suffix + gz: "matrix_market" for suffix in (".mtx",) for gz in ("", ".gz")},
    **{
        suffix + gz: "edge_list"
        for suffix in (".csv", ".tsv", ".txt", ".edges", ".el")
        for gz in ("", ".gz")
    },
}


def read_graph(
    path: str | os.PathLike[str],
    *,
    num_nodes: int | None = None,
    names: bool = False,
    format: str | None = None,
    progress: Progress = None,
) -> Graph:
    """Read a graph from `.npz`, `.mtx`, `.csv`, `.tsv`, `.txt`, `.edges`, `.el` or `.parquet`.

    Args:
        path: the file; text may be gzipped.
        num_nodes: adds nodes that no edge mentions.
        names: the nodes of an edge list are any text, numbered by first appearance and kept in
            `Graph.names`.
        format: "npz", "matrix_market", "edge_list" or "parquet", whatever the suffix says.
        progress: called with the fraction read so far.
    """
    file = existing_file(path)
    module = import_module(f"fastgat.graph.formats.{format_of(file, format)}")
    if num_nodes is not None:
        check_count("num_nodes", num_nodes)
    try:
        graph = module.read(file, num_nodes=num_nodes, names=names, progress=progress)
    except MemoryError:
        raise InputError(f"{file} does not fit into memory; use a larger machine") from None
    if progress is not None:
        progress(1.0)
    return cast(Graph, graph)


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


def format_of(path: Path, format: str | None = None) -> str:
    """The format's name: the given one, or what the file's suffix says."""
    if format is not None:
        return check_choice("format", format, FORMATS)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower() + suffix
    if suffix not in SUFFIXES:
        known = ", ".join(name for name in SUFFIXES if not name.endswith(".gz"))
        has = f"suffix {suffix!r}" if suffix else "no suffix"
        raise InputError(f"{path} has {has}, but graphs are kept in {known} (text also .gz)")
    return SUFFIXES[suffix]
