import pytest
import torch
from torch.nn.functional import normalize
from torch_geometric.nn import SAGEConv

from experiments.baselines import GraphSAGE, baseline_plan
from experiments.baselines.neighbour_lists import NeighbourLists, sample_neighbours
from fastgat.check import InputError
from fastgat.data import NodeTask, load_dataset
from fastgat.nn import SortedArcs

# Node 0 has 6 neighbours, node 1 two, node 2 none.
STAR = torch.tensor([[3, 4, 5, 6, 7, 8, 3, 4], [0, 0, 0, 0, 0, 0, 1, 1]])


def test_sampled_neighbours_are_neighbours(synthetic: NodeTask) -> None:
    edge_index = SortedArcs.from_graph(synthetic.graph).edge_index()
    lists = NeighbourLists.of(edge_index, synthetic.num_nodes)
    known = set(zip(*edge_index.tolist(), strict=True))
    nodes = torch.randperm(synthetic.num_nodes)[:200]
    row, neighbour = sample_neighbours(lists, nodes, 10)
    assert set(zip(neighbour.tolist(), nodes[row].tolist(), strict=True)) <= known
    assert (row.diff() >= 0).all()
    degree = lists.degree[nodes]
    assert torch.bincount(row, minlength=200).tolist() == torch.where(degree > 0, 10, 0).tolist()


def test_without_replacement_where_there_are_enough() -> None:
    lists = NeighbourLists.of(STAR, 9)
    row, neighbour = sample_neighbours(lists, torch.tensor([0, 1, 2, 0]), 4)
    assert torch.bincount(row, minlength=4).tolist() == [4, 4, 0, 4]
    for place in (0, 3):
        assert neighbour[row == place].unique().numel() == 4
    assert set(neighbour[row == 1].tolist()) <= {3, 4}
    exact = sample_neighbours(lists, torch.tensor([0]), 6)[1]
    assert sorted(exact.tolist()) == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(("node", "first", "last"), [(0, 3, 8), (1, 3, 4)])
def test_neighbours_are_drawn_uniformly(node: int, first: int, last: int) -> None:
    torch.manual_seed(7)
    trials, count = 4000, 3
    _, neighbour = sample_neighbours(NeighbourLists.of(STAR, 9), torch.full((trials,), node), count)
    found = torch.bincount(neighbour, minlength=9)[first : last + 1] / (trials * count)
    share = 1 / (last - first + 1)
    error = (share * (1 - share) / (trials * count)) ** 0.5
    assert ((found - share).abs() < 4 * error).all()
    assert found.sum() == pytest.approx(1)


def test_forward_is_pygs_layers_on_all_neighbours(synthetic: NodeTask) -> None:
    edge_index = SortedArcs.from_graph(synthetic.graph).edge_index()
    model = GraphSAGE(synthetic.num_features, 16, synthetic.num_classes).eval()
    hidden = torch.from_numpy(synthetic.features)
    expected = hidden
    for layer in model.layers:
        assert isinstance(layer, SAGEConv)
        expected = normalize(layer(expected, edge_index).relu())
    expected = model.classifier(expected)
    assert torch.allclose(model(hidden, edge_index), expected, atol=1e-5)


def test_as_many_neighbours_as_there_are_give_the_whole_network() -> None:
    x = torch.randn(9, 5)
    ring = torch.arange(9)
    edge_index = torch.stack([torch.cat([ring, (ring + 1) % 9]), torch.cat([(ring + 1) % 9, ring])])
    model = GraphSAGE(5, 16, 3, num_neighbors=(2, 2))
    nodes = torch.tensor([4, 0])
    sampled = model.forward_nodes(x, edge_index, nodes)
    assert torch.allclose(sampled, model(x, edge_index)[nodes], atol=1e-6)
    sampled.sum().backward()
    assert all(layer.lin_l.weight.grad.abs().sum() > 0 for layer in model.layers)


def test_isolated_nodes_and_no_arcs() -> None:
    x, none = torch.randn(3, 5), torch.empty(2, 0, dtype=torch.long)
    model = GraphSAGE(5, 16, 3)
    out = model.forward_nodes(x, none, torch.tensor([1, 2]))
    assert torch.allclose(out, model(x, none)[1:], atol=1e-6)


def test_learns(synthetic: NodeTask) -> None:
    plan = baseline_plan(synthetic, "GraphSAGE", seed=3, epochs=10)
    assert plan.run(synthetic).scores["test"] > 0.6


def test_several_labels_on_several_graphs() -> None:
    task = load_dataset("ppi-like", num_nodes=2400, num_edges=12_000, num_classes=12, seed=3)
    record = baseline_plan(task, "GraphSAGE", seed=3, epochs=5).run(task)
    assert record.scores["test"] > 0.65  # every label everywhere gives 0.5


def test_refusals() -> None:
    with pytest.raises(InputError, match="num_neighbors is empty"):
        GraphSAGE(5, 16, 3, num_neighbors=())
    with pytest.raises(InputError, match="num_neighbors=0"):
        GraphSAGE(5, 16, 3, num_neighbors=(3, 0))
