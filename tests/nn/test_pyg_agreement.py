"""Our layers are PyG's: values, gradients, parameters, initialisation, printed form."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
import torch_geometric.nn as pyg
from torch import Tensor
from torch_geometric import EdgeIndex
from torch_geometric.utils import to_torch_csc_tensor, to_torch_sparse_tensor

import fastgat.nn as ours
from attention_layers import ARCS, NODES, features

UNIQUE = torch.unique(ARCS, dim=1)
PAIRS = [("GATConv", (5, 4)), ("GATv2Conv", (5, 4)), ("AGNNConv", ())]


def pair(name: str, *args: Any, **kwargs: Any) -> tuple[torch.nn.Module, torch.nn.Module]:
    """Make our layer and PyG's from the same seed."""
    layers = []
    for module in (ours, pyg):
        torch.manual_seed(1009)
        layers.append(getattr(module, name)(*args, **kwargs))
    return layers[0], layers[1]


def run(layer: torch.nn.Module, inputs: dict[str, Any], out_of: Callable[[Any], Tensor]) -> Any:
    """Output, and gradients by name of every float input and parameter."""
    given: dict[str, Any] = {}
    leaves: dict[str, Tensor] = {}
    for name, value in inputs.items():
        parts = value if isinstance(value, tuple) else (value,)
        fresh = []
        for number, part in enumerate(parts):
            dense = isinstance(part, Tensor) and part.layout == torch.strided
            if dense and part.is_floating_point():
                part = part.clone().requires_grad_()
                leaves[f"{name}[{number}]"] = part
            fresh.append(part)
        given[name] = tuple(fresh) if isinstance(value, tuple) else fresh[0]
    out = out_of(layer(**given))
    layer.zero_grad()
    out.backward(features(*out.shape, seed=73).to(out))
    leaves |= dict(layer.named_parameters())
    grads = {n: torch.zeros_like(v) if v.grad is None else v.grad for n, v in leaves.items()}
    return out.detach(), grads


def assert_agree(
    mine: torch.nn.Module,
    theirs: torch.nn.Module,
    out_of: Callable[[Any], Tensor] = lambda out: out,
    **inputs: Any,
) -> None:
    out, grads = run(mine, inputs, out_of)
    expected, expected_grads = run(theirs, inputs, out_of)
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)
    assert grads.keys() == expected_grads.keys()
    for name, grad in grads.items():
        torch.testing.assert_close(
            grad, expected_grads[name], rtol=1e-5, atol=1e-5, msg=lambda m, n=name: f"{n}: {m}"
        )


GRID = list(
    product(
        ["GATConv", "GATv2Conv"],
        [1, 3],
        [True, False],
        [None, 2],
        [True, False],
        [True, False],
        ["source_to_target", "target_to_source"],
    )
)


@pytest.mark.parametrize(("name", "heads", "concat", "edge_dim", "residual", "loops", "flow"), GRID)
def test_option_grid(
    name: str,
    heads: int,
    concat: bool,
    edge_dim: int | None,
    residual: bool,
    loops: bool,
    flow: str,
) -> None:
    mine, theirs = pair(
        name,
        5,
        4,
        heads=heads,
        concat=concat,
        edge_dim=edge_dim,
        residual=residual,
        add_self_loops=loops,
        flow=flow,
    )
    extra = {} if edge_dim is None else {"edge_attr": features(ARCS.size(1), edge_dim)}
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS, **extra)


@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])
def test_agnn(loops: bool, flow: str) -> None:
    mine, theirs = pair("AGNNConv", add_self_loops=loops, flow=flow)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize(
    "options",
    [
        {"bias": False},
        {"negative_slope": 0.0},
        {"negative_slope": 1.0},
        {"negative_slope": -0.5},
        {"negative_slope": 2.0},
        {"in_channels": -1},
        {"in_channels": (5, 5)},
        {"in_channels": (-1, -1), "residual": True},
        {"in_channels": -1, "edge_dim": 2, "residual": True},
        {"aggr": "sum"},
    ],
    ids=str,
)
def test_further_options(name: str, options: dict[str, Any]) -> None:
    arguments = {"in_channels": 5, "out_channels": 4, "heads": 2} | options
    mine, theirs = pair(name, **arguments)
    extra = {"edge_attr": features(ARCS.size(1), 2)} if "edge_dim" in options else {}
    for layer in (mine, theirs):  # lazy weights are drawn at the first call
        torch.manual_seed(1013)
        layer(features(NODES, 5), ARCS, **extra)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS, **extra)


