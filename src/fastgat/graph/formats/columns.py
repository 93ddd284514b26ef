"""Which columns of a table hold the nodes and the weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from fastgat.check import InputError
from fastgat.graph.formats.arcs import NAMES_HINT

NODE_COLUMNS = (("source", "target"), ("src", "dst"))
WEIGHT_COLUMNS = ("weight", "edge_weight")


def choose_columns(path: Path, schema: Any, names: bool) -> list[str]:
    """Names of the columns to read: two of nodes, and perhaps one of weights."""
    kinds = {field.name: field.type for field in schema}
    usable = [name for name, kind in kinds.items() if _holds_nodes(kind, names)]
    chosen = next((pair for pair in NODE_COLUMNS if set(pair) <= kinds.keys()), tuple(usable[:2]))
    if len(chosen) < 2:
        found = ", ".join(f"{name} ({kind})" for name, kind in kinds.items()) or "(none)"
        raise InputError(f"{path} has columns {found}, but a graph needs source and target")
    for name in chosen:
        if not _holds_nodes(kinds[name], names):
            hint = f"; {NAMES_HINT}" if _holds_nodes(kinds[name], True) else ""
            raise InputError(
                f"{path}: column {name!r} holds {kinds[name]}, but nodes are whole numbers{hint}"
            )
    weight = [name for name in WEIGHT_COLUMNS if name in kinds and name not in chosen][:1]
    if weight and not (pa.types.is_floating(kinds[weight[0]]) or _is_whole(kinds[weight[0]])):
        raise InputError(f"{path}: column {weight[0]!r} holds {kinds[weight[0]]}, not numbers")
    return [*chosen, *weight]


def _is_whole(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind))


def _holds_nodes(kind: Any, names: bool) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return _is_whole(kind) or (names and bool(text))
