"""torch.compile takes a layer whole, with equal results, gradients and dropout."""

import io
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_layers import ARCS, CHANNELS, LAYERS, NODES, PROJECTED, features
from fastgat.nn import FastGAT, GATConv, GATv2Conv, SortedArcs
from fastgat.nn.fastgat import ATTENTIONS


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    """Start without compiled code. Leaving out self-loops has a size that the arcs decide."""
    torch.compiler.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        yield


def assert_compiles(
    layer: nn.Module, *args: Any, backend: str = "aot_eager", **kwargs: Any
) -> None:
    compiled = torch.compile(layer, fullgraph=True, backend=backend)
    results = []
    for call in (layer, compiled):
        x = features(NODES, CHANNELS).requires_grad_()
        torch.manual_seed(131)
        out = call(x, *args, **kwargs)
        layer.zero_grad()
        out.backward(features(*out.shape, seed=73))
        results.append([out, x.grad, *(p.grad for p in layer.parameters())])
    for actual, expected in zip(*results, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_whole_graph(name: str) -> None:
    assert_compiles(LAYERS[name](), ARCS)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv", "CosineConv"])
def test_dropout_draws_the_same_mask(name: str) -> None:
    assert_compiles(PROJECTED[name](dropout=0.5, add_self_loops=False), ARCS)


def test_a_narrow_edge_index() -> None:
    assert_compiles(GATConv(CHANNELS, 4), ARCS.int(), edge_weight=features(ARCS.size(1)).abs())


@pytest.mark.parametrize("name", ["GATConv", "CosineConv"])
def test_edge_weight(name: str) -> None:
    assert_compiles(LAYERS[name](), ARCS, edge_weight=features(ARCS.size(1)).abs())


@pytest.mark.parametrize("make", [GATConv, GATv2Conv])
def test_edge_attributes_and_residual(make: Callable[..., nn.Module]) -> None:
    layer = make(CHANNELS, 4, heads=2, edge_dim=2, residual=True, add_self_loops=False)
    assert_compiles(layer, ARCS, features(ARCS.size(1), 2))


@pytest.mark.slow
def test_inductor() -> None:
    if shutil.which("g++") is None and shutil.which("clang++") is None:
        pytest.skip("inductor needs a C++ compiler")
    assert_compiles(PROJECTED["GATConv"](add_self_loops=False), ARCS, backend="inductor")


@pytest.mark.slow
def test_inside_a_model_under_dynamic_sizes() -> None:
    torch.manual_seed(137)
    model = nn.ModuleList([GATConv(CHANNELS, 4, heads=2), GATConv(8, 3)])

    def run(x: Tensor, arcs: Tensor) -> Tensor:
        return model[1](model[0](x, arcs).relu(), arcs)

    compiled = torch.compile(run, fullgraph=True, backend="aot_eager", dynamic=True)
    for arcs in (ARCS, ARCS[:, :7], ARCS.repeat(1, 3)):
        x = features(NODES, CHANNELS)
        torch.testing.assert_close(compiled(x, arcs), run(x, arcs))


class TwoLayers(nn.Module):
    """A network on a graph of its own, or on the one it is given."""

    def __init__(self, arcs: SortedArcs | None = None) -> None:
        super().__init__()
        self.first, self.second = GATConv(CHANNELS, 4, heads=2), GATConv(8, 3, concat=False)
        self.arcs = arcs

    def forward(self, x: Tensor, edge_index: Tensor | None = None) -> Tensor:
        graph: Any = self.arcs if edge_index is None else edge_index
        hidden = nn.functional.elu(self.first(x, graph))
        out: Tensor = self.second(hidden, graph)
        return out


def two_layers(kind: str) -> tuple[nn.Module, tuple[Tensor, ...]]:
    torch.manual_seed(139)
    x = features(NODES, CHANNELS)
    if kind == "edge_index":
        return TwoLayers(), (x, ARCS)
    arcs = ARCS if kind == "arcs with loops" else ARCS[:, ARCS[0] != ARCS[1]]
    return TwoLayers(SortedArcs.from_edge_index(arcs, NODES)), (x,)


FIXED = ["edge_index", "arcs", "arcs with loops"]


@pytest.mark.parametrize("kind", FIXED)
def test_two_layers_compile_whole_without_settings(kind: str) -> None:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=False):
        model, inputs = two_layers(kind)
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(*inputs), model(*inputs))


@pytest.mark.parametrize("kind", FIXED)
def test_two_layers_export(kind: str) -> None:
    model, inputs = two_layers(kind)
    program = torch.export.export(model.eval(), inputs)
    assert any("fastgat" in str(node.target) for node in program.graph.nodes)
    torch.testing.assert_close(program.module()(*inputs), model(*inputs))


class OnGraph(nn.Module):
    """The network on one graph."""

    def __init__(self, attention: str, graph: Any) -> None:
        super().__init__()
        torch.manual_seed(149)
        self.network, self.arcs = FastGAT(CHANNELS, 4, 3, heads=2, attention=attention), graph

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.network(x, self.arcs)
        return out


GRAPHS = {"edge_index": ARCS, "sorted arcs": SortedArcs.from_edge_index(ARCS, NODES)}
every_attention = pytest.mark.parametrize("attention", ATTENTIONS)
every_graph = pytest.mark.parametrize("graph", GRAPHS)


@every_attention
@every_graph
def test_a_step_of_training_compiles_whole_without_settings(attention: str, graph: str) -> None:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=False):
        assert_compiles(OnGraph(attention, GRAPHS[graph]))


@every_attention
@every_graph
def test_the_network_is_exported_and_stored(attention: str, graph: str) -> None:
    model, x = OnGraph(attention, GRAPHS[graph]).eval(), features(NODES, CHANNELS)
    file = io.BytesIO()
    torch.export.save(torch.export.export(model, (x,)), file)
    file.seek(0)
    torch.testing.assert_close(torch.export.load(file).module()(x), model(x))
