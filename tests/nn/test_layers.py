"""What every attention layer promises, on the same graphs."""

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from fastgat.nn import AGNNConv, CosineConv, GaANConv, GATConv, GATv2Conv, SortedArcs

NODES, CHANNELS = 9, 5
# Two components, an isolated node (8), a self-loop (2), the arc 0 -> 1 three times.
ARCS = torch.tensor(
    [[0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 1], [1, 1, 1, 2, 2, 0, 0, 5, 6, 4, 4, 6, 3]]
)

Make = Callable[..., nn.Module]
PROJECTED: dict[str, Make] = {
    "GATConv": lambda **kw: GATConv(CHANNELS, 4, heads=3, **kw),
    "GATv2Conv": lambda **kw: GATv2Conv(CHANNELS, 4, heads=3, **kw),
    "CosineConv": lambda **kw: CosineConv(CHANNELS, 4, heads=3, **kw),
    "GaANConv": lambda **kw: GaANConv(CHANNELS, 4, heads=3, **kw),
    "gated GaANConv": lambda **kw: GaANConv(CHANNELS, 4, heads=3, gated=True, **kw),
}
LAYERS: dict[str, Make] = {**PROJECTED, "AGNNConv": AGNNConv}

every_layer = pytest.mark.parametrize("make", LAYERS.values(), ids=LAYERS.keys())
every_projected = pytest.mark.parametrize("make", PROJECTED.values(), ids=PROJECTED.keys())
both_loops = pytest.mark.parametrize("loops", [True, False], ids=["loops", "no loops"])
both_flows = pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])


def fixed(edge_index: Tensor, num_nodes: int = NODES) -> SortedArcs:
    return SortedArcs.from_edge_index(edge_index, num_nodes)