def test_shared_weights() -> None:
    mine, theirs = pair("GATv2Conv", 5, 4, heads=2, share_weights=True)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS)
    assert_agree(mine, theirs, x=(features(NODES, 5), features(4, 5)), edge_index=ARCS % 4)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize(
    "fill", ["mean", "add", "min", "max", "mul", 0.5, torch.tensor([2.0, -1.0])], ids=str
)
@pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])
def test_fill_value(name: str, fill: Any, flow: str) -> None:
    mine, theirs = pair(name, 5, 4, heads=2, edge_dim=2, fill_value=fill, flow=flow)
    attr = features(ARCS.size(1), 2)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS, edge_attr=attr)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_one_number_per_arc_as_edge_attr(name: str) -> None:
    mine, theirs = pair(name, 5, 4, edge_dim=1)
    attr = features(ARCS.size(1))
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS, edge_attr=attr)


def test_edge_attr_without_edge_dim_is_ignored_by_gat() -> None:
    mine, theirs = pair("GATConv", 5, 4)
    attr = features(ARCS.size(1), 2)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=ARCS, edge_attr=attr)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize("channels", [5, (5, 3), (-1, -1)], ids=str)
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("nodes", [(NODES, 4), (4, NODES)], ids=str)
def test_bipartite(name: str, channels: Any, loops: bool, residual: bool, nodes: Any) -> None:
    mine, theirs = pair(
        name, channels, 4, heads=2, add_self_loops=loops, residual=residual, edge_dim=2
    )
    x = (features(nodes[0], 5), features(nodes[1], 5 if channels == 5 else 3))
    arcs = torch.stack([ARCS[0] % nodes[0], ARCS[1] % nodes[1]])
    inputs: dict[str, Any] = {"x": x, "edge_index": arcs}
    if nodes[1] <= nodes[0] or not loops:  # PyG cannot fill the loops' attributes otherwise
        inputs["edge_attr"] = features(arcs.size(1), 2)
    for layer in (mine, theirs):
        torch.manual_seed(1019)
        layer(**inputs)
    assert_agree(mine, theirs, **inputs)
    if name == "GATConv":
        assert_agree(mine, theirs, **inputs, size=nodes)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_both_sides_in_reverse(name: str) -> None:
    mine, theirs = pair(name, (5, 3), 4, heads=2, flow="target_to_source")
    assert_agree(mine, theirs, x=(features(NODES, 5), features(NODES, 3)), edge_index=ARCS)


@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("size", [None, (NODES, 4)], ids=str)
@pytest.mark.parametrize("channels", [5, (5, 3)], ids=str)
def test_targets_without_features(loops: bool, size: Any, channels: Any) -> None:
    mine, theirs = pair("GATConv", channels, 4, heads=2, add_self_loops=loops)
    arcs = torch.stack([ARCS[0], ARCS[1] % 4])
    for layer in (mine, theirs):
        layer.requires_grad_(True)
    assert_agree(mine, theirs, x=(features(NODES, 5), None), edge_index=arcs, size=size)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr], ids=str)
def test_sparse_adjacency(name: str, channels: Any, loops: bool, layout: torch.layout) -> None:
    mine, theirs = pair(name, *channels, add_self_loops=loops)
    adj_t = to_torch_sparse_tensor(UNIQUE.flip(0), size=(NODES, NODES), layout=layout)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=adj_t)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
@pytest.mark.parametrize("loops", [True, False])
def test_csc_adjacency(name: str, channels: Any, loops: bool) -> None:
    mine, theirs = pair(name, *channels, add_self_loops=loops)
    adj_t = to_torch_csc_tensor(UNIQUE.flip(0), size=(NODES, NODES))
    x = features(NODES, 5)  # PyG refuses this layout
    torch.testing.assert_close(mine(x, adj_t), theirs(x, UNIQUE), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize("loops", [True, False])
def test_adjacency_that_carries_edge_attributes(name: str, loops: bool) -> None:
    mine, theirs = pair(name, 5, 4, heads=2, edge_dim=2, add_self_loops=loops)
    adj_t = to_torch_sparse_tensor(UNIQUE.flip(0), features(UNIQUE.size(1), 2), size=(NODES, NODES))
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=adj_t)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("order", [None, "row", "col"])
def test_edge_index_class(name: str, channels: Any, loops: bool, order: str | None) -> None:
    mine, theirs = pair(name, *channels, add_self_loops=loops)
    by = ARCS[1 if order == "col" else 0].argsort(stable=True)
    edge_index = EdgeIndex(ARCS[:, by].contiguous(), sparse_size=(NODES, NODES), sort_order=order)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=edge_index)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
