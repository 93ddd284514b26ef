"""Sparsify inside PyG's datasets and loaders, and before PyG's models."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric import typing as pyg_typing
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.loader import (
    ClusterData,
    ClusterLoader,
    DataLoader,
    NeighborLoader,
    RandomNodeLoader,
)
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, TransformerConv
from torch_geometric.utils import is_undirected

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.pyg import Sparsify

NODES = 60
TRANSFORM = Sparsify(keep=0.4, sampling="independent", seed=3)


def make(seed: int) -> Data:
    data = block_model(NODES, 500, num_communities=3, seed=seed)[0].to_pyg()
    data.x = torch.rand(NODES, 5, generator=torch.Generator().manual_seed(seed))
    data.edge_attr = data.edge_index.T.float() / NODES
    return data


class Graphs(InMemoryDataset):  # type: ignore[misc]
    """Four graphs, stored once."""

    def __init__(self, root: Path, **options: Any) -> None:
        super().__init__(str(root), **options)
        self.load(self.processed_paths[0])

    @property
    def processed_file_names(self) -> str:
        return "graphs.pt"

    def process(self) -> None:
        graphs = [make(seed) for seed in range(4)]
        if self.pre_transform is not None:
            graphs = [self.pre_transform(graph) for graph in graphs]
        self.save(graphs, self.processed_paths[0])


def same_arcs(one: Data, other: Data) -> bool:
    return torch.equal(one.edge_index, other.edge_index)


def test_as_transform_and_pre_transform(tmp_path: Path) -> None:
    before = Graphs(tmp_path / "before", pre_transform=TRANSFORM)
    always = Graphs(tmp_path / "always", transform=TRANSFORM)
    for seed in range(4):
        expected = TRANSFORM(make(seed))
        for dataset in (before, always):
            assert same_arcs(dataset[seed], expected)
            assert torch.equal(dataset[seed].edge_weight, expected.edge_weight)


def test_stored_graphs_of_other_options_are_noticed(tmp_path: Path) -> None:
    Graphs(tmp_path, pre_transform=TRANSFORM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graphs(tmp_path, pre_transform=Sparsify(keep=0.4, sampling="independent", seed=3))
    with pytest.warns(UserWarning, match="differs from the one used"):
        Graphs(tmp_path, pre_transform=Sparsify(keep=0.4, sampling="independent", seed=4))


@pytest.mark.parametrize("context", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_loaders_with_workers_give_what_one_process_gives(tmp_path: Path, context: str) -> None:
    dataset = Graphs(tmp_path, transform=TRANSFORM)
    alone = list(DataLoader(dataset, batch_size=2))  # the core has threads before it is forked
    workers = DataLoader(
        dataset, batch_size=2, num_workers=1, multiprocessing_context=context, timeout=60
    )
    for one, other in zip(alone, workers, strict=True):
        assert same_arcs(one, other) and torch.equal(one.edge_weight, other.edge_weight)


def test_batches_of_a_loader(tmp_path: Path) -> None:
    for batch in DataLoader(Graphs(tmp_path), batch_size=4):
        sparse = TRANSFORM(batch)
        assert same_arcs(sparse[0], TRANSFORM(make(0)))
        assert torch.equal(sparse.edge_attr, (sparse.edge_index % NODES).T / NODES)


def test_random_node_loader() -> None:
    sparse = TRANSFORM(make(1))
    parts = list(RandomNodeLoader(sparse, num_parts=3))
    assert sum(part.num_nodes for part in parts) == NODES
    for part in parts:
        assert part.edge_weight.numel() == part.num_edges
        assert is_undirected(TRANSFORM(part).edge_index)


@pytest.mark.skipif(
    not (pyg_typing.WITH_PYG_LIB or pyg_typing.WITH_TORCH_SPARSE),
    reason="NeighborLoader needs pyg-lib or torch-sparse",
)
def test_neighbor_loader() -> None:
    sparse = TRANSFORM(make(1))
    loader = NeighborLoader(sparse, num_neighbors=[5, 5], batch_size=20, transform=TRANSFORM)
    for batch in loader:
        assert batch.edge_weight.numel() == batch.num_edges


@pytest.mark.skipif(
    not (getattr(pyg_typing, "WITH_METIS", False) or pyg_typing.WITH_TORCH_SPARSE),
    reason="ClusterData needs METIS, of pyg-lib or torch-sparse",
)
def test_cluster_data() -> None:
    for part in ClusterLoader(ClusterData(TRANSFORM(make(1)), num_parts=3)):
        assert part.edge_weight.numel() == part.num_edges


MODELS: dict[str, Callable[[Data], torch.Tensor]] = {
    "gcn": lambda data: GCNConv(5, 4)(data.x, data.edge_index, data.edge_weight),
    "gat": lambda data: GATConv(5, 4, heads=2)(data.x, data.edge_index),
    "gat with weights": lambda data: GATConv(5, 4, edge_dim=1)(
        data.x, data.edge_index, data.edge_weight
    ),
    "sage": lambda data: SAGEConv(5, 4)(data.x, data.edge_index),
    "transformer": lambda data: TransformerConv(5, 4, edge_dim=2)(
        data.x, data.edge_index, data.edge_attr
    ),
    "ours": lambda data: fg.nn.GATConv(5, 4)(data.x, data.edge_index, edge_weight=data.edge_weight),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_models_run_on_what_comes_out(model: Callable[[Data], torch.Tensor]) -> None:
    out = model(TRANSFORM(make(2)))
    assert out.size(0) == NODES and out.isfinite().all()
    out.sum().backward()


def test_weights_keep_sums_over_neighbours_on_average() -> None:
    """The mean over draws is the full graph's sum: what the new weights are for."""
    data = make(2)
    layer = GCNConv(5, 4, normalize=False, bias=False)
    full = layer(data.x, data.edge_index)
    draws = [Sparsify(keep=0.4, sampling="independent", seed=seed)(data) for seed in range(200)]
    mean = sum(layer(draw.x, draw.edge_index, draw.edge_weight) for draw in draws) / len(draws)
    assert (mean - full).norm() < 0.06 * full.norm()
    bare = sum(layer(draw.x, draw.edge_index) for draw in draws) / len(draws)
    assert (bare - full).norm() > 0.4 * full.norm()