def features(*shape: int, seed: int = 71, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def seeded(make: Make, seed: int = 1009, **options: Any) -> nn.Module:
    torch.manual_seed(seed)
    return make(**options)


def gradients(layer: nn.Module, out: Tensor) -> dict[str, Tensor]:
    layer.zero_grad()
    out.backward(features(*out.shape, seed=73).to(out))
    return {name: value.grad for name, value in layer.named_parameters() if value.grad is not None}


def assert_same(actual: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    assert actual.keys() == expected.keys()
    for name, value in actual.items():
        torch.testing.assert_close(
            value, expected[name], rtol=1e-5, atol=1e-5, msg=lambda m, n=name: f"{n}: {m}"
        )


@every_projected
@both_loops
@both_flows
def test_attention_rows_sum_to_one(make: Make, loops: bool, flow: str) -> None:
    layer = seeded(make, add_self_loops=loops, flow=flow)
    _, (index, alpha) = layer(features(NODES, CHANNELS), ARCS, return_attention_weights=True)
    target = index[1 if flow == "source_to_target" else 0]
    sums = torch.zeros(NODES, 3).index_add(0, target, alpha)
    has_arcs = torch.zeros(NODES, 3).index_fill(0, target, 1.0)
    torch.testing.assert_close(sums, has_arcs)


@every_layer
@both_loops
@both_flows
def test_relabelling_the_nodes_relabels_the_result(make: Make, loops: bool, flow: str) -> None:
    layer = seeded(make, add_self_loops=loops, flow=flow)
    x, order = features(NODES, CHANNELS), torch.randperm(NODES)
    new_name = torch.argsort(order)
    shuffled = new_name[ARCS][:, torch.randperm(ARCS.size(1))]
    torch.testing.assert_close(layer(x[order], shuffled), layer(x, ARCS)[order])


@every_layer
@both_loops
@both_flows
def test_whole_weights_count_repeated_arcs(make: Make, loops: bool, flow: str) -> None:
    layer = seeded(make, add_self_loops=loops, flow=flow)
    x, counts = features(NODES, CHANNELS), torch.arange(ARCS.size(1)) % 4
    weighted = layer(x, ARCS, edge_weight=counts.float())
    repeated = layer(x, ARCS.repeat_interleave(counts, dim=1))
    torch.testing.assert_close(weighted, repeated, rtol=1e-5, atol=1e-5)
    ones = torch.ones(ARCS.size(1))
    torch.testing.assert_close(layer(x, ARCS, edge_weight=ones), layer(x, ARCS))


@every_layer
def test_weights_keep_precision_over_many_magnitudes(make: Make) -> None:
    layer = seeded(make, add_self_loops=False)
    x, weight = features(NODES, CHANNELS), features(ARCS.size(1)).abs() + 0.1
    expected = layer(x, ARCS, edge_weight=weight)
    for scale in (1e-8, 1e8, 1e-30, 1e30):  # a common factor cancels
        out = layer(x, ARCS, edge_weight=weight * scale)
        torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)


@every_layer
@both_loops
def test_no_nodes_at_all(make: Make, loops: bool) -> None:
    layer, x = seeded(make, add_self_loops=loops), features(0, CHANNELS).requires_grad_()
    out = layer(x, torch.empty(2, 0, dtype=torch.int64))
    assert out.shape == (0, CHANNELS if make is AGNNConv else 12)
    out.sum().backward()
    assert x.grad.shape == (0, CHANNELS)


@pytest.mark.parametrize("make", [GATConv, GATv2Conv])
def test_one_side_without_nodes(make: Make) -> None:
    layer, none = make(CHANNELS, 4, heads=3, residual=True), torch.empty(2, 0, dtype=torch.int64)
    assert layer((features(NODES, CHANNELS), features(0, CHANNELS)), none).shape == (0, 12)
    assert layer((features(0, CHANNELS), features(NODES, CHANNELS)), none).shape == (NODES, 12)


GRAPHS = {
    "mixed": (ARCS, NODES),
    "one node": (torch.empty(2, 0, dtype=torch.int64), 1),
    "isolated nodes": (torch.empty(2, 0, dtype=torch.int64), 3),
    "single arc": (torch.tensor([[0], [1]]), 2),
    "self-loop only": (torch.tensor([[1], [1]]), 2),
    "repeated arcs": (torch.tensor([[0, 0, 0, 2], [1, 1, 1, 1]]), 3),
    "star": (torch.tensor([[1, 2, 3, 4, 0, 0], [0, 0, 0, 0, 1, 2]]), 5),
    "path": (torch.tensor([[0, 1, 2, 1, 2, 3], [1, 2, 3, 0, 1, 2]]), 4),
}


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in LAYERS), *((name, {"dropout": 0.4}) for name in PROJECTED)],
)
@pytest.mark.parametrize("graph", GRAPHS)
@both_loops
def test_gradients_are_those_of_finite_differences(
    name: str, options: dict[str, float], graph: str, loops: bool
) -> None:
    make, (arcs, nodes) = LAYERS[name], GRAPHS[graph]
    layer = seeded(make, add_self_loops=loops, **options).double()
    names = [name for name, _ in layer.named_parameters()]
    weight = features(arcs.size(1), seed=79, dtype=torch.float64).abs() + 0.5

    def call(x: Tensor, weight: Tensor, *parameters: Tensor) -> Tensor:
        torch.manual_seed(83)  # the same mask at every call
        given = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(layer, given, (x, arcs), {"edge_weight": weight})

    x = features(nodes, CHANNELS, dtype=torch.float64).requires_grad_()
    inputs = (x, weight.requires_grad_(), *layer.parameters())
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)


@pytest.mark.parametrize("make", [GATConv, GATv2Conv])
@pytest.mark.parametrize(
    "options",
    [
        {"concat": False, "residual": True},
        {"edge_dim": 2},
        {"edge_dim": 2, "fill_value": "add", "flow": "target_to_source", "bias": False},
        {"negative_slope": 0.7, "add_self_loops": False},
    ],
    ids=str,
)
def test_gradients_with_options(make: Make, options: dict[str, Any]) -> None:
    torch.manual_seed(89)
    layer = make((CHANNELS, 3), 2, heads=2, **options).double()
    names = [name for name, _ in layer.named_parameters()]
    arcs = ARCS % 5

    def call(x: Tensor, y: Tensor, attr: Tensor, *parameters: Tensor) -> Tensor:
        given = dict(zip(names, parameters, strict=True))
        edge_attr = attr if "edge_dim" in options else None
        return torch.func.functional_call(layer, given, ((x, y), arcs, edge_attr))

    inputs = [features(*s, dtype=torch.float64) for s in [(5, CHANNELS), (5, 3), (ARCS.size(1), 2)]]
    leaves = [value.requires_grad_() for value in inputs]
    assert torch.autograd.gradcheck(call, (*leaves, *layer.parameters()), fast_mode=True)