def test_integer_types(name: str, channels: Any) -> None:
    mine, theirs = pair(name, *channels)
    x = features(NODES, 5)
    torch.testing.assert_close(mine(x, ARCS.int()), theirs(x, ARCS), rtol=1e-5, atol=1e-5)


GRAPHS: dict[str, Callable[[], Tensor]] = {
    "tensor": lambda: ARCS,
    "EdgeIndex": lambda: EdgeIndex(ARCS, sparse_size=(NODES, NODES)),
    "coo": lambda: to_torch_sparse_tensor(UNIQUE.flip(0), size=(NODES, NODES)),
    "csr": lambda: to_torch_sparse_tensor(
        UNIQUE.flip(0), size=(NODES, NODES), layout=torch.sparse_csr
    ),
}


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("loops", [True, False])
def test_returned_attention(name: str, graph: str, loops: bool) -> None:
    mine, theirs = pair(name, 5, 4, heads=2, add_self_loops=loops)
    x, edge_index = features(NODES, 5), GRAPHS[graph]()
    out, (index, alpha) = mine(x, edge_index, return_attention_weights=True)
    expected, (expected_index, expected_alpha) = theirs(
        x, edge_index, return_attention_weights=True
    )
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(alpha, expected_alpha, rtol=1e-5, atol=1e-5)
    assert type(index) is type(expected_index)
    assert index.layout == expected_index.layout
    if index.layout == torch.strided:
        assert torch.equal(torch.as_tensor(index), torch.as_tensor(expected_index))
    else:
        torch.testing.assert_close(
            index.to_dense(), expected_index.to_dense(), rtol=1e-5, atol=1e-5
        )
    assert isinstance(mine(x, edge_index, return_attention_weights=False), Tensor)
    assert_agree(
        mine,
        theirs,
        out_of=lambda result: result[1][1],
        x=x,
        edge_index=edge_index,
        return_attention_weights=True,
    )


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize("channels", [5, -1, (5, 3), (-1, -1)], ids=str)
@pytest.mark.parametrize("options", [{}, {"edge_dim": 2, "residual": True}], ids=str)
def test_checkpoints_load_both_ways(name: str, channels: Any, options: Any) -> None:
    mine, theirs = pair(name, channels, 4, heads=3, **options)
    assert repr(mine) == repr(theirs)
    assert mine.state_dict().keys() == theirs.state_dict().keys()
    x = features(NODES, 5) if isinstance(channels, int) else (features(NODES, 5), features(4, 3))
    arcs = ARCS if isinstance(channels, int) else torch.stack([ARCS[0], ARCS[1] % 4])
    for source, sink in [(mine, theirs), (theirs, mine)]:
        torch.manual_seed(1021)
        source.reset_parameters()
        source(x, arcs, **({"edge_attr": features(ARCS.size(1), 2)} if options else {}))
        sink.load_state_dict(source.state_dict())
        torch.testing.assert_close(mine(x, arcs), theirs(x, arcs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
def test_same_seed_same_weights(name: str, channels: Any) -> None:
    mine, theirs = pair(name, *channels)
    assert repr(mine) == repr(theirs)
    for (key, value), (other_key, other) in zip(
        mine.state_dict().items(), theirs.state_dict().items(), strict=True
    ):
        assert key == other_key
        assert torch.equal(value, other)


@pytest.mark.parametrize(("name", "channels"), PAIRS)
def test_is_a_pyg_layer(name: str, channels: Any) -> None:
    mine, theirs = pair(name, *channels)
    assert isinstance(mine, type(theirs))
    assert isinstance(mine, pyg.MessagePassing)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_frozen_beta_and_no_arcs(name: str) -> None:
    empty = torch.empty(2, 0, dtype=torch.int64)
    mine, theirs = pair("AGNNConv", requires_grad=False)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=empty)
    mine, theirs = pair(name, 5, 4)
    assert_agree(mine, theirs, x=features(NODES, 5), edge_index=empty)
    mine, theirs = pair(name, 5, 4, add_self_loops=False)
    torch.testing.assert_close(mine(features(NODES, 5), empty), torch.zeros(NODES, 4))


@pytest.mark.parametrize("dtypes", [("float64", "float32"), ("float32", "float64")])
@pytest.mark.parametrize("requires_grad", [True, False])
def test_agnn_widens_to_double(dtypes: tuple[str, str], requires_grad: bool) -> None:
    x, layer = (getattr(torch, dtype) for dtype in dtypes)
    mine, theirs = pair("AGNNConv", requires_grad=requires_grad)
    x = features(NODES, 5).to(x)
    assert mine.to(layer)(x, ARCS).dtype == theirs.to(layer)(x, ARCS).dtype == torch.float64
    assert_agree(mine, theirs, x=x, edge_index=ARCS)
