"""Graphs from and to files: one module per format, each with `read` and `write`.

A module is imported when its format is first used.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import cast

from fastgat.check import InputError, Progress, Say, check_choice, check_count
from fastgat.files import existing_file, write_atomically
from fastgat.graph.formats.edge_columns import ColumnChoice
from fastgat.graph.graph import Graph

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
    source_column: str | int | None = None,
    target_column: str | int | None = None,
    weight_column: str | int | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Graph:
    """Read a graph from `.npz`, `.mtx`, `.csv`, `.tsv`, `.txt`, `.edges`, `.el` or `.parquet`.

    Args:
        path: the file; text may be gzipped.
        num_nodes: adds nodes that no edge mentions.
        names: the nodes of an edge list are any text, numbered by first appearance and kept in
            `Graph.names`.
        format: "npz", "matrix_market", "edge_list" or "parquet", whatever the suffix says.
        source_column: of a table of edges, its name or its number from 0. Without these three,
            columns go by the usual names (source and target, src and dst, from and to, u and v;
            weight); where there are no such names, two columns are the ends of edges, and a third
            one is a weight if it is called so or nothing has a name. Anything else is refused.
        target_column: as `source_column`.
        weight_column: as `source_column`.
        header: whether the first line of text names the columns; None: find out.
        progress: called with the fraction read so far.
        say: told in one sentence which columns were read.
    """
    file = existing_file(path)
    module = import_module(f"fastgat.graph.formats.{format_of(file, format)}")
    if num_nodes is not None:
        check_count("num_nodes", num_nodes)
    choice = ColumnChoice(source_column, target_column, weight_column, header)
    options = {"choice": choice, "say": say or _say_nothing} if _is_table(module) else {}
    if choice and not options:
        raise InputError(f"{file} is not a table: leave out its columns and header")
    try:
        graph = module.read(file, num_nodes=num_nodes, names=names, progress=progress, **options)
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


def _is_table(module: ModuleType) -> bool:
    return module.__name__.endswith(("edge_list", "parquet"))


def _say_nothing(_: str) -> None:
    """What is said where nobody listens."""


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
