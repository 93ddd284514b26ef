import torch
from torch_geometric.nn import GCNConv

from experiments.baselines import GCN, baseline_plan
from fastgat.data import NodeTask
from fastgat.nn import SortedArcs


def test_is_a_stack_of_pygs_layers(synthetic: NodeTask) -> None:
    edge_index = SortedArcs.from_graph(synthetic.graph).edge_index()
    weight = torch.rand(edge_index.size(1))
    x = torch.from_numpy(synthetic.features)
    model = GCN(synthetic.num_features, 16, synthetic.num_classes).eval()
    first, last = GCNConv(x.size(1), 16), GCNConv(16, synthetic.num_classes)
    first.load_state_dict(model.layers[0].state_dict())
    last.load_state_dict(model.layers[1].state_dict())
    for given in (None, weight):
        expected = last(first(x, edge_index, given).relu(), edge_index, given)
        assert torch.equal(model(x, edge_index, given), expected)


def test_weights_of_1_change_nothing_and_others_do(synthetic: NodeTask) -> None:
    edge_index = SortedArcs.from_graph(synthetic.graph).edge_index()
    x = torch.from_numpy(synthetic.features)
    model = GCN(synthetic.num_features, 16, synthetic.num_classes).eval()
    ones = torch.ones(edge_index.size(1))
    plain = model(x, edge_index)
    assert torch.allclose(model(x, edge_index, ones), plain, atol=1e-6)
    assert not torch.allclose(model(x, edge_index, 3 * ones), plain, atol=1e-3)


def test_learns(synthetic: NodeTask) -> None:
    plan = baseline_plan(synthetic, "GCN", seed=3)
    assert plan.run(synthetic).scores["test"] > 0.6
