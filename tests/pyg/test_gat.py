"""The peer is the same network as FastGAT."""

from typing import Any

import pytest
import torch

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT, SortedArcs
from fastgat.pyg import PyGGAT

GRAPH = block_model(60, 400, num_communities=3, seed=3)[0]
X = torch.rand(60, 8, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("attention", ["gat", "gatv2"])
@pytest.mark.parametrize(
    "options",
    [{}, {"num_layers": 1}, {"num_layers": 3, "skip": True}, {"heads": 2, "out_heads": 3}],
    ids=str,
)
def test_checkpoints_load_both_ways(attention: str, options: dict[str, Any]) -> None:
    edge_index = GRAPH.to_pyg().edge_index
    theirs = PyGGAT(8, 4, 3, attention=attention, **options).eval()
    ours = FastGAT(8, 4, 3, attention=attention, **options).eval()
    ours.load_state_dict(theirs.state_dict())
    expected = theirs(X, edge_index)
    torch.testing.assert_close(ours(X, edge_index), expected, atol=1e-5, rtol=0)
    theirs.reset_parameters()
    assert not torch.equal(theirs(X, edge_index), expected)
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(theirs(X, edge_index), expected)


def test_equal_gradients_without_dropout() -> None:
    edge_index = GRAPH.to_pyg().edge_index
    theirs, ours = PyGGAT(8, 4, 3, dropout=0.0), FastGAT(8, 4, 3, dropout=0.0)
    ours.load_state_dict(theirs.state_dict())
    for model in (theirs, ours):
        model(X, edge_index).square().sum().backward()
    for one, other in zip(theirs.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-4)


def test_dropout_acts_in_training_only() -> None:
    edge_index = GRAPH.to_pyg().edge_index
    model = PyGGAT(8, 4, 3)
    assert not torch.equal(model(X, edge_index), model(X, edge_index))
    model.eval()
    assert torch.equal(model(X, edge_index), model(X, edge_index))


def test_refusals() -> None:
    model, edge_index = PyGGAT(8, 4, 3), GRAPH.to_pyg().edge_index
    with pytest.raises(fg.InputError, match="edge_weight has no place in PyG's attention"):
        model(X, edge_index, torch.ones(edge_index.size(1)))
    with pytest.raises(fg.InputError, match="edge_index must be a dense tensor; FastGAT takes"):
        model(X, SortedArcs.from_graph(GRAPH))
    with pytest.raises(fg.InputError, match="x must be a dense tensor"):
        model(X.to_sparse_csr(), edge_index)
    with pytest.raises(fg.InputError, match="attention='cosine' must be one of 'gat', 'gatv2'"):
        PyGGAT(8, 4, 3, attention="cosine")
    with pytest.raises(fg.InputError, match="num_layers=0"):
        PyGGAT(8, 4, 3, num_layers=0)
    with pytest.raises(fg.InputError, match="heads=0 must be a whole number of at least 1"):
        PyGGAT(8, 4, 3, heads=0)
