"""Relations are sparsified one by one; a relation and its reverse keep the same edges."""

import pytest
import torch
from torch_geometric.data import Batch, HeteroData
from torch_geometric.transforms import ToUndirected

import fastgat as fg
from fastgat.pyg import Sparsify, seed_of_graph

RATES = ("user", "rates", "film")
KNOWS = ("user", "knows", "user")
TRANSFORM = Sparsify(sparsifier=fg.UniformSparsifier(keep=0.4), seed=9)


def made(seed: int = 3) -> HeteroData:
    generator = torch.Generator().manual_seed(seed)
    data = HeteroData()
    data["user"].x = torch.rand(12, 2, generator=generator)
    data["film"].x = torch.rand(7, 3, generator=generator)
    for relation, targets in {RATES: 7, KNOWS: 12}.items():
        pairs = torch.randperm(12 * targets, generator=generator)[:50]
        index = torch.stack([pairs // targets, pairs % targets])
        data[relation].edge_index = index
        data[relation].edge_attr = index.T.clone()
    data["film", "in", "list"].edge_index = torch.zeros(2, 0, dtype=torch.long)
    data["user", "of", "film"].note = "declared"
    return data


def pairs(index: torch.Tensor) -> set[tuple[int, int]]:
    return set(zip(*index.tolist(), strict=True))


def test_a_bipartite_relation_is_the_graph_on_both_types() -> None:
    data = made()
    sparse = TRANSFORM(data)
    source, target = data[RATES].edge_index.numpy()
    graph = fg.Graph.from_edges(target, source + 7, num_nodes=19)  # film comes before user
    drawn = TRANSFORM.sparsifier.sparsify(graph, seed=9)
    kept = set(zip((drawn.target - 7).tolist(), drawn.source.tolist(), strict=True))
    assert pairs(sparse[RATES].edge_index) == kept


def test_relations_within_a_type_keep_whole_edges() -> None:
    data = made()
    sparse = TRANSFORM(data)
    kept = pairs(sparse[KNOWS].edge_index)
    everything = pairs(data[KNOWS].edge_index)
    assert 0 < len(kept) < len(everything)
    assert kept == {(u, v) for u, v in everything if {(u, v), (v, u)} & kept or u == v}


def test_attributes_follow_and_the_rest_stays() -> None:
    data = made()
    sparse = TRANSFORM(data)
    for relation in (RATES, KNOWS):
        assert torch.equal(sparse[relation].edge_attr, sparse[relation].edge_index.T)
        assert sparse[relation].edge_weight.numel() == sparse[relation].num_edges
        assert data[relation].num_edges == 50
    assert sparse["film", "in", "list"].edge_weight.numel() == 0
    assert sparse["user", "of", "film"].to_dict() == {"note": "declared"}
    assert sparse["user"].x is data["user"].x


def test_a_relation_and_its_reverse_keep_the_same_edges() -> None:
    data = made()
    del data["film", "in", "list"], data["user", "of", "film"]
    sparse = TRANSFORM(ToUndirected()(data))
    one, other = sparse[RATES], sparse["film", "rev_rates", "user"]
    assert torch.equal(one.edge_index, other.edge_index.flip(0))
    assert torch.equal(one.edge_weight, other.edge_weight)


def test_batches_of_heterogeneous_graphs() -> None:
    graphs = [made(seed) for seed in (1, 2, 3)]
    for graph in graphs:
        del graph["film", "in", "list"], graph["user", "of", "film"]
    found = TRANSFORM(Batch.from_data_list(graphs)).to_data_list()
    for k, (one, graph) in enumerate(zip(found, graphs, strict=True)):
        alone = Sparsify(sparsifier=TRANSFORM.sparsifier, seed=seed_of_graph(9, k))(graph)
        for relation in (RATES, KNOWS):
            for name, value in alone[relation].items():
                assert torch.equal(one[relation][name], value)


def test_refusals() -> None:
    data = made()
    data[RATES].edge_index[1, 4] = 7
    with pytest.raises(
        fg.InputError,
        match=r"relation \('user', 'rates', 'film'\): edge_index\[1, 4\] names node 7, "
        r"but num_nodes=7",
    ):
        TRANSFORM(data)
    data = HeteroData()
    data["a", "b"].edge_index = torch.tensor([[0], [1]])
    with pytest.raises(fg.InputError, match=r"does not know its number of nodes; set data\['a'\]"):
        TRANSFORM(data)
