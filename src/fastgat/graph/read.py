"""Graphs from files."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, cast

from fastgat.check import InputError, check_count
from fastgat.files import existing_file
from fastgat.graph.formats import format_of
from fastgat.graph.graph import Graph

if TYPE_CHECKING:
    from fastgat._core import Progress


def read_graph(
    path: str | os.PathLike[str],
    *,
    num_nodes: int | None = None,
    names: bool = False,
    format: str | None = None,
    progress: Progress = None,
) -> Graph:
    """Read a graph from `.npz`, `.mtx`, `.csv`, `.tsv`, `.txt`, `.edges`, `.el` or `.parquet`.

    Text may be gzipped. `num_nodes` adds nodes that no edge mentions. With `names` the nodes of an
    edge list are any text, numbered by first appearance and kept in `Graph.names`. `format`
    ("npz", "matrix_market", "edge_list" or "parquet") overrules the suffix, and `progress` is
    called with the fraction read so far.
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