@every_layer
def test_huge_scores_do_not_overflow(make: Make) -> None:
    layer = seeded(make)
    if make is AGNNConv:
        layer.beta.data.fill_(1e4)
        x = features(NODES, CHANNELS)
    else:
        x = features(NODES, CHANNELS) * 1e4
    x.requires_grad_()
    out = layer(x, ARCS)
    assert out.isfinite().all()
    for grad in (*gradients(layer, out).values(), x.grad):
        assert grad.isfinite().all()


@every_layer
def test_a_hub_with_many_arcs(make: Make) -> None:
    many = 100_000
    layer = seeded(make, add_self_loops=False)
    arcs = torch.stack([torch.arange(many) % 50 + 1, torch.zeros(many, dtype=torch.int64)])
    x = features(51, CHANNELS)
    few = torch.stack([torch.arange(50) + 1, torch.zeros(50, dtype=torch.int64)])
    weight = torch.full((50,), many / 50)
    torch.testing.assert_close(
        layer(x, arcs), layer(x, few, edge_weight=weight), rtol=1e-4, atol=1e-4
    )


@every_projected
@pytest.mark.parametrize("loops", [True, False])
def test_mean_over_dropout_is_the_undropped_result(make: Make, loops: bool) -> None:
    draws = 2000
    layer = seeded(make, dropout=0.6, add_self_loops=loops)
    copies = torch.arange(draws).repeat_interleave(ARCS.size(1)) * NODES
    many = ARCS.repeat(1, draws) + copies  # one graph of many copies: as many draws in one call
    x = features(NODES, CHANNELS)
    with torch.no_grad():
        out = layer(x.repeat(draws, 1), many).reshape(draws, NODES, -1)
        expected = layer.eval()(x, ARCS)
    error = out.std(0) / draws**0.5
    assert ((out.mean(0) - expected).abs() <= 4.0 * error + 1e-5).float().mean() > 0.999
    assert (out.std(0)[ARCS[1]] > 0).any()


@every_projected
def test_repeated_arcs_are_dropped_one_by_one(make: Make) -> None:
    layer = seeded(make, dropout=0.5, add_self_loops=False)
    arcs = torch.tensor([[0] * 200, [1] * 200])
    _, (_, alpha) = layer(features(2, CHANNELS), arcs, return_attention_weights=True)
    kept = (alpha > 0).float().mean(0)
    assert ((kept > 0.3) & (kept < 0.7)).all()  # 6 standard errors
    assert not torch.equal(alpha[:, 0] > 0, alpha[:, 1] > 0)


@every_projected
def test_dropping_all_leaves_the_bias(make: Make) -> None:
    layer = seeded(make, dropout=1.0)
    nn.init.ones_(layer.bias)
    assert torch.equal(layer(features(NODES, CHANNELS), ARCS), torch.ones(NODES, 12))
    assert not torch.equal(layer.eval()(features(NODES, CHANNELS), ARCS), torch.ones(NODES, 12))


@every_projected
def test_dropout_follows_the_seed_and_only_in_training(make: Make) -> None:
    layer, x = seeded(make, dropout=0.6), features(NODES, CHANNELS)
    results = []
    for seed in (97, 97, 101):
        torch.manual_seed(seed)
        results.append(layer(x, ARCS))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])
    layer.eval()
    assert torch.equal(layer(x, ARCS), layer(x, ARCS))


@every_projected
@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointing_gives_equal_gradients(make: Make, reentrant: bool) -> None:
    layer = seeded(make, dropout=0.5)
    x = features(NODES, CHANNELS).requires_grad_()
    torch.manual_seed(103)
    expected = gradients(layer, layer(x, ARCS))
    torch.manual_seed(103)
    out = checkpoint(layer, x, ARCS, use_reentrant=reentrant)
    assert_same(gradients(layer, out), expected)


@every_projected
def test_sparse_features_give_the_dense_result(make: Make) -> None:
    layer = seeded(make)
    x = features(NODES, CHANNELS) * (features(NODES, CHANNELS, seed=107) > 0)
    dense = layer(x, ARCS)
    expected = gradients(layer, dense)
    out = layer(x.to_sparse_csr(), ARCS)
    torch.testing.assert_close(out, dense, rtol=1e-5, atol=1e-5)
    assert_same(gradients(layer, out), expected)


