"""What is counted of a sparse graph, against NetworkX and by definition."""

import networkx as nx
import numpy as np
import pytest

import fastgat as fg
from fastgat import InputError
from fastgat.graph.gallery import complete, path, star
from fastgat.graph.generators import block_model
from fastgat.sparsify import graph_panel
from fastgat.sparsify.panel import clustering_coefficient

GRAPH, COMMUNITY = block_model(200, 1500, num_communities=4, seed=5)


@pytest.mark.parametrize("graph", [GRAPH, complete(6), path(5), star(7)], ids=str)
def test_clustering_is_networkx_s(graph: fg.Graph) -> None:
    expected = nx.average_clustering(graph.to_networkx())
    assert clustering_coefficient(graph) == pytest.approx(expected, abs=1e-12)


def test_the_same_graph_keeps_everything() -> None:
    panel = graph_panel(GRAPH, GRAPH, COMMUNITY)
    assert panel.num_edges == panel.num_edges_before == 1500
    assert panel.clustering == panel.clustering_before > 0
    assert panel.homophily == panel.homophily_before
    same = COMMUNITY[GRAPH.source] == COMMUNITY[GRAPH.target]
    assert panel.homophily == pytest.approx(same.mean())
    assert panel.degree_correlation == pytest.approx(1)


def test_components_and_lost_nodes() -> None:
    sparse = fg.Graph.from_edges([0], [1], num_nodes=200)
    panel = graph_panel(GRAPH, sparse)
    assert (panel.num_components, panel.num_isolated) == (199, 198)
    assert panel.homophily is None
    assert graph_panel(complete(4), complete(4)).degree_correlation is None
    unknown = np.full(200, -1)
    assert graph_panel(GRAPH, sparse, unknown).homophily is None


def test_refusals() -> None:
    with pytest.raises(InputError, match="sparse has 4 nodes, but graph has 200"):
        graph_panel(GRAPH, complete(4))
    with pytest.raises(InputError, match=r"labels has shape \(3,\), but the graph has 200 nodes"):
        graph_panel(GRAPH, GRAPH, [0, 1, 2])
