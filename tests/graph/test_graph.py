import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastgat import Graph, InputError
from fastgat.graph import Repairs

Arc = tuple[int, int]


def slow_unweighted(arcs: list[Arc]) -> tuple[list[Arc], Repairs]:
    """The definition: an edge is the set of its two ends."""
    proper = [tuple(sorted(arc)) for arc in arcs if arc[0] != arc[1]]
    edges = sorted(set(proper))
    repairs = Repairs(self_loops=len(arcs) - len(proper), repeated=len(proper) - len(edges))
    return edges, repairs


def slow_weighted(arcs: list[Arc], weight: list[float]) -> tuple[dict[Arc, float], Repairs]:
    """The definition: arcs named again add up, then the two directions are averaged."""
    total: dict[Arc, float] = {}
    loops = merged = averaged = 0
    for (u, v), w in zip(arcs, weight, strict=True):
        if u == v:
            loops += 1
        else:
            merged += (u, v) in total
            total[u, v] = total.get((u, v), 0.0) + w
    edges: dict[Arc, float] = {}
    for u, v in sorted({(min(arc), max(arc)) for arc in total}):
        directions = [total[arc] for arc in ((u, v), (v, u)) if arc in total]
        averaged += len(set(directions)) == 2
        edges[u, v] = sum(w / len(directions) for w in directions)
    return edges, Repairs(self_loops=loops, merged=merged, averaged=averaged)


arc_lists = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40)
weights = st.sampled_from([1e-8, 0.1, 0.3, 1.0, 2.0, 7.7, 1e8])


@given(arc_lists, st.sampled_from([np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64]))
@settings(max_examples=150, deadline=None)
def test_unweighted_agrees_with_slow_twin(arcs: list[Arc], dtype: type) -> None:
    ends = np.array(arcs, dtype).reshape(-1, 2)
    g = Graph.from_edges(ends[:, 0], ends[:, 1], num_nodes=7)
    edges, repairs = slow_unweighted(arcs)
    assert list(zip(g.source, g.target, strict=True)) == edges
    assert g.repairs == repairs
    assert not g.is_weighted


@given(st.lists(st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 4)), weights), max_size=40))
@settings(max_examples=150, deadline=None)
def test_weighted_agrees_with_slow_twin(items: list[tuple[Arc, float]]) -> None:
    arcs, weight = [arc for arc, _ in items], [w for _, w in items]
    g = Graph.from_edges([u for u, _ in arcs], [v for _, v in arcs], weight, 5)
    edges, repairs = slow_weighted(arcs, weight)
    assert list(zip(g.source, g.target, strict=True)) == list(edges)
    np.testing.assert_allclose(g.weight, list(edges.values()), rtol=1e-15)
    assert g.repairs == repairs


