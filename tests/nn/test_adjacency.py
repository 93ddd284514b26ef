"""A sparse adjacency in place of edge_index: sorted once, seen when it changes, let go with it."""

import gc
from collections.abc import Callable
from unittest import mock

import pytest
import torch
from torch import Tensor

from attention_layers import ARCS, CHANNELS, NODES, Make, every_layer, features, seeded
from fastgat.nn import GATConv, edge_index, operator

SPARSE: dict[str, Callable[[Tensor], Tensor]] = {
    "csr": lambda dense: dense.to_sparse_csr(),
    "csc": lambda dense: dense.to_sparse_csc(),
    "coo": lambda dense: dense.to_sparse_coo(),
    "uncoalesced": lambda dense: torch.sparse_coo_tensor(
        dense.nonzero().t().repeat(1, 2), torch.ones(2 * int(dense.sum())), dense.shape
    ),
}


def dense_adjacency(arcs: Tensor = ARCS) -> Tensor:
    return torch.zeros(NODES, NODES).index_put((arcs[1], arcs[0]), torch.ones(()))


@every_layer
@pytest.mark.parametrize("layout", SPARSE)
def test_a_sparse_adjacency_is_sorted_once(make: Make, layout: str) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    adjacency = SPARSE[layout](dense_adjacency())
    with mock.patch.object(edge_index, "sort_arcs", wraps=edge_index.sort_arcs) as sort:
        first = layer(x, adjacency)
        for _ in range(3):
            assert torch.equal(layer(x, adjacency), first)
    assert sort.call_count == 1
    torch.testing.assert_close(first, layer(x, ARCS.unique(dim=1)))


@pytest.mark.parametrize("layout", SPARSE)
def test_a_sparse_adjacency_first_seen_in_inference_mode(layout: str) -> None:
    layer, x = GATConv(CHANNELS, 4, heads=3), features(NODES, CHANNELS)
    adjacency = SPARSE[layout](dense_adjacency())
    with mock.patch.object(edge_index, "sort_arcs", wraps=edge_index.sort_arcs) as sort:
        with torch.inference_mode():
            first = layer(x, adjacency)
        for _ in range(3):
            out = layer(x, adjacency)
            assert torch.equal(out, first)
            out.sum().backward()
    assert sort.call_count == 1


@pytest.mark.parametrize("layout", SPARSE)
def test_a_sparse_adjacency_that_changes_is_seen(layout: str) -> None:
    layer, x = GATConv(CHANNELS, 4, heads=3), features(NODES, CHANNELS)
    adjacency, other = (SPARSE[layout](dense_adjacency(arcs)) for arcs in (ARCS, ARCS.flip(0)))
    layer(x, adjacency)
    if layout == "csr":
        adjacency.col_indices().copy_(adjacency.col_indices().flip(0))
    elif layout == "csc":
        adjacency.row_indices().copy_(adjacency.row_indices().flip(0))
    else:
        adjacency.copy_(other)
    expected = layer(x, adjacency.detach().clone())
    assert torch.equal(layer(x, adjacency), expected)


@pytest.mark.parametrize("layout", SPARSE)
def test_nothing_is_kept_of_an_adjacency_that_is_gone(layout: str) -> None:
    gc.collect()
    before = len(operator._cache)
    adjacency = SPARSE[layout](dense_adjacency())
    GATConv(CHANNELS, 4, heads=3)(features(NODES, CHANNELS), adjacency).sum().backward()
    assert len(operator._cache) == before + 2  # it, and the edge_index made of it
    del adjacency
    gc.collect()
    assert len(operator._cache) == before


def test_attributes_in_an_adjacency_are_read_anew() -> None:
    """They may need gradients, or change with every step."""
    layer, x = GATConv(CHANNELS, 4, edge_dim=2), features(NODES, CHANNELS)
    index, attr = ARCS.unique(dim=1), features(11, 2).requires_grad_()
    index = index[:, torch.argsort(index[1] * NODES + index[0])]
    adjacency = torch.sparse_coo_tensor(index.flip(0), attr, (NODES, NODES, 2)).coalesce()
    for _ in range(2):
        out = layer(x, adjacency)
        torch.testing.assert_close(out, layer(x, index, attr))
        (found,) = torch.autograd.grad(out.square().sum(), attr, retain_graph=True)
        (expected,) = torch.autograd.grad(layer(x, index, attr).square().sum(), attr)
        torch.testing.assert_close(found, expected)
