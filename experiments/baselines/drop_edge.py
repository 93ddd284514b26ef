"""DropEdge: a GAT that sees other random edges in every training step, and all in evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from fastgat.check import InputError
from fastgat.nn import FastGAT, SortedArcs


class DropEdge(FastGAT):
    """DropEdge (Rong, Huang, Xu, Huang) around a GAT: one draw per step, for all its layers.

    `sampler` draws the edges, whole edges at a time: of a UniformSparsifier whose `keep` is the
    share that is not dropped. While training by `fit` it is that of the config. The paper tunes
    the share for each network and dataset, and recommends none.

    >>> from fastgat.graph import gallery
    >>> from fastgat.sparsify import UniformSparsifier
    >>> graph = gallery.complete(5)
    >>> sampler = UniformSparsifier(keep=0.5, sampling="independent").prepare(graph)
    >>> model = DropEdge(3, 4, 2, heads=2, sampler=sampler)
    >>> model(torch.ones(5, 3)).shape
    torch.Size([5, 2])
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Make the network with the arguments of FastGAT."""
        super().__init__(*args, **{**settings, "resample": "layer"})

    def _graphs(self, edge_index: Any, sampler: Any, device: torch.device) -> Sequence[Any]:
        if not self._draws():
            return super()._graphs(edge_index, sampler, device)
        if sampler is None:
            raise InputError("DropEdge draws edges while training, but sampler=None; give one")
        seed = int(torch.randint(2**62, (1,)))
        return [SortedArcs.from_draw(sampler, seed).to(device)] * len(self.layers)
