"""The stated resistances are those of the pseudo-inverse of the Laplacian."""

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.graph import gallery
from fastgat.graph.gallery import Known, known_resistances

KNOWN = known_resistances()


def pseudo_inverse_resistance(known: Known) -> np.ndarray:
    graph = known.graph
    laplacian = np.zeros((graph.num_nodes, graph.num_nodes))
    laplacian[graph.source, graph.target] = -graph.weight
    laplacian += laplacian.T
    laplacian -= np.diag(laplacian.sum(axis=1))
    inverse = np.linalg.pinv(laplacian)
    u, v = graph.source, graph.target
    return inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]


@pytest.mark.parametrize("name", KNOWN)
def test_known_resistances_are_exact(name: str) -> None:
    known = KNOWN[name]
    assert known.resistance.shape == known.graph.source.shape
    np.testing.assert_allclose(known.resistance, pseudo_inverse_resistance(known), rtol=1e-12)


@pytest.mark.parametrize("name", KNOWN)
def test_foster_sum_is_nodes_minus_components(name: str) -> None:
    graph = KNOWN[name].graph
    assert KNOWN[name].resistance.sum() == pytest.approx(graph.num_nodes - graph.num_components)


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_families_have_the_sizes_their_names_promise(size: int) -> None:
    assert gallery.path(size).num_edges == size - 1
    assert gallery.star(size).num_edges == size - 1
    assert gallery.complete(size).num_edges == size * (size - 1) // 2
    assert gallery.complete_bipartite(size, 3).num_edges == 3 * size
    assert gallery.hypercube(size).num_edges == size * 2 ** (size - 1)


def test_the_smallest_of_each_family() -> None:
    assert gallery.hypercube(0).num_nodes == 1
    assert gallery.barbell(2).num_edges == 3
    assert gallery.wheel(3).num_edges == 6
    with pytest.raises(InputError, match=r"num_nodes=2 must be a whole number of at least 3"):
        gallery.cycle(2)
