import numpy as np
import pytest

from fastgat.graph import Graph
from fastgat.graph.gallery import complete, path
from fastgat.spectral import degree_effective_resistances


def test_degree_formula() -> None:
    np.testing.assert_allclose(degree_effective_resistances(complete(5)), 2 / 4)
    weighted = Graph.from_edges([0, 1], [1, 2], [2.0, 6.0])
    np.testing.assert_allclose(
        degree_effective_resistances(weighted), [1 / 2 + 1 / 8, 1 / 8 + 1 / 6]
    )


@pytest.mark.parametrize("graph", [path(1), Graph.from_edges([], [], num_nodes=0)])
def test_no_edges(graph: Graph) -> None:
    assert degree_effective_resistances(graph).shape == (0,)
