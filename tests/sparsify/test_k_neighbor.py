from __future__ import annotations

import numpy as np
import pytest

from fastgat import Graph, InputError, KNeighborSparsifier
from fastgat.graph.gallery import complete, star
from fastgat.graph.generators import block_model


@pytest.mark.parametrize("neighbors", [1, 3])
def test_every_node_keeps_its_neighbours(neighbors: int) -> None:
    graph = block_model(300, 3000, 5, seed=3)[0]
    sparse = KNeighborSparsifier(neighbors).sparsify(graph, seed=5)
    before = np.bincount(np.r_[graph.source, graph.target], minlength=300)
    after = np.bincount(np.r_[sparse.source, sparse.target], minlength=300)
    assert (after >= np.minimum(before, neighbors)).all()
    assert sparse.num_edges <= neighbors * 300


def test_a_star_stays_whole() -> None:
    assert KNeighborSparsifier(1).sparsify(star(9)).num_edges == 8


def test_heavy_edges_are_picked_more_often() -> None:
    base = complete(6)
    weight = np.where(np.arange(base.num_edges) == 0, 100.0, 1.0)
    graph = Graph.from_edges(base.source, base.target, weight)
    prepared = KNeighborSparsifier(1).prepare(graph)
    kept = np.mean([0 in prepared.draw(seed).edge_id for seed in range(200)])
    assert kept > 0.95


def test_weights_stay_as_they_were() -> None:
    base = complete(6)
    graph = Graph.from_edges(base.source, base.target, np.arange(1.0, 16.0))
    sparse = KNeighborSparsifier(1).sparsify(graph)
    np.testing.assert_array_equal(sparse.weight, graph.weight[sparse.edge_id])
    assert KNeighborSparsifier(1).sparsify(base).stored_weight is None


def test_one_way_to_say_how_many() -> None:
    with pytest.raises(InputError, match="exclude each other"):
        KNeighborSparsifier(2, keep=0.5)
