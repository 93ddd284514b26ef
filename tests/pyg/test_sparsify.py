"""The transform keeps whole edges, with what they carry, and leaves the rest alone."""

import copy

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import Compose, ToUndirected
from torch_geometric.utils import is_undirected

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.pyg import Sparsify


@pytest.fixture
def data() -> Data:
    graph, label = block_model(300, 6000, num_communities=3, seed=5)
    arcs = graph.to_pyg().edge_index
    loops = torch.tensor([[0, 7], [0, 7]])
    edge_index = torch.cat([arcs, loops], dim=1)
    return Data(
        x=torch.randn(300, 4),
        y=torch.from_numpy(label),
        edge_index=edge_index,
        edge_attr=edge_index.T.float(),
        num_nodes=300,
    )


def test_arcs_keep_their_values_and_their_mates(data: Data) -> None:
    sparse = Sparsify(keep=0.3, sampling="independent", seed=3)(copy.copy(data))
    assert torch.equal(sparse.edge_attr, sparse.edge_index.T.float())
    assert is_undirected(sparse.edge_index)
    assert 0.25 < sparse.edge_index.size(1) / data.edge_index.size(1) < 0.35
    assert sparse.x is data.x
    loops = sparse.edge_index[:, sparse.edge_index[0] == sparse.edge_index[1]]
    assert loops.tolist() == [[0, 7], [0, 7]]


def test_same_edges_as_the_sparsifier(data: Data) -> None:
    sparsifier = fg.EffectiveResistanceSparsifier(epsilon=0.9)
    expected = sparsifier.sparsify(fg.Graph.from_pyg(data), seed=11)
    sparse = Sparsify(sparsifier=sparsifier, seed=11, weight="edge_weight")(data)
    found = fg.Graph.from_edges(*sparse.edge_index.numpy(), sparse.edge_weight.numpy(), 300)
    assert found.num_edges == expected.num_edges
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-6)


def test_weights_of_loops_are_one(data: Data) -> None:
    sparse = Sparsify(epsilon=0.9, weight="prior")(data)
    is_loop = sparse.edge_index[0] == sparse.edge_index[1]
    assert sparse.prior[is_loop].tolist() == [1.0, 1.0]


def test_in_a_pipeline(data: Data) -> None:
    one_way = Data(edge_index=data.edge_index[:, ::2], num_nodes=300)
    pipeline = Compose([ToUndirected(), Sparsify(keep=500)])
    sparse = pipeline(one_way)
    assert sparse.is_undirected() and 300 < fg.Graph.from_pyg(sparse).num_edges < 700


def test_refusals(data: Data) -> None:
    with pytest.raises(fg.InputError, match="HeteroData, but Sparsify needs a Data object"):
        Sparsify(epsilon=0.5)(HeteroData())
    with pytest.raises(fg.InputError, match="leave out epsilon"):
        Sparsify(epsilon=0.5, sparsifier=fg.UniformSparsifier(keep=0.5))
    with pytest.raises(fg.InputError, match="epsilon=2"):
        Sparsify(epsilon=2)
