"""What every attention layer promises, on the same graphs."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from attention_layers import (
    ARCS,
    CHANNELS,
    HEADS,
    LAYERS,
    NODES,
    PROJECTED,
    WIDTH,
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
from fastgat import _core
from fastgat import nn as layers
from fastgat.nn import ProjectedConv, SortedArcs
from fastgat.nn.attention import Scores
from fastgat.nn.conv import AttentionConv

NO_ARCS = torch.empty(2, 0, dtype=torch.int64)
GRAPHS = {
    "mixed": (ARCS, NODES),
    "one node": (NO_ARCS, 1),
    "isolated nodes": (NO_ARCS, 3),
    "single arc": (torch.tensor([[0], [1]]), 2),
    "self-loop only": (torch.tensor([[1], [1]]), 2),
    "repeated arcs": (torch.tensor([[0, 0, 0, 2], [1, 1, 1, 1]]), 3),
    "star": (torch.tensor([[1, 2, 3, 4, 0, 0], [0, 0, 0, 0, 1, 2]]), 5),
    "path": (torch.tensor([[0, 1, 2, 1, 2, 3], [1, 2, 3, 0, 1, 2]]), 4),
    "two components": (torch.tensor([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2]]), 5),
}
every_graph = pytest.mark.parametrize(("arcs", "nodes"), GRAPHS.values(), ids=GRAPHS)


def with_bias(layer: nn.Module) -> Tensor:
    """What a row without arcs should be, once the layer's bias, if it has one, is not zero."""
    bias = getattr(layer, "bias", None)
    return torch.zeros(1) if bias is None else nn.init.normal_(bias).detach()


def test_every_layer_is_in_this_test() -> None:
    ours = {kind for kind in vars(layers).values() if isinstance(kind, type)}
    ours = {kind for kind in ours if issubclass(kind, AttentionConv)} - {ProjectedConv}  # a base
    assert ours and ours <= {type(make()) for make in LAYERS.values()}


# -- What attention is --


@every_projected
@both_loops
@both_flows
def test_attention_rows_sum_to_one(make: Make, loops: bool, flow: str) -> None:
    layer = seeded(make, add_self_loops=loops, flow=flow)
    _, (index, alpha) = layer(features(NODES, CHANNELS), ARCS, return_attention_weights=True)
    target = index[1 if flow == "source_to_target" else 0]
    sums = torch.zeros(NODES, HEADS).index_add(0, target, alpha)
    has_arcs = torch.zeros(NODES, HEADS).index_fill(0, target, 1.0)
    torch.testing.assert_close(sums, has_arcs)


@every_layer
@every_graph
def test_equal_features_come_out_as_through_one_arc(make: Make, arcs: Tensor, nodes: int) -> None:
    """Rows sum to one in the kernel too, which shows no coefficients."""
    layer, x = seeded(make, add_self_loops=False), features(1, CHANNELS).expand(nodes, -1)
    weight = 10.0 ** torch.linspace(-8, 8, arcs.size(1))
    expected = layer(x, torch.arange(nodes).expand(2, -1).contiguous())
    reached = arcs[1].unique()
    out = layer(x.contiguous(), arcs, edge_weight=weight)
    torch.testing.assert_close(out[reached], expected[reached], rtol=1e-5, atol=1e-5)


@every_layer
@every_graph
@both_flows
def test_a_node_without_arcs_gets_the_bias_alone(
    make: Make, arcs: Tensor, nodes: int, flow: str
) -> None:
    layer = seeded(make, add_self_loops=False, flow=flow)
    bias, x = with_bias(layer), features(nodes, CHANNELS)
    target = arcs[1 if flow == "source_to_target" else 0]
    alone = torch.ones(nodes, dtype=torch.bool).index_fill(0, target, False)
    out = layer(x, arcs)
    assert torch.equal(out[alone], bias.expand_as(out[alone]))
    assert not torch.equal(out[~alone], bias.expand_as(out[~alone])) or alone.all()
    out = layer(x, arcs, edge_weight=torch.zeros(arcs.size(1)))  # arcs that do not count
    torch.testing.assert_close(out, bias.expand_as(out))


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
    out = layer(x, NO_ARCS)
    assert out.shape == (0, layer(features(1, CHANNELS), NO_ARCS).size(1))
    out.sum().backward()
    assert x.grad.shape == (0, CHANNELS)


@every_layer
@pytest.mark.parametrize("scale", [-1e4, 1e4])
def test_huge_scores_do_not_overflow(make: Make, scale: float) -> None:
    layer, x = seeded(make), features(NODES, CHANNELS)
    if hasattr(layer, "beta"):  # scores are cosines
        layer.beta.data.fill_(scale)
    else:
        x = x * scale
    out = layer(x.requires_grad_(), ARCS)
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


# -- The kernel beside plain torch, finite differences, and itself on other threads --


