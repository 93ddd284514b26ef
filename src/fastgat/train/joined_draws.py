"""Draws of several graphs side by side: a batch of graphs, sparsified one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fastgat.graph import Graph
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph
from fastgat.sparsify.contract import DrawnArcs
from fastgat.sparsify.draws import whole_arcs
from fastgat.train.batches import join_graphs


class JoinedDraws:
    """Draws from every graph with its own density; the results stand side by side."""

    def __init__(self, parts: Sequence[PreparedSparsifier]) -> None:
        """Join prepared sparsifiers, one per graph."""
        self.parts = list(parts)

    @cached_property
    def graph(self) -> Graph:
        """The graphs that are drawn from, as one."""
        return join_graphs([part.graph for part in self.parts])

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """A fresh sparse graph of each."""
        drawn = self._draw_parts(seed)
        whole = join_graphs(drawn)
        first_edge = np.cumsum([0, *(part.graph.num_edges for part in self.parts)])
        ids = [graph.edge_id + first for graph, first in zip(drawn, first_edge, strict=False)]
        return SparsifiedGraph(
            whole.num_nodes, whole.source, whole.target, whole.stored_weight,
            edge_id=np.concatenate(ids),
            num_isolated_before=sum(graph.num_isolated_before for graph in drawn),
        )  # fmt: skip

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(join_graphs(self._draw_parts(seed)))

    def _draw_parts(self, seed: int) -> list[SparsifiedGraph]:
        seeds = part_seeds(seed, len(self.parts))
        return [part.draw(own) for part, own in zip(self.parts, seeds, strict=True)]


def part_seeds(seed: int, count: int) -> list[int]:
    """A seed for each graph: with the same one, graphs of equal size would lose the same edges."""
    state = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return [int(number) for number in state]