@every_layer
@both_loops
@both_flows
def test_sorted_arcs_stand_for_its_edge_index(make: Make, loops: bool, flow: str) -> None:
    layer = seeded(make, add_self_loops=loops, flow=flow)
    x, weight = features(NODES, CHANNELS), features(ARCS.size(1)).abs()
    torch.testing.assert_close(layer(x, fixed(ARCS)), layer(x, ARCS))
    torch.testing.assert_close(
        layer(x, fixed(ARCS), edge_weight=weight), layer(x, ARCS, edge_weight=weight)
    )


@every_projected
@pytest.mark.parametrize("weighted", [True, False])
def test_each_head_on_its_own_graph(make: Make, weighted: bool) -> None:
    layer = seeded(make)
    x = features(NODES, CHANNELS)
    graphs = [ARCS, ARCS[:, :6], ARCS.flip(0)]
    weights = [features(g.size(1), seed=k).abs() for k, g in enumerate(graphs)]
    whole = [
        layer(x, graph, edge_weight=weight if weighted else None).reshape(NODES, 3, 4)
        for graph, weight in zip(graphs, weights, strict=True)
    ]
    expected = torch.stack([out[:, head] for head, out in enumerate(whole)], dim=1)
    given = {"edge_weight": weights} if weighted else {}
    out = layer(x, [fixed(graph) for graph in graphs], **given)
    torch.testing.assert_close(out, expected.reshape(NODES, -1))
    assert_same(gradients(layer, out), gradients(layer, expected.reshape(NODES, -1)))
    _, pairs = layer(x, tuple(graphs), return_attention_weights=True)
    assert [alpha.size(1) for _, alpha in pairs] == [1, 1, 1]


@every_projected
def test_heads_on_equal_graphs_draw_different_masks(make: Make) -> None:
    layer = seeded(make, dropout=0.5)
    graphs = [fixed(ARCS)] * 3
    _, pairs = layer(features(NODES, CHANNELS), graphs, return_attention_weights=True)
    assert not torch.equal(pairs[0][1] > 0, pairs[1][1] > 0)


@every_layer
def test_copies_and_pickles_compute_the_same(make: Make) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    expected = layer(x, ARCS)
    buffer = io.BytesIO()
    torch.save(layer, buffer)
    buffer.seek(0)
    others = [
        copy.deepcopy(layer),
        pickle.loads(pickle.dumps(layer)),
        torch.load(buffer, weights_only=False),
    ]
    for other in others:
        assert torch.equal(other(x, ARCS), expected)
        assert repr(other) == repr(layer)


@every_layer
def test_no_grad(make: Make) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    with torch.no_grad():
        out = layer(x, ARCS)
    assert not out.requires_grad
    with torch.inference_mode():
        assert torch.equal(layer(x, ARCS), out)


@every_layer
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_runs_in_float32(make: Make, dtype: torch.dtype) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    weight = features(ARCS.size(1)).abs()
    expected = layer(x, ARCS, edge_weight=weight)
    with torch.autocast("cpu", dtype=dtype):
        out = layer(x, ARCS, edge_weight=weight)
        half = layer(x.to(dtype), ARCS, edge_weight=weight.to(dtype))
    assert out.dtype == half.dtype == torch.float32
    assert torch.equal(out, expected)
    torch.testing.assert_close(half, expected, rtol=0.05, atol=0.05)


