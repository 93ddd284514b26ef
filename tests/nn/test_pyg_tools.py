"""PyG's tools around a layer keep working: explainers, hooks, heterogeneous models."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_geometric.nn as pyg
from torch import Tensor, nn
from torch_geometric.explain import Explainer, GNNExplainer
from torch_geometric.nn import to_hetero

import fastgat.nn as ours
from attention_layers import ARCS, CHANNELS, NODES, features
from fastgat.check import InputError

Make = Callable[[Any, int, int], nn.Module]
LAYERS: dict[str, Make] = {
    "GATConv": lambda module, i, o: module.GATConv(i, o, heads=1),
    "GATv2Conv": lambda module, i, o: module.GATv2Conv(i, o, heads=1),
    "CosineConv": lambda module, i, o: module.CosineConv(i, o),
    "GaANConv": lambda module, i, o: module.GaANConv(i, o),
    "AGNNConv": lambda module, i, o: pyg.Sequential(
        "x, edge_index", [(nn.Linear(i, o), "x -> x"), (module.AGNNConv(), "x, edge_index -> x")]
    ),
}
IN_PYG = ["GATConv", "GATv2Conv", "AGNNConv"]


class Model(nn.Module):
    def __init__(self, make: Make, module: Any = ours) -> None:
        super().__init__()
        self.first, self.second = make(module, CHANNELS, 6), make(module, 6, 3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.second(self.first(x, edge_index).relu(), edge_index)


def explain(model: nn.Module) -> Any:
    explainer = Explainer(
        model.eval(),
        GNNExplainer(epochs=8),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={
            "mode": "multiclass_classification",
            "task_level": "node",
            "return_type": "raw",
        },
    )
    torch.manual_seed(109)
    return explainer(features(NODES, CHANNELS), ARCS, index=1)


@pytest.mark.parametrize("name", LAYERS)
def test_explainer(name: str) -> None:
    torch.manual_seed(113)
    model = Model(LAYERS[name])
    before = model(features(NODES, CHANNELS), ARCS)
    explanation = explain(model)
    assert explanation.edge_mask.shape == (ARCS.size(1),)
    assert explanation.edge_mask.any()
    torch.testing.assert_close(model(features(NODES, CHANNELS), ARCS), before)


@pytest.mark.parametrize("name", IN_PYG)
def test_explanations_are_those_of_pyg(name: str) -> None:
    explanations = []
    for module in (pyg, ours):  # PyG's class first: it must not change how ours passes messages
        torch.manual_seed(113)
        explanations.append(explain(Model(LAYERS[name], module)))
    theirs, mine = explanations
    torch.testing.assert_close(mine.edge_mask, theirs.edge_mask, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mine.node_mask, theirs.node_mask, rtol=1e-4, atol=1e-4)


def test_an_explainer_of_sparse_features_sees_them_dense() -> None:
    layer, x = ours.GATConv(CHANNELS, 4), features(NODES, CHANNELS).relu()
    layer.explain = True
    layer._edge_mask, layer._loop_mask = torch.zeros(ARCS.size(1)), ARCS[0] != ARCS[1]
    torch.testing.assert_close(layer(x.to_sparse_csr(), ARCS), layer(x, ARCS))
    with pytest.raises(InputError, match="edge_weight and SortedArcs"):
        layer(x, ARCS, edge_weight=torch.ones(ARCS.size(1)))


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv", "CosineConv", "GaANConv"])
def test_message_hooks_are_called(name: str) -> None:
    layer, x = LAYERS[name](ours, CHANNELS, 4), features(NODES, CHANNELS)
    expected, seen = layer(x, ARCS), []
    handle = layer.register_message_forward_hook(lambda module, given, out: seen.append(out))
    torch.testing.assert_close(layer(x, ARCS), expected)
    assert len(seen) == 1
    handle.remove()
    layer(x, ARCS)
    assert len(seen) == 1


def test_a_subclass_may_change_its_messages() -> None:
    class Doubled(ours.GATConv):
        def message(self, x_j: Tensor, alpha: Tensor) -> Tensor:
            return 2.0 * alpha.unsqueeze(-1) * x_j

    layer, plain = Doubled(CHANNELS, 4), ours.GATConv(CHANNELS, 4)
    plain.load_state_dict(layer.state_dict())
    x = features(NODES, CHANNELS)
    torch.testing.assert_close(layer(x, ARCS), 2.0 * plain(x, ARCS))


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_to_hetero(name: str) -> None:
    edge_types = [("paper", "cites", "paper"), ("author", "writes", "paper")]
    metadata = (["paper", "author"], [*edge_types, ("paper", "rev", "author")])
    x = {"paper": features(NODES, CHANNELS), "author": features(4, 7)}
    arcs = {
        edge_types[0]: ARCS,
        edge_types[1]: torch.stack([ARCS[0] % 4, ARCS[1]]),
        metadata[1][2]: torch.stack([ARCS[1], ARCS[0] % 4]),
    }
    results = []
    for module in (pyg, ours):

        def make(module: Any, i: int, o: int) -> nn.Module:
            return getattr(module, name)((-1, -1), o, heads=2, add_self_loops=False)

        torch.manual_seed(127)
        model = to_hetero(Model(make, module), metadata)
        model(x, arcs)  # draws the lazy weights
        results.append(model(x, arcs))
    theirs, mine = results
    for kind, out in mine.items():
        torch.testing.assert_close(out, theirs[kind], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_basic_models_take_our_layers(name: str) -> None:
    class Basic(pyg.GAT):
        def init_conv(self, *args: Any, **kwargs: Any) -> nn.Module:
            kwargs.pop("v2", None)
            heads, out = kwargs.pop("heads", 1), args[1]
            return getattr(ours, name)(args[0], out // heads, heads=heads, **kwargs)

    model = Basic(CHANNELS, 8, num_layers=2, out_channels=4, heads=2)
    assert model(features(NODES, CHANNELS), ARCS).shape == (NODES, 4)
