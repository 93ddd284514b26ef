"""What a layer is to torch, and the formulas of single layers by hand."""

import copy
import io
import pickle
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from attention_layers import (
    ARCS,
    CHANNELS,
    NODES,
    PROJECTED,
    Make,
    assert_same,
    both_flows,
    both_loops,
    every_layer,
    every_projected,
    features,
    gradients,
    seeded,
)
from fastgat.nn import AGNNConv, CosineConv, GaANConv, GATConv, GATv2Conv, SortedArcs
from fastgat.nn.projection import LayerLinear


def fixed(edge_index: Tensor, num_nodes: int = NODES) -> SortedArcs:
    return SortedArcs.from_edge_index(edge_index, num_nodes)


@pytest.mark.parametrize("make", [GATConv, GATv2Conv])
def test_one_side_without_nodes(make: Make) -> None:
    layer, none = make(CHANNELS, 4, heads=3, residual=True), torch.empty(2, 0, dtype=torch.int64)
    assert layer((features(NODES, CHANNELS), features(0, CHANNELS)), none).shape == (0, 12)
    assert layer((features(0, CHANNELS), features(NODES, CHANNELS)), none).shape == (NODES, 12)


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


@every_projected
@pytest.mark.parametrize(
    "register", ["register_full_backward_hook", "register_full_backward_pre_hook"]
)
def test_backward_hooks_of_linears_are_called(make: Make, register: str) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS).requires_grad_()
    expected = gradients(layer, layer(x, ARCS))
    linears = [child for child in layer.children() if isinstance(child, LayerLinear)]
    assert linears
    seen: list[nn.Module] = []
    for linear in linears:
        getattr(linear, register)(lambda module, *_: seen.append(module))
    assert_same(gradients(layer, layer(x, ARCS)), expected)
    assert set(seen) == set(linears)


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
