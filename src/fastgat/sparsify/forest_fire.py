"""Keep edges that fires run along."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress, check_between, check_seed
from fastgat.graph import Graph
from fastgat.sparsify.edge_rows import EdgeRows
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.spectral import Cache

TRIES = 16  # after so many burnt neighbours in a row a node stops: one in 65,536 if half are burnt
FLAGS = 2**26  # bytes: a flag per node of every fire that burns at the same time


@dataclass(frozen=True)
class ForestFireSparsifier(ScoreSparsifier):
    """Edge forest fire (Hamann et al. 2016, after Leskovec et al. 2006): edges that burn often.

    A fire starts at a random node. Every node that burns sets a geometric number of its neighbours
    alight, p / (1 - p) on average, chosen at random among those that do not burn yet, and the edges
    to them burn. Fires are lit until `burns` times as many edges have burnt as there are; the score
    of an edge is how often it did. `keep` is the number of edges, the most burnt first.

    All fires advance together, a wave at a time, and a node gives up after 16 tries in a row that
    meet burnt neighbours. The cost is about `burns` * num_edges steps, vectorised over waves.

    Args:
        epsilon: density, as for every `ScoreSparsifier`.
        sampling: "best" unless told otherwise.
        spread: p, the chance of one more neighbour.
        burns: how often an edge burns on average, at least.
    """

    sampling: Sampling = "best"
    spread: float = field(default=0.6, kw_only=True)
    burns: float = field(default=5.0, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse bad options at once."""
        super().__post_init__()
        spread = check_between("spread", self.spread, 0, 1, hint="0.6 is usual")
        object.__setattr__(self, "spread", spread)
        burns = check_between("burns", self.burns, 0, math.inf, hint="5 is usual")
        object.__setattr__(self, "burns", burns)

    def score(
        self, graph: Graph, *, seed: int = 0, cache: Cache = None, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """How often every edge burnt.

        Args:
            graph: the result is aligned with its edges.
            seed: of the fires.
            cache: not used.
            progress: called with the fraction of the fires that are out.
        """
        rng = np.random.default_rng(check_seed(seed))
        rows = EdgeRows.by_score(graph, np.ones(graph.num_edges))
        starts = np.flatnonzero(rows.num_neighbours)
        count = np.zeros(graph.num_edges, np.int64)
        goal, burnt, lit = self.burns * graph.num_edges, 0, 0
        most = max(1, FLAGS // graph.num_nodes)
        while burnt < goal:
            # As many at once as seem to be missing, but never more than have been lit before.
            missing = math.ceil((goal - burnt) * lit / max(burnt, 1))
            fires = max(1, min(missing, lit, most))
            edges = burn(rows, rng.choice(starts, fires), self.spread, rng)
            count += np.bincount(edges, minlength=graph.num_edges)
            burnt, lit = burnt + edges.size, lit + fires
            if progress is not None:
                progress(min(burnt / goal, 1))
        return count.astype(np.float64)


def burn(
    rows: EdgeRows, starts: NDArray[np.int64], spread: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The edges that burn, each as often as it does, in one fire from every start.

    Args:
        rows: the edges of every node.
        starts: a node for every fire; each has an edge.
        spread: the chance of one more neighbour.
        rng: of the fires.
    """
    num_nodes, neighbours = rows.graph.num_nodes, rows.num_neighbours
    fire, node = np.arange(starts.size), starts
    alight = np.zeros(starts.size * num_nodes, bool)  # by fire and node
    alight[fire * num_nodes + node] = True
    burnt = [np.zeros(0, np.int64)]
    while node.size:
        number = np.minimum(rng.geometric(1 - spread, node.size) - 1, neighbours[node])
        fire, node = np.repeat(fire, number), np.repeat(node, number)
        wave = [(fire[:0], node[:0])]
        for _ in range(TRIES):
            if node.size == 0:
                break
            place = (rng.random(node.size) * neighbours[node]).astype(np.int64)
            edge = rows.edge[rows.offset[node] + place]
            other = rows.other_end(edge, node)
            # Where two set one neighbour alight, it is the first of them.
            flags, first = np.unique(fire * num_nodes + other, return_index=True)
            first = first[~alight[flags]]
            alight[flags] = True
            burnt.append(edge[first])
            wave.append((fire[first], other[first]))
            again = np.ones(node.size, bool)
            again[first] = False
            fire, node = fire[again], node[again]
        fire, node = (np.concatenate(part) for part in zip(*wave, strict=True))
    return np.concatenate(burnt)
