"""What a PyG store holds for every arc."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor


def edge_level(store: Any) -> list[str]:
    """Attributes with one value per arc, by PyG's own rule; links to predict are no arcs."""
    names = [str(name) for name in store.edge_attrs()]
    links = ("edge_label", "edge_label_index") if "edge_label_index" in store else ()
    return [name for name in names if name not in links]


def select_arcs(value: Any, kept: Tensor, dim: int) -> Any:
    """The kept arcs' part of an attribute, on its own device."""
    if isinstance(value, Tensor):
        # By mask: torch_geometric.EdgeIndex then knows that it is still sorted.
        return value[(slice(None),) * (dim % value.dim()) + (kept.to(value.device),)]
    if isinstance(value, np.ndarray):
        return value.compress(kept.numpy(), axis=dim)
    if isinstance(value, list | tuple):
        return type(value)([one for one, stays in zip(value, kept.tolist(), strict=True) if stays])
    return value[kept]  # a TensorFrame