@given(arc_lists, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_order_and_direction_do_not_matter(arcs: list[Arc], random: object) -> None:
    g = Graph.from_edges([u for u, _ in arcs], [v for _, v in arcs], num_nodes=7)
    other = [arc[::-1] for arc in arcs]
    random.shuffle(other)  # type: ignore[attr-defined]
    h = Graph.from_edges([u for u, _ in other], [v for _, v in other], num_nodes=7)
    np.testing.assert_array_equal(g.source, h.source)
    np.testing.assert_array_equal(g.target, h.target)


def test_canonical_edges_come_back_as_they_are() -> None:
    g = Graph.from_edges([0, 0, 1], [1, 2, 3], [3.0, 2.0, 1.0], 6)
    h = Graph.from_edges(g.source, g.target, g.weight, g.num_nodes)
    np.testing.assert_array_equal(h.source, [0, 0, 1])
    np.testing.assert_array_equal(h.target, [1, 2, 3])
    np.testing.assert_array_equal(h.weight, [3.0, 2.0, 1.0])
    assert h.repairs == Repairs()
    assert h.num_nodes == 6


def test_weights_of_one_arc_add_and_directions_average() -> None:
    g = Graph.from_edges([0, 0, 1, 2, 3, 1, 1], [1, 1, 0, 3, 2, 1, 2], [1, 2, 5, 4, 4, 9, 7])
    np.testing.assert_array_equal(g.weight, [4.0, 7.0, 4.0])  # (1 + 2 + 5) / 2; 7; both say 4
    assert g.repairs == Repairs(self_loops=1, merged=1, averaged=1)


def test_extreme_weights_survive() -> None:
    g = Graph.from_edges([0, 1, 1], [1, 2, 0], [1e308, 1e-308, 1e308])
    np.testing.assert_array_equal(g.weight, [1e308, 1e-308])
    with pytest.raises(InputError) as caught:
        Graph.from_edges([0, 0], [1, 1], [1e308, 1e308])
    assert "adds up to infinity" in str(caught.value)


@pytest.mark.parametrize("weight", [None, [0.5, 2.0]])
def test_arrays_are_read_only(weight: list[float] | None) -> None:
    g = Graph.from_edges([0, 1], [1, 2], weight)
    for array in (g.source, g.target, g.weight):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_input_is_not_aliased() -> None:
    source, target = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    g = Graph.from_edges(source, target)
    source[:] = 9
    np.testing.assert_array_equal(g.source, [0, 1])


def test_unit_weights_take_no_memory() -> None:
    g = Graph.from_edges([0, 1], [1, 2])
    np.testing.assert_array_equal(g.weight, [1.0, 1.0])
    assert g.weight.strides == (0,)
    assert g.nbytes == 2 * 2 * 4
    assert Graph.from_edges([0, 1], [1, 2], [1.0, 1.0]).nbytes == 2 * (4 + 4 + 8)


@pytest.mark.parametrize("weight", [None, [0.5, 2.0]])
def test_pickles_without_what_is_derived(weight: list[float] | None) -> None:
    g = Graph.from_edges([0, 1], [1, 2], weight, 4, names=np.array(["a", "b", "c", "d"]))
    assert g.num_components == 2  # now adjacency and components are kept
    h = pickle.loads(pickle.dumps(g))
    assert "adjacency" not in h.__dict__
    assert "components" not in h.__dict__
    assert (h.num_nodes, h.num_edges, h.is_weighted) == (4, 2, g.is_weighted)
    np.testing.assert_array_equal(h.weight, g.weight)
    assert h.names is not None
    assert h.names.tolist() == ["a", "b", "c", "d"]
    assert h.num_components == 2


def test_small_and_empty_graphs() -> None:
    assert repr(Graph.from_edges([], [])) == "Graph(num_nodes=0, num_edges=0)"
    one = Graph.from_edges([], [], [], num_nodes=1)
    assert (one.num_nodes, one.num_edges, one.num_components, one.num_isolated) == (1, 0, 1, 1)
    loop = Graph.from_edges([0], [0])
    assert (loop.num_nodes, loop.num_edges, loop.repairs) == (1, 0, Repairs(self_loops=1))
    two = Graph.from_edges([0, 3], [1, 4])
    assert (two.num_components, two.num_isolated) == (3, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            {"source": [0, 1], "target": [1]},
            "source has 2 entries but target has 1: they go in pairs",
        ),
        (
            {"source": [17], "target": [9000], "num_nodes": 2708},
            "edge (17, 9000) names node 9000, but num_nodes=2708",
        ),
        (
            {"source": [0, -1], "target": [1, 2]},
            "edge (-1, 2) names node -1, but nodes are numbered from 0",
        ),
        (
            {"source": [2**31 - 1], "target": [0]},
            "edge (2147483647, 0) names node 2147483647, but nodes end at 2147483646: "
            "number them 0, 1, 2, ...",
        ),
        ({"source": [[0]], "target": [1]}, "source has shape (1, 1), but needs one dimension"),
        (
            {"source": [0.5], "target": [1]},
            "source has dtype float64, but node numbers are whole: cast it",
        ),
        (
            {"source": [0], "target": [1], "num_nodes": -1},
            "num_nodes=-1 must be a whole number of at least 0",
        ),
        (
            {"source": [0], "target": [1], "weight": [1, 2]},
            "weight has shape (2,), but the number of edges is 1",
        ),
    ],
)
def test_refusals(call: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Graph.from_edges(**call)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_weights_are_positive_and_finite(weight: float) -> None:
    with pytest.raises(InputError) as caught:
        Graph.from_edges([0, 1], [1, 2], [1.0, weight])
    assert str(caught.value) == (
        f"weight[1]={weight} must be positive and finite; "
        "leave out edges without weight, use the absolute value of negative ones"
    )


def test_names_must_fit_the_nodes() -> None:
    with pytest.raises(InputError, match=r"names has shape \(1,\), but num_nodes=2"):
        Graph.from_edges([0], [1], names=np.array(["a"]))


def test_arrays_that_start_anywhere_in_memory() -> None:
    store = np.zeros(4 * 8 + 1, np.uint8)
    misaligned = store[1:].view(np.int64)
    misaligned[:] = [1, 2, 3, 0]
    assert not misaligned.flags.aligned
    assert Graph.from_edges([0, 1, 2, 3], misaligned).num_edges == 4
