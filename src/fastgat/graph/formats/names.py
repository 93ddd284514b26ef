"""Nodes given by name, numbered as they appear."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.graph.formats.arcs import ArcBuffer
from fastgat.graph.graph import Graph


class NameTable:
    """Numbers for names, in order of first appearance (source before target)."""

    def __init__(self) -> None:
        """No names yet."""
        self._number: dict[str, int] = {}

    @property
    def has_blank(self) -> bool:
        """Whether some node had no name."""
        return "" in self._number

    def number(self, source: Any, target: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Numbers of two Arrow columns of text; new names get the next free numbers."""
        rows = len(source)
        both = pa.concat_arrays([_as_text(source), _as_text(target)])
        in_order = np.arange(2 * rows).reshape(2, rows).T.ravel()  # row by row
        coded = both.take(pa.array(in_order)).dictionary_encode()
        number = np.fromiter(map(self._add, coded.dictionary.to_pylist()), np.int32)
        ends = number[coded.indices.to_numpy(zero_copy_only=False)].reshape(rows, 2)
        return ends[:, 0], ends[:, 1]

    def _add(self, name: str) -> int:
        return self._number.setdefault(name, len(self._number))

    def graph(
        self, path: Path, arcs: ArcBuffer, num_nodes: int | None, isolated: Iterable[str]
    ) -> Graph:
        """The graph of all arcs with its nodes' names; those only `num_nodes` knows have none."""
        for name in isolated:
            self._add(name)
        names = list(self._number)
        if num_nodes is None:
            num_nodes = len(names) or None
        elif num_nodes < len(names):
            raise InputError(f"{path} names {len(names)} nodes, but num_nodes={num_nodes}")
        names += [""] * ((num_nodes or 0) - len(names))
        return arcs.graph(path, num_nodes, np.array(names, dtype=np.str_))


def _as_text(column: Any) -> Any:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return pc.utf8_trim_whitespace(column.cast(pa.string()))
