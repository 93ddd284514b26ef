"""A transform that keeps the edges which carry the graph's spectrum."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.transforms import BaseTransform

from fastgat.check import InputError, check_seed
from fastgat.pyg.arc_scales import arc_scales
from fastgat.pyg.edge_attributes import cut_like_arcs, edge_level, select_arcs, update_slices
from fastgat.pyg.stored_arcs import read_stored_arcs
from fastgat.sparsify import EffectiveResistanceSparsifier, Sparsifier


class Sparsify(BaseTransform):  # type: ignore[misc]
    """Keep the arcs of the edges that a sparsifier draws, with all they carry and in their order.

    An arc stays if its edge does: both directions and repeats stay or go together. Loops stay. The
    graphs of a `Batch` are drawn one by one, and so are the relations of a `HeteroData`. An arc's
    weight is multiplied as its edge's is by the draw; loops keep theirs.

    Args:
        epsilon: the density of drawing by effective resistance, which is the default.
        keep: a fraction or number of edges, instead.
        sampling: "independent" or "replacement", as the sparsifiers have it.
        sparsifier: any other one, with a density of its own.
        weight: the attribute that receives the new weights; an `edge_weight` of the data counts as
            the old ones, which are 1 otherwise. None writes none, and what was there follows its
            arcs.
        seed: the same seed gives the same edges; with None every call draws anew, from torch's
            generator.

    >>> data = Data(edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]]), num_nodes=3)
    >>> Sparsify(keep=1.0, sampling="independent")(data)
    Data(edge_index=[2, 6], num_nodes=3, edge_weight=[6])
    """

    def __init__(
        self,
        epsilon: float | None = None,
        *,
        keep: float | int | None = None,
        sampling: str | None = None,
        sparsifier: Sparsifier | None = None,
        weight: str | None = "edge_weight",
        seed: int | None = 0,
    ) -> None:
        """Refuse bad options at once, before any data is seen."""
        if sparsifier is None:
            told: dict[str, Any] = {} if sampling is None else {"sampling": sampling}
            sparsifier = EffectiveResistanceSparsifier(epsilon=epsilon, keep=keep, **told)
        elif (epsilon, keep, sampling) != (None, None, None):
            raise InputError(
                "sparsifier has a density and a sampling of its own; "
                "leave out epsilon, keep and sampling"
            )
        self.sparsifier = _check_sparsifier(sparsifier)
        self.weight = _check_name(weight)
        self.seed = None if seed is None else check_seed(seed)

    def forward(self, data: Any) -> Any:
        """Return `data`, of which PyG has made a shallow copy, with fewer arcs."""
        if not isinstance(data, Data | HeteroData):
            raise InputError(
                f"data is a {type(data).__name__}, but Sparsify needs a Data, HeteroData or Batch"
            )
        seed = int(torch.randint(2**62, ())) if self.seed is None else self.seed
        for store in data.edge_stores:
            try:
                self._sparsify_store(data, store, seed)
            except InputError as error:
                relation = "" if store._key is None else f"relation {store._key}: "
                raise InputError(f"{relation}{error}") from None
        return data

    def _sparsify_store(self, data: Any, store: Any, seed: int) -> None:
        if "adj_t" in store or "adj" in store:
            name = "adj_t" if "adj_t" in store else "adj"
            raise InputError(
                f"data has {name}, a matrix, but Sparsify needs edge_index alone; "
                "put it before ToSparseTensor"
            )
        if store.get("edge_index") is None:
            if store._key is not None:
                return  # a relation that is only declared
            raise InputError(
                "data has no edge_index; put Sparsify after the transform that makes the edges"
            )
        is_batch = isinstance(data, Batch)
        arcs = read_stored_arcs(data, store, is_batch)
        scale = torch.from_numpy(arc_scales(self.sparsifier, arcs, seed))
        names = edge_level(store)
        if is_batch:
            names = cut_like_arcs(data, store, names)
        if "edge_index" not in names:
            raise InputError(
                f"edge_index has {len(scale)} arcs, but num_edges={store.num_edges}; "
                "give every edge attribute one value per arc"
            )
        if self.weight in store and self.weight not in names:
            raise InputError(
                f"weight={self.weight!r} names an attribute that does not belong to arcs; "
                "give another name, or None for no weights"
            )
        kept = scale > 0
        for name in names:
            value = store[name]
            store[name] = select_arcs(value, kept, data.__cat_dim__(name, value, store))
        if self.weight is not None:
            store[self.weight] = _new_weight(store, scale[kept])
        if is_batch:
            update_slices(data, store, kept, names, self.weight)

    def __repr__(self) -> str:
        """All that decides the result: PyG tells stored datasets apart by it."""
        return (
            f"{type(self).__name__}"
            f"(sparsifier={self.sparsifier!r}, weight={self.weight!r}, seed={self.seed})"
        )


def _new_weight(store: Any, scale: Tensor) -> Tensor:
    """Old weights times the scales; gradients reach the old ones."""
    device, dtype = store["edge_index"].device, torch.get_default_dtype()
    if (old := store.get("edge_weight")) is None:
        return scale.to(dtype).to(device)
    old = torch.as_tensor(old)
    dtype = old.dtype if old.is_floating_point() else dtype
    return old.to(dtype) * scale.to(dtype).to(old.device)


def _check_sparsifier(sparsifier: Any) -> Sparsifier:
    if isinstance(sparsifier, type) or not isinstance(sparsifier, Sparsifier):
        raise InputError(
            f"sparsifier={sparsifier!r} must be a sparsifier, such as UniformSparsifier(keep=0.3)"
        )
    kind: Any = type(sparsifier)
    if kind.__repr__ is object.__repr__:
        raise InputError(
            f"sparsifier is a {kind.__name__} whose repr does not show its options, by "
            "which PyG tells stored datasets apart; make it a dataclass"
        )
    return sparsifier


def _check_name(weight: Any) -> str | None:
    if weight is None:
        return None
    if not isinstance(weight, str) or not weight.isidentifier() or weight == "edge_index":
        raise InputError(
            f"weight={weight!r} must name the attribute for the new weights, or be None for none"
        )
    return weight