@every_layer
@every_graph
@both_loops
@pytest.mark.parametrize("spread", [None, 0, 8], ids=["unweighted", "weighted", "1e-8 to 1e8"])
def test_the_kernel_agrees_with_plain_torch(
    make: Make,
    arcs: Tensor,
    nodes: int,
    loops: bool,
    spread: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer, results = seeded(make, add_self_loops=loops).double(), []
    weight = None
    if spread is not None:
        powers = torch.linspace(-spread, spread, arcs.size(1), dtype=torch.float64)
        weight = 10.0**powers * (features(arcs.size(1), seed=79).abs() + 0.5)
    for _ in range(2):
        x = features(nodes, CHANNELS, dtype=torch.float64).requires_grad_()
        out = layer(x, arcs, edge_weight=weight)
        found = gradients(layer, out)
        results.append({"out": out.detach(), "x": x.grad, **found})
        for family in Scores.__subclasses__():
            monkeypatch.setattr(family, "attend", Scores.attend)
    assert_same(*results, tolerance=1e-9)


def assert_gradients(make: Make, arcs: Tensor, nodes: int, **options: object) -> None:
    layer = seeded(make, **options).double()
    names = [name for name, _ in layer.named_parameters()]
    weight = features(arcs.size(1), seed=79, dtype=torch.float64).abs() + 0.5

    def call(x: Tensor, weight: Tensor, *parameters: Tensor) -> Tensor:
        torch.manual_seed(83)  # the same mask at every call
        given = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(layer, given, (x, arcs), {"edge_weight": weight})

    x = features(nodes, CHANNELS, dtype=torch.float64).requires_grad_()
    inputs = (x, weight.requires_grad_(), *layer.parameters())
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)


@every_layer
@every_graph
@both_loops
def test_gradients_are_those_of_finite_differences(
    make: Make, arcs: Tensor, nodes: int, loops: bool
) -> None:
    assert_gradients(make, arcs, nodes, add_self_loops=loops)


@every_projected
@every_graph
@both_loops
def test_gradients_under_dropout(make: Make, arcs: Tensor, nodes: int, loops: bool) -> None:
    assert_gradients(make, arcs, nodes, add_self_loops=loops, dropout=0.4)


@pytest.fixture
def threads() -> Iterator[list[int]]:
    """Give the numbers of threads to try; the number is put back afterwards."""
    ours, torchs = _core.num_threads(), torch.get_num_threads()
    yield [1, 2]
    _core.set_num_threads(ours)
    torch.set_num_threads(torchs)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in LAYERS), *((name, {"dropout": 0.5}) for name in PROJECTED)],
)
def test_any_number_of_threads_gives_the_same_bits(
    name: str, options: dict[str, float], threads: list[int]
) -> None:
    layer = seeded(LAYERS[name], **options)
    random = torch.Generator().manual_seed(97)
    arcs = torch.randint(2000, (2, 30_000), generator=random)
    results = []
    for count in threads:
        _core.set_num_threads(count)
        torch.set_num_threads(count)
        x = features(2000, CHANNELS).requires_grad_()
        torch.manual_seed(89)
        out = layer(x, arcs)
        results.append({"out": out.detach(), **gradients(layer, out), "x": x.grad})
    one, two = results
    assert [name for name in one if not torch.equal(one[name], two[name])] == []


# -- Dropout --


@every_projected
@both_loops
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
    ones = torch.ones(NODES, WIDTH)
    assert torch.equal(layer(features(NODES, CHANNELS), ARCS), ones)
    assert not torch.equal(layer.eval()(features(NODES, CHANNELS), ARCS), ones)


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


# -- A graph per head --


@every_projected
@pytest.mark.parametrize("weighted", [True, False])
def test_each_head_on_its_own_graph(make: Make, weighted: bool) -> None:
    layer = seeded(make)
    x = features(NODES, CHANNELS)
    graphs = [ARCS, ARCS[:, :6], ARCS.flip(0)]
    weights = [features(g.size(1), seed=k).abs() for k, g in enumerate(graphs)]
    whole = [
        layer(x, graph, edge_weight=weight if weighted else None).reshape(NODES, HEADS, -1)
        for graph, weight in zip(graphs, weights, strict=True)
    ]
    expected = torch.stack([out[:, head] for head, out in enumerate(whole)], dim=1)
    given = {"edge_weight": weights} if weighted else {}
    out = layer(x, [SortedArcs.from_edge_index(graph, NODES) for graph in graphs], **given)
    torch.testing.assert_close(out, expected.reshape(NODES, -1))
    assert_same(gradients(layer, out), gradients(layer, expected.reshape(NODES, -1)))
    _, pairs = layer(x, tuple(graphs), return_attention_weights=True)
    assert [alpha.size(1) for _, alpha in pairs] == [1, 1, 1]


@every_projected
def test_heads_on_equal_graphs_draw_different_masks(make: Make) -> None:
    layer = seeded(make, dropout=0.5)
    graphs = [SortedArcs.from_edge_index(ARCS, NODES)] * HEADS
    _, pairs = layer(features(NODES, CHANNELS), graphs, return_attention_weights=True)
    assert not torch.equal(pairs[0][1] > 0, pairs[1][1] > 0)
