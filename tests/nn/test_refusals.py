"""What a layer refuses, and the sentence it does it with."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric import EdgeIndex
from torch_geometric.nn import MaxAggregation

from attention_layers import (
    ARCS,
    CHANNELS,
    NODES,
    Make,
    every_layer,
    every_projected,
    features,
)
from fastgat.check import InputError
from fastgat.nn import (
    AGNNConv,
    CosineConv,
    GaANConv,
    GATConv,
    GATv2Conv,
    SortedArcs,
    SparseFeatures,
)
from fastgat.nn.arcs import check_edge_index

X = features(NODES, CHANNELS)
ONES = torch.ones(ARCS.size(1))


def changed(values: Tensor, where: int, value: float) -> Tensor:
    values = values.clone()
    values[where] = value
    return values


BAD_CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "list of features": ({"x": [[1.0]]}, r"x.* is a list, but must be a tensor"),
    "three dimensions": ({"x": X[None]}, r"x has shape \(1, 9, 5\), but needs two dimensions"),
    "half": ({"x": X.half()}, r"x or the layer is torch\.float16.*use float32"),
    "bfloat16": ({"x": X.bfloat16()}, r"is torch\.bfloat16.*torch\.autocast"),
    "double": ({"x": X.double()}, r"x has dtype torch\.float64, but .* torch\.float32; cast"),
    "whole numbers": ({"x": X.long()}, r"x has dtype torch\.int64.*cast"),
    "coo features": ({"x": X.to_sparse()}, r"layout torch\.sparse_coo.*to_sparse_csr"),
    "features elsewhere": ({"x": X.to("meta")}, r"x is on meta, but the layer is on cpu; move"),
    "arcs elsewhere": ({"edge_index": ARCS.to("meta")}, r"edge_index is on meta.*move"),
    "float arcs": ({"edge_index": ARCS.float()}, r"edge_index has dtype torch\.float32.*long"),
    "boolean arcs": ({"edge_index": ARCS.bool()}, r"edge_index has dtype torch\.bool"),
    "complex arcs": ({"edge_index": ARCS.to(torch.complex128)}, r"dtype torch\.complex128"),
    "three rows": (
        {"edge_index": torch.zeros(3, 4, dtype=torch.int64)},
        r"edge_index has shape \(3, 4\), needs \(2, arcs\)",
    ),
    "adjacency of blocks": (
        {"edge_index": torch.eye(8).to_sparse_bsr((2, 2))},
        r"edge_index has layout torch\.sparse_bsr.*to_sparse_csr",
    ),
    "adjacency of one dimension": (
        {"edge_index": torch.ones(NODES).to_sparse()},
        r"sparse of shape \(9,\), but an adjacency matrix has two sparse dimensions",
    ),
    "batch of adjacencies": (
        {"edge_index": torch.eye(NODES).expand(2, NODES, NODES).to_sparse()},
        r"sparse of shape \(2, 9, 9\), but an adjacency matrix has two",
    ),
    "adjacency elsewhere": (
        {"edge_index": torch.eye(NODES).to_sparse_csr().to("meta")},
        r"edge_index is on meta, but the layer is on cpu; move",
    ),
    "class of structures": ({"edge_index": SortedArcs}, r"edge_index is a \w+, but must be"),
    "structure of other size": (
        {"edge_index": SortedArcs.from_edge_index(ARCS, 12)},
        r"x has 9 rows, but the graph has 12 nodes",
    ),
    "transposed arcs": ({"edge_index": ARCS.t()}, r"shape \(13, 2\), needs \(2, arcs\); transpose"),
    "one row": ({"edge_index": ARCS[0]}, r"edge_index has shape \(13,\), needs \(2, arcs\)"),
    "no graph": ({"edge_index": "cora"}, r"edge_index is a str, but must be a tensor"),
    "node too high": ({"edge_index": changed(ARCS[0], 4, 9).repeat(2, 1)}, r"node 9 in row 0.* 9 "),
    "negative node": ({"edge_index": changed(ARCS[0], 4, -1).repeat(2, 1)}, r"node -1 in row 0"),
    "adjacency of other size": (
        {"edge_index": torch.eye(4).to_sparse_csr()},
        r"x has 9 rows, but the graph has 4 nodes",
    ),
    "EdgeIndex of other size": (
        {"edge_index": EdgeIndex(ARCS, sparse_size=(12, 12))},
        r"x has 9 rows, but the graph has 12 nodes",
    ),
    "short weights": ({"edge_weight": ONES[1:]}, r"edge_weight has shape \(12,\).*13 arcs"),
    "weights in columns": ({"edge_weight": ONES[:, None]}, r"edge_weight has shape \(13, 1\)"),
    "no tensor of weights": ({"edge_weight": [1.0] * 13}, r"edge_weight is a list"),
    "whole weights": ({"edge_weight": ONES.long()}, r"edge_weight has dtype torch\.int64.*cast"),
    "weights elsewhere": ({"edge_weight": ONES.to("meta")}, r"edge_weight is on meta"),
    "sparse weights": ({"edge_weight": ONES.to_sparse()}, r"edge_weight has layout.*to_dense"),
    "no features": ({"x": ()}, r"x is a tuple"),
    "negative weight": (
        {"edge_weight": changed(ONES, 3, -1.0)},
        r"edge_weight\[3\]=-1\.0 must be finite and at least 0; .*exp",
    ),
    "NaN weight": ({"edge_weight": changed(ONES, 3, torch.nan)}, r"edge_weight\[3\]=nan"),
    "infinite weight": ({"edge_weight": changed(ONES, 3, torch.inf)}, r"edge_weight\[3\]=inf"),
}


@every_layer
@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(make: Make, case: str) -> None:
    given, message = BAD_CALLS[case]
    if make is AGNNConv and case == "double":
        return  # widens its one parameter, as PyG's does: test_pyg_agreement.py
    if make is not AGNNConv and case == "list of features":
        given = {"x": [[1.0]] * 2}
    with pytest.raises(InputError, match=message) as refusal:
        make()(**({"x": X, "edge_index": ARCS} | given))
    assert "\n" not in str(refusal.value)


@every_projected
def test_wrong_number_of_channels(make: Make) -> None:
    with pytest.raises(InputError, match="x has 4 channels, but the layer was made for 5"):
        make()(X[:, :4], ARCS)


@every_projected
def test_per_head_lists(make: Make) -> None:
    layer = make()
    with pytest.raises(InputError, match="lists 2 graphs, but the layer has 3 heads"):
        layer(X, [ARCS, ARCS])
    with pytest.raises(InputError, match="edge_weight must be a list of 3"):
        layer(X, [ARCS] * 3, edge_weight=ONES)
    for weight in ([ONES] * 2, 2.0, "abc"):
        with pytest.raises(InputError, match="edge_weight must be a list of 3"):
            layer(X, [ARCS] * 3, edge_weight=weight)
    with pytest.raises(InputError, match=r"edge_weight\[0\]=nan"):
        layer(X, [ARCS] * 3, edge_weight=[ONES, ONES * torch.nan, ONES])
    with pytest.raises(InputError, match=r"edge_index has dtype torch\.float32"):
        layer(X, [ARCS, ARCS, ARCS.float()])


@every_layer
@pytest.mark.parametrize("aggr", ["mean", "max", MaxAggregation(), None], ids=str)
def test_other_aggregations(make: Make, aggr: Any) -> None:
    with pytest.raises(InputError, match=r"aggr=.* is not what attention does"):
        make(aggr=aggr)


@every_projected
@pytest.mark.parametrize("dropout", [-0.1, 1.1, "0.5"])
def test_dropout_outside_its_range(make: Make, dropout: Any) -> None:
    with pytest.raises(InputError, match="dropout="):
        make(dropout=dropout)


@pytest.mark.parametrize("make", [GATConv, GATv2Conv])
@pytest.mark.parametrize("slope", [None, "0.2", torch.nan, torch.inf])
def test_slopes(make: Make, slope: Any) -> None:
    with pytest.raises(InputError, match="negative_slope="):
        make(CHANNELS, 4, negative_slope=slope)


@every_layer
def test_nothing_can_be_said_of_numbers_that_are_not_there(make: Make) -> None:
    layer = make().to("meta")
    with pytest.raises(InputError, match="edge_index is on meta, where tensors have no entries"):
        layer(X.to("meta"), ARCS.to("meta"))


STRUCTURES: dict[str, tuple[Callable[[], Any], str]] = {
    "list": (lambda: SortedArcs.from_edge_index(ARCS.tolist(), 9), r"edge_index is a list"),
    "float": (lambda: SortedArcs.from_edge_index(ARCS.float(), 9), r"dtype torch\.float32"),
    "csr": (
        lambda: SortedArcs.from_edge_index(torch.eye(9).to_sparse_csr(), 9),
        r"layout torch\.sparse_csr, but must be dense of shape \(2, arcs\); a layer takes a sparse",
    ),
    "high": (
        lambda: SortedArcs.from_edge_index(ARCS, 5),
        r"names node 7 in row 0, but num_sources=5; raise it, or drop the arc",
    ),
    "high target": (
        lambda: SortedArcs.from_edge_index(ARCS, 9, 5),
        r"names node 6 in row 1, but num_targets=5; raise it, or drop the arc",
    ),
    "high target of one side": (
        lambda: SortedArcs.from_edge_index(torch.tensor([[0], [7]]), 5),
        r"names node 7 in row 1, but num_sources=5; raise it, or drop the arc",
    ),
    "low": (lambda: SortedArcs.from_edge_index(-ARCS, 9), r"names node -7 in row 0"),
    "no number": (lambda: SortedArcs.from_edge_index(ARCS, None), r"num_sources=None must be"),
    "negative": (lambda: SortedArcs.from_edge_index(ARCS, 9, -1), r"num_targets=-1 must be"),
    "huge": (lambda: SortedArcs.from_edge_index(ARCS, 2**40), r"must be at most 2147483647"),
    "meta": (lambda: SortedArcs.from_edge_index(ARCS.to("meta"), 9), r"is on meta"),
    "no graph": (lambda: SortedArcs.from_graph(ARCS), r"graph is a Tensor, but must be a"),
}


@pytest.mark.parametrize("case", STRUCTURES)
def test_structures(case: str) -> None:
    make, message = STRUCTURES[case]
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("make", [CosineConv, GaANConv])
def test_counts(make: Make) -> None:
    with pytest.raises(InputError, match=r"heads=0 must be a whole number of at least 1"):
        make(5, 4, heads=0)
    with pytest.raises(InputError, match=r"out_channels=0"):
        make(5, 0)


def test_edge_attributes() -> None:
    attr = torch.ones(ARCS.size(1), 2)
    for make in (GATConv, GATv2Conv):
        layer = make(CHANNELS, 4, heads=2, edge_dim=2)
        with pytest.raises(InputError, match=r"edge_attr has shape \(12, 2\), but .* 13 arcs"):
            layer(X, ARCS, attr[1:])
        with pytest.raises(InputError, match=r"edge_attr has 1 channels, but .* made for 2"):
            layer(X, ARCS, attr[:, :1])
        with pytest.raises(InputError, match=r"edge_attr has dtype torch\.float64"):
            layer(X, ARCS, attr.double())
        with pytest.raises(InputError, match=r"edge_attr has shape \(13, 2, 2\), but needs"):
            layer(X, ARCS, attr.unsqueeze(-1).repeat(1, 1, 2))
        with pytest.raises(InputError, match=r"edge_attr has layout torch\.sparse_coo"):
            layer(X, ARCS, attr.to_sparse())
        with pytest.raises(InputError, match="edge_attr goes with one graph for all heads"):
            layer(X, [ARCS, ARCS], attr)
        carrying = torch.sparse_coo_tensor(ARCS, attr, (NODES, NODES, 2))
        with pytest.raises(InputError, match="edge_attr goes with one graph for all heads"):
            layer(X, [carrying, carrying])
    with pytest.raises(InputError, match="edge_attr is given, but edge_dim=None"):
        GATv2Conv(CHANNELS, 4)(X, ARCS, attr)
    with pytest.raises(InputError, match="edge_attr is given, but edge_dim=None"):
        GATv2Conv(CHANNELS, 4)(X, carrying)


def test_two_sides() -> None:
    layer = GATConv((CHANNELS, 3), 4)
    with pytest.raises(InputError, match=r"x\[1\] has 5 channels, but the layer was made for 3"):
        layer((X, X[:4]), ARCS % 4)
    with pytest.raises(InputError, match=r"x\[0\] has 9 rows, but the graph has 5 nodes"):
        layer((X, X[:4, :3]), ARCS % 4, size=(5, 4))
    with pytest.raises(InputError, match=r"size=\(9,\) must be two numbers"):
        layer((X, X[:4, :3]), ARCS % 4, size=(9,))
    with pytest.raises(InputError, match=r"x is a tuple of 3"):
        layer((X, X, X), ARCS)
    with pytest.raises(InputError, match=r"node 7 in row 1, but x has 4 rows there"):
        layer((X, X[:4, :3]), torch.tensor([[0], [7]]))
    with pytest.raises(InputError, match=r"x\[1\] is None, but GATv2"):
        GATv2Conv(CHANNELS, 4)((X, None), ARCS)


@every_layer
def test_sparse_adjacency_in_reverse(make: Make) -> None:
    layer = make(flow="target_to_source")
    with pytest.raises(InputError, match=r'flow="target_to_source" takes no sparse adjacency'):
        layer(X, torch.eye(NODES).to_sparse_csr())


def test_sparse_features_in_agnn() -> None:
    with pytest.raises(InputError, match=r"x is sparse.*to_dense"):
        AGNNConv()(X.to_sparse_csr(), ARCS)


def test_index_ranges_alone() -> None:
    check_edge_index(ARCS, NODES, NODES)
    check_edge_index(ARCS[:, :0], 0, 0)
    with pytest.raises(InputError, match="node 7 in row 0, but x has 5 rows there"):
        check_edge_index(ARCS, 5, NODES)
    with pytest.raises(InputError, match="node 6 in row 1, but x has 5 rows there"):
        check_edge_index(ARCS, NODES, 5)


@every_layer
def test_torchscript(make: Make) -> None:
    layer = make()
    name = type(layer).__name__
    with pytest.raises(NotImplementedError, match=f"{name} does not compile to TorchScript"):
        torch.jit.script(layer)
    with pytest.raises(NotImplementedError, match=r"use torch\.compile"):
        torch.jit.script(nn.Sequential(layer))


@every_layer
def test_torchscript_traces(make: Make, recwarn: pytest.WarningsRecorder) -> None:
    layer = make().eval()
    name = type(layer).__name__
    with pytest.raises(NotImplementedError) as refusal:
        torch.jit.trace(layer, (X, ARCS))
    assert str(refusal.value) == (
        f"{name} cannot be traced by torch.jit.trace; use torch.export or torch.compile instead"
    )
    assert not [one for one in recwarn if "Tracer" in one.category.__name__]


@every_layer
def test_second_derivatives(make: Make) -> None:
    """The compiled operators have first derivatives only."""
    layer, x = make(), X.clone().requires_grad_()
    with pytest.raises((RuntimeError, NotImplementedError), match=r"twice|second|double"):
        (grad,) = torch.autograd.grad(layer(x, ARCS).square().sum(), x, create_graph=True)
        grad.square().sum().backward()


def test_sparse_features_where_messages_are_watched() -> None:
    layer = GATConv(4, 2)
    layer.explain = True
    features = SparseFeatures.from_csr(torch.eye(4).to_sparse_csr())
    with pytest.raises(InputError, match="x is SparseFeatures, which is only multiplied"):
        layer(features, torch.tensor([[0, 1], [1, 2]]))