@every_layer
def test_double_precision(make: Make) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    single = layer(x, ARCS)
    double = layer.double()(x.double(), ARCS)
    assert double.dtype == torch.float64
    torch.testing.assert_close(double.float(), single, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", [CosineConv, GaANConv])
def test_lazy_channels(make: Make) -> None:
    layer = make(-1, 4, heads=2)
    assert layer(features(NODES, CHANNELS), ARCS).shape == (NODES, 8)
    assert make(-1, 4, heads=2, concat=False)(features(NODES, 7), ARCS).shape == (NODES, 4)
    fresh = make(-1, 4, heads=2)
    fresh.load_state_dict(layer.state_dict())
    x = features(NODES, CHANNELS)
    assert torch.equal(fresh(x, ARCS), layer(x, ARCS))


def test_cosine_by_hand() -> None:
    layer = seeded(lambda: CosineConv(CHANNELS, 4, add_self_loops=False))
    layer.beta.data.fill_(3.0)
    x = features(3, CHANNELS)
    z = x @ layer.lin.weight.T
    cosines = torch.cosine_similarity(z[2], z[:2])
    expected = torch.softmax(3.0 * cosines, 0) @ z[:2]
    torch.testing.assert_close(layer(x, torch.tensor([[0, 1], [2, 2]]))[2], expected)


def test_gaan_by_hand() -> None:
    layer = seeded(lambda: GaANConv(CHANNELS, 4, add_self_loops=False))
    x = features(3, CHANNELS)

    def network(part: nn.Module, x: Tensor) -> Tensor:
        hidden = nn.functional.leaky_relu(part.hidden(x), 0.1)
        return hidden @ part.weight[0].T + part.bias[0]

    logits = network(layer.fc_dst, x[:2]) @ network(layer.fc_src, x[2])
    expected = torch.softmax(logits, 0) @ (x[:2] @ layer.lin.weight.T)
    torch.testing.assert_close(layer(x, torch.tensor([[0, 1], [2, 2]]))[2], expected)


def test_gates_by_hand() -> None:
    layer = seeded(lambda: GaANConv(CHANNELS, 4, heads=2, gated=True, add_self_loops=False))
    plain = seeded(lambda: GaANConv(CHANNELS, 4, heads=2, add_self_loops=False))
    plain.load_state_dict(layer.state_dict(), strict=False)
    x, gate = features(3, CHANNELS), layer.gate
    arcs = torch.tensor([[0, 1], [2, 2]])
    score = gate.own(x[2]) + gate.of_max(gate.pool(x[:2]).amax(0)) + gate.of_mean(x[:2].mean(0))
    expected = plain(x, arcs)[2].reshape(2, 4) * score.sigmoid().unsqueeze(-1)
    torch.testing.assert_close(layer(x, arcs)[2].reshape(2, 4), expected)


def test_frozen_beta() -> None:
    layer = CosineConv(CHANNELS, 4, requires_grad=False)
    assert [name for name, value in layer.named_parameters() if not value.requires_grad] == ["beta"]


def test_zero_features_have_no_direction() -> None:
    x = torch.zeros(NODES, CHANNELS, requires_grad=True)
    for layer in (AGNNConv(), CosineConv(CHANNELS, 4)):
        out = layer(x, ARCS)
        out.sum().backward()
        assert out.isfinite().all()
        assert x.grad.isfinite().all()


def test_linears_with_hooks_are_called() -> None:
    layer, x = seeded(PROJECTED["GATConv"]), features(NODES, CHANNELS)
    expected = layer(x, ARCS)
    seen: list[Tensor] = []
    layer.lin.register_forward_hook(lambda module, given, out: seen.append(out))
    torch.testing.assert_close(layer(x, ARCS), expected)
    assert len(seen) == 1


@pytest.mark.parametrize("concat", [True, False])
def test_outputs_of_gat_may_be_written_to(concat: bool) -> None:
    layer = GATConv(4, 3, heads=1, concat=concat)
    x, arcs = torch.randn(5, 4), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    expected = torch.autograd.grad(layer(x, arcs).relu().sum(), layer.parameters())
    found = torch.autograd.grad(layer(x, arcs).relu_().sum(), layer.parameters())
    for a, b in zip(found, expected, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("heads", [1, 3, 17])
def test_bias_is_added_once_whoever_adds_it(heads: int, concat: bool) -> None:
    layer = GATConv(4, 5, heads=heads, concat=concat)
    assert layer.bias is not None
    x, arcs = torch.randn(5, 4), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    plain = layer(x, arcs).detach()
    torch.nn.init.normal_(layer.bias)
    for graph in (arcs, [arcs] * heads):  # the kernel, or torch
        out = layer(x, graph)
        torch.testing.assert_close(out, plain + layer.bias)
        upstream = torch.randn_like(out)
        (gradient,) = torch.autograd.grad(out, layer.bias, upstream)
        torch.testing.assert_close(gradient, upstream.sum(0))
    coefficients = layer(x, arcs, return_attention_weights=True)[0]
    torch.testing.assert_close(coefficients, out)
