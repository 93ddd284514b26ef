"""Which arcs a layer works on, as its operators are told."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Edges:
    """The arcs of one call. Light to make: the sorting behind it is done once per `key`.

    Arcs run from sources to targets. Values given per arc follow the order of `arc_index`: the
    arcs of `key` in their order (without self-loops, if `add_loops`), then one loop per node.
    """

    key: Tensor  # edge_index (2, num_arcs) of int64, or the `key` of an EdgeStructure
    num_sources: int
    num_targets: int
    add_loops: bool = (
        False  # leave out the self-loops of `key` and give every target one of its own
    )
    reverse: bool = False  # the rows of `key` are (target, source): PyG's flow="target_to_source"

    def arc_index(self) -> tuple[Tensor, Tensor]:
        """Sources and targets of all arcs, loops last, as int64 tensors on the key's device."""
        source, target = self.key[int(self.reverse)], self.key[1 - int(self.reverse)]
        if not self.add_loops:
            return source, target
        kept = source != target
        loop = torch.arange(min(self.num_sources, self.num_targets), device=self.key.device)
        return torch.cat([source[kept], loop]), torch.cat([target[kept], loop])
