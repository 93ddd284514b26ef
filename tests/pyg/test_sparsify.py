"""The transform keeps whole edges, with what they carry, and leaves the rest alone."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric import EdgeIndex
from torch_geometric.data import Data
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


@st.composite
def directed_graphs(draw: st.DrawFn) -> Data:
    """Arcs in any order and direction, loops and repeats included; each knows its place."""
    nodes = draw(st.integers(1, 8))
    node = st.integers(0, nodes - 1)
    arcs = draw(st.lists(st.tuples(node, node), max_size=40))
    edge_index = torch.tensor(arcs, dtype=torch.long).reshape(-1, 2).T
    data = Data(edge_index=edge_index, num_nodes=nodes, edge_place=torch.arange(len(arcs)))
    if draw(st.booleans()):
        data.edge_weight = torch.arange(1.0, len(arcs) + 1)
    return data


def undirected(edge_index: torch.Tensor) -> list[tuple[int, int]]:
    return [(min(u, v), max(u, v)) for u, v in edge_index.T.tolist()]


@given(directed_graphs(), st.integers(0, 5), st.sampled_from([1.0, 0.5, 0.2]))
def test_an_arc_stays_if_and_only_if_its_edge_does(data: Data, seed: int, keep: float) -> None:
    sparsifier = fg.UniformSparsifier(keep=keep)
    sparse = Sparsify(sparsifier=sparsifier, seed=seed)(data)
    graph = fg.Graph.from_pyg(data)
    kept = set()
    if graph.num_edges:
        drawn = sparsifier.sparsify(graph, seed=seed)
        kept = set(zip(drawn.source.tolist(), drawn.target.tolist(), strict=True))
    stays = [edge in kept or edge[0] == edge[1] for edge in undirected(data.edge_index)]
    places = torch.tensor(stays, dtype=torch.bool).nonzero().flatten()
    assert torch.equal(sparse.edge_place, places)  # these arcs, in this order
    assert torch.equal(sparse.edge_index, data.edge_index[:, places])
    assert sparse.num_nodes == data.num_nodes


@given(directed_graphs(), st.integers(0, 5))
def test_the_graph_that_comes_out_is_the_draw(data: Data, seed: int) -> None:
    """Directions and repeats with weights of their own still add up to the drawn weights."""
    graph = fg.Graph.from_pyg(data)
    if graph.num_edges:
        transform = Sparsify(keep=0.5, seed=seed)
        drawn = transform.sparsifier.sparsify(graph, seed=seed)
        found = fg.Graph.from_pyg(transform(data))
        if graph.is_weighted or not graph.repairs.repeated:
            np.testing.assert_allclose(found.weight, drawn.weight, rtol=1e-5)


@given(directed_graphs())
def test_keeping_everything_changes_no_weight(data: Data) -> None:
    sparse = Sparsify(keep=1.0, sampling="independent")(data)
    old = data.edge_weight if "edge_weight" in data else torch.ones(data.num_edges)
    torch.testing.assert_close(sparse.edge_weight, old)
    assert torch.equal(sparse.edge_index, data.edge_index)


def test_arcs_keep_their_values_and_their_reverses(data: Data) -> None:
    sparse = Sparsify(keep=0.3, sampling="independent", seed=3)(copy.copy(data))
    assert torch.equal(sparse.edge_attr, sparse.edge_index.T.float())
    assert is_undirected(sparse.edge_index)
    assert 0.25 < sparse.edge_index.size(1) / data.edge_index.size(1) < 0.35
    assert sparse.x is data.x
    loops = sparse.edge_index[:, sparse.edge_index[0] == sparse.edge_index[1]]
    assert loops.tolist() == [[0, 7], [0, 7]]


def test_the_data_given_stays_as_it_was(data: Data) -> None:
    before = data.clone()
    Sparsify(epsilon=0.9)(data)
    assert data.keys() == before.keys() and torch.equal(data.edge_index, before.edge_index)


def test_everything_with_a_value_per_arc_follows() -> None:
    arcs = torch.tensor([[0, 1, 1, 2, 2, 0, 3, 0], [1, 0, 2, 1, 0, 2, 0, 3]])
    names = [f"{u}-{v}" for u, v in arcs.T.tolist()]
    data = Data(
        edge_index=arcs,
        num_nodes=4,
        names=names,
        times=np.arange(8),
        pair_index=arcs.clone(),  # PyG joins what is called index along its last dimension
        y=torch.arange(4),
        note="kept",
        edge_label=torch.ones(8),
        edge_label_index=torch.zeros(2, 8, dtype=torch.long),  # links to predict
    )
    sparse = Sparsify(sparsifier=fg.UniformSparsifier(keep=2), weight=None, seed=5)(data)
    expected = [f"{u}-{v}" for u, v in sparse.edge_index.T.tolist()]
    assert 0 < len(expected) < 8 and sparse.names == expected
    assert [names[at] for at in sparse.times] == expected
    assert torch.equal(sparse.pair_index, sparse.edge_index)
    assert sparse.y is data.y and sparse.note == "kept"
    assert sparse.edge_label.numel() == sparse.edge_label_index.size(1) == 8


def test_same_edges_as_the_sparsifier(data: Data) -> None:
    sparsifier = fg.EffectiveResistanceSparsifier(epsilon=0.9)
    expected = sparsifier.sparsify(fg.Graph.from_pyg(data), seed=11)
    sparse = Sparsify(sparsifier=sparsifier, seed=11)(data)
    found = fg.Graph.from_edges(*sparse.edge_index.numpy(), sparse.edge_weight.numpy(), 300)
    assert found.num_edges == expected.num_edges
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-6)


def test_weights_of_loops_are_one_or_their_own(data: Data) -> None:
    sparse = Sparsify(epsilon=0.9, weight="prior")(data)
    is_loop = sparse.edge_index[0] == sparse.edge_index[1]
    assert sparse.prior[is_loop].tolist() == [1.0, 1.0]
    data.edge_weight = torch.full((data.num_edges,), 2.5)
    sparse = Sparsify(epsilon=0.9)(data)
    assert sparse.edge_weight[sparse.edge_index[0] == sparse.edge_index[1]].tolist() == [2.5, 2.5]


def test_without_new_weights_the_old_ones_follow(data: Data) -> None:
    assert "edge_weight" not in Sparsify(epsilon=0.9, weight=None)(data)
    data.edge_weight = data.edge_index.sum(0) + 1.0
    sparse = Sparsify(epsilon=0.9, weight=None)(data)
    assert torch.equal(sparse.edge_weight, sparse.edge_index.sum(0) + 1.0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int32])
def test_type_and_gradient_of_weights(data: Data, dtype: torch.dtype) -> None:
    old = torch.full((data.num_edges,), 2, dtype=dtype, requires_grad=dtype.is_floating_point)
    data.edge_weight = old
    new = Sparsify(epsilon=0.9)(data).edge_weight
    assert new.dtype == (dtype if dtype.is_floating_point else torch.float32)
    if old.requires_grad:
        new.sum().backward()
        assert 0 < int((old.grad > 0).sum()) == new.numel() < old.numel()


def test_seed_decides(data: Data) -> None:
    same = [Sparsify(epsilon=0.9, seed=3)(data).edge_index for _ in range(2)]
    assert torch.equal(*same)
    assert not torch.equal(same[0], Sparsify(epsilon=0.9, seed=4)(data).edge_index)


def test_without_seed_every_call_draws_anew_from_torch(data: Data) -> None:
    transform = Sparsify(epsilon=0.9, seed=None)
    torch.manual_seed(3)
    one, two = transform(data).edge_index, transform(data).edge_index
    assert not torch.equal(one, two)
    torch.manual_seed(3)
    assert torch.equal(transform(data).edge_index, one)


@pytest.mark.parametrize("loops", [0, 2])
def test_without_edges_nothing_goes(loops: int) -> None:
    index = torch.arange(loops).repeat(2, 1)
    sparse = Sparsify(epsilon=0.5)(Data(edge_index=index, num_nodes=3))
    assert torch.equal(sparse.edge_index, index)
    assert sparse.edge_weight.tolist() == [1.0] * loops  # the same attributes as other graphs


def test_sorted_edge_index_stays_sorted(data: Data) -> None:
    index = EdgeIndex(data.edge_index[:, :-2], sort_order="row", sparse_size=(300, 300))
    sparse = Sparsify(epsilon=0.9)(Data(edge_index=index, num_nodes=300))
    assert isinstance(sparse.edge_index, EdgeIndex) and sparse.edge_index.sort_order == "row"
    sparse.edge_index.validate()


def test_in_a_pipeline(data: Data) -> None:
    one_way = Data(edge_index=data.edge_index[:, ::2], num_nodes=300)
    pipeline = Compose([ToUndirected(), Sparsify(keep=500)])
    sparse = pipeline(one_way)
    assert sparse.is_undirected() and 300 < fg.Graph.from_pyg(sparse).num_edges < 700
