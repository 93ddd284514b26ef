"""Where a PyG `Batch` cuts its arcs into graphs, once some of the arcs are gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from fastgat.pyg.edge_attributes import select_arcs


def cut_like_arcs(batch: Any, store: Any, names: list[str]) -> list[str]:
    """Of attributes as long as the arcs, those which the batch also cuts into graphs as the arcs.

    A label per graph may by chance be as long as all arcs together.
    """
    slices = _of_store(getattr(batch, "_slice_dict", None), store)
    cut = slices.get("edge_index")
    names = [name for name in names if name != "ptr" and not name.endswith("_ptr")]
    return [name for name in names if name not in slices or _equal(slices[name], cut)]


def update_slices(
    batch: Any, store: Any, kept: Tensor, names: list[str], weight: str | None
) -> None:
    """Cut `names`, and the new `weight`, where each graph's kept arcs end."""
    before = torch.cat([torch.zeros(1, dtype=torch.long), kept.cumsum(0)])  # kept arcs so far
    for name in names:
        if isinstance(ptr := store.get(f"{name}_ptr"), Tensor):  # made by follow_batch
            store[f"{name}_ptr"] = before.to(ptr.device)[ptr]
    slices = _of_store(getattr(batch, "_slice_dict", None), store)
    if "edge_index" not in slices:
        return  # not made by from_data_list: PyG cannot take it apart either
    cut = slices["edge_index"]
    _select_in_lists(store, kept, cut, slices)
    cut_names = [name for name in names if name in slices]
    if weight is not None and weight not in slices:
        cut_names.append(weight)
        _write(batch, "_inc_dict", store, {weight: torch.zeros(cut.numel() - 1, dtype=torch.long)})
    _write(batch, "_slice_dict", store, dict.fromkeys(cut_names, before[cut]))


def _select_in_lists(store: Any, kept: Tensor, cut: Tensor, names: Iterable[str]) -> None:
    """A batch holds lists as a list of one per graph; select in those with a value per arc."""
    parts = [kept[start:end] for start, end in pairwise(cut.tolist())]
    for name in names:
        value = store.get(name)
        if not isinstance(value, list) or len(value) != len(parts):
            continue
        pairs = list(zip(value, parts, strict=True))
        if all(isinstance(own, list | tuple) and len(own) == len(part) for own, part in pairs):
            store[name] = [select_arcs(own, part, 0) for own, part in pairs]


def _of_store(table: Any, store: Any) -> Mapping[str, Any]:
    table = table if store._key is None else (table or {}).get(store._key)
    return table or {}


def _write(batch: Any, table: str, store: Any, fresh: dict[str, Tensor]) -> None:
    """Write into a copy: the batch that the user holds shares the table."""
    whole = dict(getattr(batch, table))
    if store._key is None:
        whole.update(fresh)
    else:
        whole[store._key] = {**whole[store._key], **fresh}
    setattr(batch, table, whole)


def _equal(one: Any, other: Any) -> bool:
    return isinstance(one, Tensor) and isinstance(other, Tensor) and torch.equal(one, other)
