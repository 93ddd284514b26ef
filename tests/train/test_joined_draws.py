"""Draws of several graphs side by side are the draws of each."""

import numpy as np
import pytest

from fastgat import EffectiveResistanceSparsifier, Graph, KNeighborSparsifier, UniformSparsifier
from fastgat.graph.gallery import complete, star
from fastgat.graph.generators import block_model
from fastgat.nn import SortedArcs
from fastgat.train.joined_draws import JoinedDraws

GRAPHS = [complete(12), block_model(60, 400, 3, seed=3)[0], star(9)]
SPARSIFIERS = [
    EffectiveResistanceSparsifier(keep=0.5),
    UniformSparsifier(keep=0.5, sampling="independent"),
    KNeighborSparsifier(2),
]
EACH = pytest.mark.parametrize("sparsifier", SPARSIFIERS, ids=lambda kind: type(kind).__name__)


@EACH
def test_a_draw_is_a_subgraph_of_the_graphs_side_by_side(sparsifier) -> None:
    joined = JoinedDraws([sparsifier.prepare(graph) for graph in GRAPHS])
    whole, drawn = joined.graph, joined.draw(7)
    assert whole.num_nodes == drawn.num_nodes == sum(graph.num_nodes for graph in GRAPHS)
    np.testing.assert_array_equal(drawn.source, whole.source[drawn.edge_id])
    np.testing.assert_array_equal(drawn.target, whole.target[drawn.edge_id])
    assert drawn.num_lost == drawn.num_isolated >= 0
    np.testing.assert_array_equal(joined.draw(7).edge_id, drawn.edge_id)
    assert not np.array_equal(joined.draw(8).edge_id, drawn.edge_id)


@EACH
def test_arcs_are_those_of_the_draw(sparsifier) -> None:
    joined = JoinedDraws([sparsifier.prepare(graph) for graph in GRAPHS])
    expected = SortedArcs.from_graph(joined.draw(9)).edge_index()
    found = SortedArcs.from_draw(joined, 9).edge_index()
    assert set(map(tuple, found.t().tolist())) == set(map(tuple, expected.t().tolist()))


def test_equal_graphs_are_drawn_from_independently() -> None:
    """Else a batch of like graphs would lose the same edges in each."""
    twins = [block_model(60, 400, 3, seed=3)[0]] * 2
    joined = JoinedDraws([UniformSparsifier(keep=0.5).prepare(graph) for graph in twins])
    drawn = joined.draw(7)
    first = drawn.edge_id[drawn.edge_id < 400]
    second = drawn.edge_id[drawn.edge_id >= 400] - 400
    assert not np.array_equal(first, second)


def test_isolated_nodes_before_are_not_lost() -> None:
    alone = Graph.from_edges([0], [1], num_nodes=5)
    joined = JoinedDraws([UniformSparsifier(keep=1).prepare(graph) for graph in [alone, alone]])
    assert joined.draw(3).num_lost == 0
