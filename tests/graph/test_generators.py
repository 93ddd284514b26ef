"""Generated graphs have the sizes asked for, repeat with their seed, and refuse the impossible."""

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.generators import block_model, grid, road_like

LARGE = {"num_nodes": 5000, "num_edges": 20_000, "num_communities": 5}  # drawn arc by arc
SMALL = {"num_nodes": 800, "num_edges": 3000, "num_communities": 5}  # drawn from a list of pairs


def same(a: Graph, b: Graph) -> bool:
    return np.array_equal(a.source, b.source) and np.array_equal(a.target, b.target)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (5, 1), (3, 4)])
def test_grid_has_every_neighbour_pair(rows: int, columns: int) -> None:
    graph = grid(rows, columns)
    assert graph.num_nodes == rows * columns
    assert graph.num_edges == rows * (columns - 1) + columns * (rows - 1)
    assert graph.num_components == 1


@pytest.mark.parametrize("num_nodes", [1, 2, 3, 4, 5, 10, 997])
def test_road_like_is_connected_at_any_size(num_nodes: int) -> None:
    roads = road_like(num_nodes, seed=5)
    assert roads.num_nodes == num_nodes
    assert roads.num_components == 1


def test_road_like_has_the_degrees_of_roads() -> None:
    roads = road_like(40_000, seed=11)
    assert 2 * roads.num_edges / roads.num_nodes == pytest.approx(2.9, abs=0.05)
    assert np.mean(roads.degree == 2) > 0.35
    assert roads.degree.max() == 4
    assert same(roads, road_like(40_000, seed=11))
    assert not same(roads, road_like(40_000, seed=13))


@pytest.mark.parametrize("sizes", [LARGE, SMALL], ids=["arc by arc", "from a list"])
def test_block_model_has_exactly_the_edges_asked_for(sizes: dict[str, int]) -> None:
    graph, community = block_model(**sizes, seed=3)
    assert (graph.num_nodes, graph.num_edges) == (sizes["num_nodes"], sizes["num_edges"])
    assert np.all(graph.source < graph.target)
    key = graph.source.astype(np.int64) * graph.num_nodes + graph.target
    assert np.all(np.diff(key) > 0)
    assert set(community) == set(range(5))
    again, _ = block_model(**sizes, seed=3)
    other, _ = block_model(**sizes, seed=4)
    assert same(graph, again)
    assert not same(graph, other)


@pytest.mark.parametrize("sizes", [LARGE, SMALL], ids=["arc by arc", "from a list"])
@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_mixing_sets_the_share_of_edges_between_communities(
    sizes: dict[str, int], mixing: float
) -> None:
    graph, community = block_model(**sizes, seed=9, mixing=mixing)
    between = np.mean(community[graph.source] != community[graph.target])
    assert between == pytest.approx(0.8 * mixing, abs=0.0 if mixing == 0 else 0.1)


def test_both_ways_of_drawing_follow_one_law() -> None:
    # Well below saturation: degrees then follow the propensities, whichever way they are drawn.
    few, _ = block_model(2000, 8000, 4, seed=21)
    many, _ = block_model(20_000, 80_000, 4, seed=21)
    quantiles = [0.1, 0.5, 0.9, 0.99]
    np.testing.assert_allclose(
        np.quantile(few.degree, quantiles), np.quantile(many.degree, quantiles), rtol=0.25, atol=1
    )


@pytest.mark.parametrize("mixing", [0, 0.2])
@pytest.mark.parametrize("seed", range(1, 40, 2))
def test_block_model_of_hardly_any_edges(mixing: float, seed: int) -> None:
    """In communities of two most arcs are loops, so the first draw may give no edge at all."""
    assert block_model(3000, 1, 1500, seed=seed, mixing=mixing)[0].num_edges == 1


def test_block_model_is_frozen() -> None:
    for sizes in ((3000, 5000, 7), (100, 50, 2)):
        graph, _ = block_model(*sizes, seed=3)
        assert not graph.source.flags.writeable
        assert not graph.target.flags.writeable


def test_block_model_can_fill_every_pair() -> None:
    assert block_model(40, 780, 3, seed=1)[0].num_edges == 780
    assert block_model(40, 180, 4, seed=1, mixing=0)[0].num_edges == 180
    assert block_model(1, 0, 1)[0].num_nodes == 1
    assert block_model(3000, 0, 7)[0].num_edges == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 46, 2), r"num_edges=46 must be at most the 45 pairs"),
        ((10, 5, 11), r"num_communities=11 must be at most num_nodes=10"),
        ((0, 0, 1), r"num_nodes=0 must be a whole number of at least 1"),
        ((10, -1, 1), r"num_edges=-1 must be a whole number of at least 0"),
    ],
)
def test_block_model_refuses_the_impossible(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        block_model(*arguments)


def test_block_model_refuses_more_edges_than_its_mixing_allows() -> None:
    with pytest.raises(InputError, match=r"at most the 20 pairs of nodes within the communities"):
        block_model(10, 21, 2, mixing=0)
    with pytest.raises(InputError, match=r"mixing=-0.1 must lie in \[0, 1\]"):
        block_model(10, 5, 2, mixing=-0.1)
    with pytest.raises(InputError, match=r"degree_exponent=1 must lie in \(1, 100\)"):
        block_model(10, 5, 2, degree_exponent=1)
    with pytest.raises(InputError, match=r"num_edges=60000 do not fit: .* raise mixing=1e-06"):
        block_model(3000, 60_000, 300, mixing=1e-6)
