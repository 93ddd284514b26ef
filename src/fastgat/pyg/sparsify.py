"""A transform that keeps the edges which carry the graph's spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from fastgat.check import InputError, check_seed
from fastgat.graph import Graph
from fastgat.sparsify import EffectiveResistanceSparsifier, SparsifiedGraph


class Sparsify(BaseTransform):  # type: ignore[misc]
    """Keep the arcs of the edges that a sparsifier draws, with all values they carry.

    By default edges are drawn by effective resistance with the density `epsilon`, or, with `keep`,
    a fraction or number of edges; `sparsifier` may be any other of fastgat's. Both directions of an
    edge stay or go together, self-loops stay. `weight`, if given, names the attribute that receives
    the new weights of the arcs (1 for loops); an `edge_weight` of the data counts as weight.

    >>> data = Data(edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]]), num_nodes=3)
    >>> Sparsify(keep=1.0, sampling="independent")(data)
    Data(edge_index=[2, 6], num_nodes=3)
    """

    def __init__(
        self,
        epsilon: float | None = None,
        *,
        keep: float | int | None = None,
        sampling: str = "replacement",
        sparsifier: Any = None,
        weight: str | None = None,
        seed: int = 0,
    ) -> None:
        """Choose what to keep."""
        if sparsifier is not None and (epsilon is not None or keep is not None):
            raise InputError("sparsifier has a density of its own; leave out epsilon and keep")
        if sparsifier is None:
            sparsifier = EffectiveResistanceSparsifier(
                epsilon=epsilon,
                keep=keep,
                sampling=sampling,  # type: ignore[arg-type]
            )
        self.sparsifier = sparsifier
        self.weight = weight
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        """Return `data`, of which PyG has made a shallow copy, with fewer arcs."""
        if not isinstance(data, Data) or not isinstance(data.edge_index, Tensor):
            raise InputError(
                f"data is a {type(data).__name__}, but Sparsify needs a Data object with edge_index"
            )
        sparse = self.sparsifier.sparsify(Graph.from_pyg(data), seed=self.seed)
        place = _edge_of_arcs(sparse, data.edge_index)
        weight = sparse.weight
        kept = torch.from_numpy(place >= 0)
        carried = {name: data[name] for name in data.edge_attrs()}  # told by their length
        for name, value in carried.items():
            data[name] = value[:, kept] if name == "edge_index" else value[kept]
        if self.weight is not None:
            found = place[place >= 0]
            new = np.where(found < sparse.num_edges, np.append(weight, 1.0)[found], 1.0)
            data[self.weight] = torch.from_numpy(new).to(torch.get_default_dtype())
        return data

    def __repr__(self) -> str:
        """Show the sparsifier."""
        return f"Sparsify({self.sparsifier!r})"


def _edge_of_arcs(sparse: SparsifiedGraph, edge_index: Tensor) -> Any:
    """For every arc its place among the kept edges, -1 if it goes, num_edges if it is a loop."""
    ends = edge_index.numpy()
    low, high = ends.min(axis=0), ends.max(axis=0)
    number = low * np.int64(sparse.num_nodes) + high
    known = sparse.source * np.int64(sparse.num_nodes) + sparse.target  # sorted, as the edges are
    place = np.searchsorted(known, number)
    found = np.append(known, -1)[place] == number
    return np.where(low == high, sparse.num_edges, np.where(found, place, -1))
