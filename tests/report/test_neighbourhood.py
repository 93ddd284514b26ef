"""A neighbourhood to draw: nodes, places, edges, and the attention on them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fastgat import Graph
from fastgat.graph.gallery import complete, path, star
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT
from fastgat.report.neighbourhood import (
    MOST_NEIGHBOURS,
    SECOND,
    choose_neighbourhood,
    edges_among,
    mean_attention,
)
from fastgat.train.loader import Arcs

GRAPHS = {
    "edge": path(2),
    "path": path(9),
    "star": star(9),
    "big star": star(500),
    "complete": complete(40),
    "lonely": Graph.from_edges([3], [7], num_nodes=50),
    "blocks": block_model(300, 3000, 5, seed=3)[0],
}
EACH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(st.integers(2, 25))
    node = st.integers(0, nodes - 1)
    pairs = draw(st.lists(st.tuples(node, node).filter(lambda p: p[0] != p[1]), min_size=1))
    source, target = zip(*pairs, strict=True)
    return Graph.from_edges(source, target, num_nodes=nodes)


@given(graphs())
def test_a_node_and_those_around_it(graph: Graph) -> None:
    chosen = choose_neighbourhood(graph)
    assert chosen is not None
    nodes, place = chosen.nodes, chosen.place
    assert len(set(nodes.tolist())) == nodes.size == len(place)
    assert nodes.size <= 1 + MOST_NEIGHBOURS * (1 + SECOND)
    assert np.isfinite(place).all()
    ring = np.linalg.norm(place, axis=1)
    assert ring[0] == 0
    assert set(np.round(ring[1:]).tolist()) <= {1, 2}
    pairs = edges_among(graph, chosen)
    assert {j for i, j in pairs if i == 0} == set(np.flatnonzero(np.round(ring) == 1).tolist())
    assert len(np.unique(np.round(place, 9), axis=0)) == nodes.size  # nobody hides another


@given(graphs())
def test_edges_are_those_of_the_inner_nodes_each_once(graph: Graph) -> None:
    chosen = choose_neighbourhood(graph)
    assert chosen is not None
    nodes, inner = chosen.nodes, chosen.nodes[: chosen.num_inner]
    ends = {
        frozenset((int(i), int(j)))
        for i, j in zip(graph.source, graph.target, strict=True)
        if i in nodes and j in nodes and (i in inner or j in inner)
    }
    pairs = edges_among(graph, chosen)
    assert len(pairs) == len(ends)
    assert {frozenset((int(nodes[i]), int(nodes[j]))) for i, j in pairs} == ends


def test_nothing_to_draw() -> None:
    assert choose_neighbourhood(Graph.from_edges([], [], num_nodes=1)) is None
    assert choose_neighbourhood(Graph.from_edges([], [], num_nodes=4)) is None


@EACH
@pytest.mark.parametrize("attention", ["gat", "gatv2", "cosine", "gaan"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("prior", [False, True])
def test_attention_is_the_mean_of_both_directions(
    graph: Graph, attention: str, sparse: bool, prior: bool
) -> None:
    weights = np.arange(1.0, graph.num_edges + 1)
    graph = Graph.from_edges(graph.source, graph.target, weights, num_nodes=graph.num_nodes)
    torch.manual_seed(5)
    model = FastGAT(3, 4, 2, heads=2, attention=attention).eval()
    x = torch.rand(graph.num_nodes, 3)
    chosen = choose_neighbourhood(graph)
    assert chosen is not None
    nodes = chosen.nodes
    pairs = edges_among(graph, chosen)
    with torch.no_grad():
        given_x = x.to_sparse_csr() if sparse else x
        arcs = Arcs.of(graph, prior=prior)
        found = mean_attention(model, given_x, arcs, nodes, pairs)
        index = torch.tensor([[*graph.source, *graph.target], [*graph.target, *graph.source]])
        weight = torch.tensor([*graph.weight, *graph.weight]).float() if prior else None
        _, (ends, alpha) = model.layers[0](
            x, index, edge_weight=weight, return_attention_weights=True
        )
    of_arc = {
        (int(i), int(j)): float(a)
        for i, j, a in zip(ends[0], ends[1], alpha.mean(dim=1), strict=True)
    }
    ids = nodes.tolist()
    expected = [0.5 * (of_arc[ids[i], ids[j]] + of_arc[ids[j], ids[i]]) for i, j in pairs]
    assert found == pytest.approx(expected, abs=1e-6)
    assert all(0 <= value <= 1 for value in found)
