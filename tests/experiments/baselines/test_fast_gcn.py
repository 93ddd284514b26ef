import torch
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.nn import GCNConv

from experiments.baselines import FastGCN, baseline_plan
from experiments.baselines.fast_gcn import NormalisedAdjacency
from fastgat.data import NodeTask
from fastgat.nn import SortedArcs


def arcs(task: NodeTask) -> Tensor:
    return SortedArcs.from_graph(task.graph).edge_index()


def dense(task: NodeTask) -> Tensor:
    count = task.num_nodes
    matrix = torch.eye(count)
    matrix[arcs(task)[1], arcs(task)[0]] = 1
    scale = matrix.sum(1).rsqrt()
    return scale[:, None] * matrix * scale


def test_adjacency_is_the_normalised_one(synthetic: NodeTask) -> None:
    adjacency = NormalisedAdjacency.of(arcs(synthetic), synthetic.num_nodes)
    matrix = dense(synthetic)
    assert torch.allclose(adjacency.multiply(torch.eye(synthetic.num_nodes)), matrix, atol=1e-6)
    norms = matrix.square().sum(0)
    assert torch.allclose(adjacency.probability, norms / norms.sum(), atol=1e-7)
    rows, columns = torch.tensor([5, 0, 17]), torch.tensor([3, 5, 40, 41])
    assert torch.allclose(adjacency.block(rows, columns), matrix[rows][:, columns], atol=1e-6)


def test_stored_loops_change_nothing() -> None:
    edges = torch.tensor([[0, 1, 1], [1, 0, 1]])
    with_loop, without = (NormalisedAdjacency.of(e, 3) for e in (edges, edges[:, :2]))
    assert torch.equal(with_loop.weight, without.weight)
    assert with_loop.probability.tolist() == without.probability.tolist()


def test_a_sampled_layer_is_unbiased(synthetic: NodeTask) -> None:
    torch.manual_seed(7)
    adjacency = NormalisedAdjacency.of(arcs(synthetic), synthetic.num_nodes)
    rows, hidden = torch.arange(30), torch.randn(synthetic.num_nodes, 3)
    draws = []
    for _ in range(2000):
        columns, factor = adjacency.sample(50)
        draws.append(adjacency.block(rows, columns) * factor @ hidden[columns])
    estimates = torch.stack(draws)
    error = estimates.std(0) / len(draws) ** 0.5
    exact = (dense(synthetic) @ hidden)[rows]
    assert ((estimates.mean(0) - exact).abs() < 4 * error).float().mean() > 0.98
    z = (estimates.mean(0) - exact) / error
    assert z.mean().abs() < 4 * z.numel() ** -0.5 * 3  # rows share their draws


def test_the_network_without_sampling_is_a_gcn(synthetic: NodeTask) -> None:
    model = FastGCN(synthetic.num_features, 16, synthetic.num_classes).eval()
    x = torch.from_numpy(synthetic.features)
    layers = [GCNConv(*layer.weight.shape[::-1], bias=False) for layer in model.layers]
    for ours, theirs in zip(model.layers, layers, strict=True):
        theirs.lin.weight = ours.weight
    hidden = layers[0](normalize(x, p=1), arcs(synthetic)).relu()
    expected = layers[1](hidden, arcs(synthetic))
    assert torch.allclose(model(x, arcs(synthetic)), expected, atol=1e-5)


def test_many_samples_approach_the_whole_network(synthetic: NodeTask) -> None:
    torch.manual_seed(7)
    model = FastGCN(
        synthetic.num_features, 16, synthetic.num_classes, num_sampled=2_000_000, num_layers=3
    )
    x, nodes = torch.from_numpy(synthetic.features), torch.tensor([0, 3, 599])
    exact = model(x, arcs(synthetic))[nodes]
    assert torch.allclose(model.forward_nodes(x, arcs(synthetic), nodes), exact, atol=0.05)


def test_gradients_reach_every_layer(synthetic: NodeTask) -> None:
    model = FastGCN(synthetic.num_features, 16, synthetic.num_classes)
    x = torch.from_numpy(synthetic.features)
    for out in (
        model(x, arcs(synthetic)),
        model.forward_nodes(x, arcs(synthetic), torch.arange(60)),
    ):
        model.zero_grad()
        out.square().sum().backward()
        assert all(layer.weight.grad.abs().sum() > 0 for layer in model.layers)


def test_the_penalty_is_of_the_first_layer_alone(synthetic: NodeTask) -> None:
    model = FastGCN(synthetic.num_features, 16, synthetic.num_classes, l2_weight=0.5)
    model.penalty().backward()
    first, last = model.layers
    assert torch.allclose(first.weight.grad, 0.5 * first.weight)
    assert last.weight.grad is None


def test_learns(synthetic: NodeTask) -> None:
    plan = baseline_plan(synthetic, "FastGCN-400", seed=3, epochs=100)
    assert plan.run(synthetic).scores["test"] > 0.6


def test_sparse_features_give_the_same(synthetic: NodeTask) -> None:
    model = FastGCN(synthetic.num_features, 16, synthetic.num_classes, num_sampled=50).eval()
    x, edge_index = torch.from_numpy(synthetic.features).clamp_min(0), arcs(synthetic)
    x[3] = 0
    sparse, nodes = x.to_sparse_csr(), torch.arange(20)
    assert torch.allclose(model(x, edge_index), model(sparse, edge_index), atol=1e-5)
    estimates = []
    for given in (x, sparse):
        torch.manual_seed(7)
        estimates.append(model.forward_nodes(given, edge_index, nodes))
    assert torch.allclose(*estimates, atol=1e-5)
