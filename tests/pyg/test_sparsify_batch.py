"""The graphs of a batch are sparsified one by one, and it can be taken apart afterwards."""

import copy
import pickle
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.pyg import Sparsify, seed_of_graph

TRANSFORM = Sparsify(sparsifier=fg.UniformSparsifier(keep=0.4), seed=7)


def one_graph(nodes: int, edges: int, **more: Any) -> Data:
    index = block_model(nodes, edges, num_communities=2, seed=nodes)[0].to_pyg().edge_index
    return Data(
        x=torch.rand(nodes, 3),
        edge_index=index,
        edge_attr=index.T.float(),
        names=[f"{u}-{v}" for u, v in index.T.tolist()],
        y=torch.tensor([nodes]),
        **more,
    )


@pytest.fixture
def graphs() -> list[Data]:
    empty = Data(
        x=torch.ones(2, 3),
        edge_index=torch.zeros(2, 0, dtype=torch.long),
        edge_attr=torch.zeros(0, 2),
        names=[],
        y=torch.tensor([2]),
    )
    return [one_graph(20, 80), one_graph(30, 100), empty, one_graph(20, 80)]


def assert_equal(found: Data, expected: Data) -> None:
    assert set(found.keys()) == set(expected.keys())
    for name, value in expected.to_dict().items():
        same = torch.equal(found[name], value) if torch.is_tensor(value) else found[name] == value
        assert same, name


def test_a_batch_is_the_batch_of_its_graphs(graphs: list[Data]) -> None:
    """Each with a seed of its own."""
    one_by_one = []
    for k, graph in enumerate(graphs):
        transform = copy.copy(TRANSFORM)
        transform.seed = seed_of_graph(7, k)
        one_by_one.append(transform(graph))
    batch = TRANSFORM(Batch.from_data_list(graphs))
    assert_equal(batch, Batch.from_data_list(one_by_one))
    for found, expected in zip(batch.to_data_list(), one_by_one, strict=True):
        assert_equal(found, expected)
    again = pickle.loads(pickle.dumps(batch))
    assert_equal(again[1], one_by_one[1])


def test_equal_graphs_are_drawn_differently(graphs: list[Data]) -> None:
    first, *_, last = TRANSFORM(Batch.from_data_list(graphs)).to_data_list()
    assert torch.equal(graphs[0].edge_index, graphs[-1].edge_index)
    assert not torch.equal(first.edge_index, last.edge_index)


def test_density_follows_each_graphs_own_size(graphs: list[Data]) -> None:
    sizes = [data.num_edges for data in TRANSFORM(Batch.from_data_list(graphs)).to_data_list()]
    for found, graph in zip(sizes, graphs, strict=True):
        assert 0.2 * graph.num_edges <= found <= 0.6 * graph.num_edges


def test_the_batch_given_can_still_be_taken_apart(graphs: list[Data]) -> None:
    batch = Batch.from_data_list(graphs)
    TRANSFORM(batch)
    for found, expected in zip(batch.to_data_list(), graphs, strict=True):
        assert_equal(found, expected)


def test_attributes_added_to_the_batch_and_followed_ones(graphs: list[Data]) -> None:
    batch = Batch.from_data_list(graphs, follow_batch=["edge_attr"])
    batch.later = batch.edge_index[0].clone()
    batch.edge_weight = torch.ones(batch.num_edges)
    sparse = TRANSFORM(batch)
    assert torch.equal(sparse.later, sparse.edge_index[0])
    assert torch.equal(sparse.edge_attr_batch, sparse.batch[sparse.edge_index[0]])
    assert sparse.edge_attr_ptr.tolist() == sparse._slice_dict["edge_attr"].tolist()
    assert sparse[1].edge_weight.numel() == sparse[1].num_edges


def test_what_is_by_chance_as_long_as_the_arcs_stays() -> None:
    """Three graphs of four nodes; twelve arcs, three of each direction of two edges: y has 12."""
    square = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    graph = Data(edge_index=square, num_nodes=5, y=torch.arange(3))
    last = Data(edge_index=square, num_nodes=5, y=torch.arange(6))
    batch = Batch.from_data_list([graph, graph, last])
    assert batch.is_edge_attr("y")
    sparse = Sparsify(sparsifier=fg.UniformSparsifier(keep=1))(batch)
    assert sparse.y.numel() == 12 and sparse.num_edges < 12
    pairs = Batch.from_data_list([Data(edge_index=square, num_nodes=5)] * 3)[0:2]
    small = Batch.from_data_list([*pairs, Data(edge_index=square[:, :0], num_nodes=1)] * 2)
    assert TRANSFORM(small).ptr.tolist() == [0, 5, 10, 11, 16, 21, 22]


def test_refusals(graphs: list[Data]) -> None:
    batch = Batch.from_data_list(graphs)
    batch.edge_index[1, 3] = 45
    with pytest.raises(fg.InputError, match=r"edge_index\[:, 3\] joins two graphs of the batch"):
        TRANSFORM(batch)
    with pytest.raises(fg.InputError, match="graph 1 of the batch: keep=90 is more than"):
        Sparsify(keep=90)(Batch.from_data_list([one_graph(30, 100), one_graph(20, 80)]))
    with pytest.raises(fg.InputError, match="data is a batch without ptr"):
        TRANSFORM(Batch(edge_index=graphs[0].edge_index))
    batch = Batch.from_data_list(graphs)
    batch.ptr = batch.ptr.flip(0)
    with pytest.raises(fg.InputError, match="ptr of data must rise from 0"):
        TRANSFORM(batch)
