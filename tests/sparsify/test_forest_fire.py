"""Fires: what burns, with which chance, beside fires that burn node by node."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from numpy.typing import NDArray

from fastgat import Graph, InputError
from fastgat.graph.gallery import path, star
from fastgat.graph.generators import block_model
from fastgat.sparsify import ForestFireSparsifier
from fastgat.sparsify.edge_rows import EdgeRows
from fastgat.sparsify.forest_fire import burn

GRAPH = block_model(40, 120, 3, seed=3)[0]


def rows_of(graph: Graph) -> EdgeRows:
    return EdgeRows.by_score(graph, np.ones(graph.num_edges))


def chances(graph: Graph, starts: NDArray[np.int64], spread: float) -> NDArray[np.float64]:
    """How often every edge burns per fire."""
    edges = burn(rows_of(graph), starts, spread, np.random.default_rng(3))
    return np.bincount(edges, minlength=graph.num_edges) / starts.size


@pytest.mark.parametrize("spread", [0.3, 0.6])
def test_chances_on_a_path(spread: float) -> None:
    """From an end the next edge burns with chance p; from the middle one of two, or both."""
    fires, p = 40_000, spread
    end = chances(path(3), np.zeros(fires, np.int64), p)
    np.testing.assert_allclose(end, [p, p * p], atol=0.012)
    middle = chances(path(3), np.ones(fires, np.int64), p)
    np.testing.assert_allclose(middle, [p * (1 - p) / 2 + p * p] * 2, atol=0.012)


def test_the_number_of_neighbours_is_geometric() -> None:
    """From the hub of a large star p / (1 - p) leaves burn, and no more."""
    found = chances(star(200), np.zeros(20_000, np.int64), 0.6)
    assert found.sum() == pytest.approx(1.5, abs=0.07)
    assert found.std() < 0.0015


@pytest.mark.parametrize("seed", range(5))
def test_a_fire_burns_a_tree_around_its_start(seed: int) -> None:
    start = int(GRAPH.source[seed])
    edges = burn(rows_of(GRAPH), np.array([start]), 0.7, np.random.default_rng(seed))
    nodes = np.unique(np.r_[start, GRAPH.source[edges], GRAPH.target[edges]])
    burnt = Graph.from_edges(GRAPH.source[edges], GRAPH.target[edges], num_nodes=40)
    assert burnt.num_edges == edges.size == nodes.size - 1
    assert burnt.num_components == 40 - edges.size


def plain_fire(graph: Graph, start: int, spread: float, rng: np.random.Generator) -> list[int]:
    """Node after node in the order in which they caught fire, as the source has it."""
    rows, alight, burnt = rows_of(graph), {start}, []
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        row = rows.edge[rows.offset[node] : rows.offset[node + 1]]
        ends = {int(graph.source[e] + graph.target[e] - node): int(e) for e in row}
        ends = {other: edge for other, edge in ends.items() if other not in alight}
        while ends and rng.random() < spread:
            other = int(rng.choice(list(ends)))
            burnt.append(ends.pop(other))
            alight.add(other)
            waiting.append(other)
    return burnt


def test_edges_burn_as_often_as_in_fires_one_by_one() -> None:
    """Waves differ from that order by who comes first; what burns is the same within chance."""
    rng, fires = np.random.default_rng(5), 3000
    starts = rng.choice(np.flatnonzero(GRAPH.degree), fires)
    plain = np.zeros(GRAPH.num_edges)
    for start in starts:
        plain[plain_fire(GRAPH, int(start), 0.6, rng)] += 1 / fires
    found = chances(GRAPH, starts, 0.6)
    assert found.sum() == pytest.approx(plain.sum(), rel=0.05)
    error = np.sqrt(2 * plain * (1 - plain) / fires)
    assert np.mean(np.abs(found - plain) <= 3 * error) > 0.95


def test_fires_burn_until_there_is_enough() -> None:
    for burns in (0.1, 5.0):
        score = ForestFireSparsifier(burns=burns).score(GRAPH, seed=3)
        assert score.sum() >= burns * GRAPH.num_edges
        np.testing.assert_array_equal(score, ForestFireSparsifier(burns=burns).score(GRAPH, seed=3))
    assert (score != ForestFireSparsifier().score(GRAPH, seed=4)).any()


def test_the_most_burnt_edges_are_kept() -> None:
    prepared = ForestFireSparsifier(keep=30).prepare(GRAPH, seed=3)
    kept = prepared.draw(3).edge_id
    assert prepared.score[kept].min() == np.sort(prepared.score)[::-1][29]


def test_bad_options() -> None:
    with pytest.raises(InputError, match=r"spread=1 must lie in \(0, 1\); 0.6 is usual"):
        ForestFireSparsifier(spread=1)
    with pytest.raises(InputError, match=r"burns=0 must lie in \(0, inf\)"):
        ForestFireSparsifier(burns=0)
