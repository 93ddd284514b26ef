"""What a PyG store holds for every arc, and where a `Batch` cuts it into graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor


def edge_level(store: Any) -> list[str]:
    """Attributes with one value per arc, by PyG's own rule; links to predict are no arcs."""
    names = [str(name) for name in store.edge_attrs()]
    links = ("edge_label", "edge_label_index") if "edge_label_index" in store else ()
    return [name for name in names if name not in links]


def select_arcs(value: Any, kept: Tensor, dim: int) -> Any:
    """The kept arcs' part of an attribute, on its own device.

    Args:
        value: a tensor, array, list, tuple or TensorFrame.
        kept: whether each arc stays.
        dim: along which `value` has arcs.
    """
    if isinstance(value, Tensor):
        # By mask: torch_geometric.EdgeIndex then knows that it is still sorted.
        return value[(slice(None),) * (dim % value.dim()) + (kept.to(value.device),)]
    if isinstance(value, np.ndarray):
        return value.compress(kept.numpy(), axis=dim)
    if isinstance(value, list | tuple):
        return type(value)([one for one, stays in zip(value, kept.tolist(), strict=True) if stays])
    return value[kept]  # a TensorFrame


def cut_like_arcs(batch: Any, store: Any, names: list[str]) -> list[str]:
    """Of attributes as long as the arcs, those which the batch also cuts into graphs as the arcs.

    A label per graph may by chance be as long as all arcs together.

    Args:
        batch: made by `Batch.from_data_list`, or by hand: then nothing is known of cuts.
        store: of the batch, or of one of its relations.
        names: attributes as long as the arcs.
    """
    slices = _of_store(getattr(batch, "_slice_dict", None), store)
    cut = slices.get("edge_index")
    names = [name for name in names if name != "ptr" and not name.endswith("_ptr")]
    return [name for name in names if name not in slices or _equal(slices[name], cut)]


def update_slices(
    batch: Any, store: Any, kept: Tensor, names: list[str], weight: str | None
) -> None:
    """Cut `names`, and the new `weight`, where each graph's kept arcs end.

    Args:
        batch: whose graphs PyG will tell apart by these cuts.
        store: of the batch, or of one of its relations.
        kept: whether each arc stayed.
        names: attributes from which arcs were taken.
        weight: the attribute that was added, if any.
    """
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
