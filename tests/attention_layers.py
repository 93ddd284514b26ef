"""The attention layers that tests run over, and a small graph with what is awkward in graphs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fastgat.nn import AGNNConv, GaANConv
from fastgat.nn.fastgat import ATTENTIONS

NODES, CHANNELS, HEADS = 9, 5, 3
WIDTH = 4 * HEADS
# Two components, an isolated node (8), a self-loop (2), the arc 0 -> 1 three times.
ARCS = torch.tensor(
    [[0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 1], [1, 1, 1, 2, 2, 0, 0, 5, 6, 4, 4, 6, 3]]
)

# A layer that FastGAT knows by name is in every test; any other is a line here.
Make = Callable[..., nn.Module]
PROJECTED: dict[str, Make] = {
    **{kind.__name__: partial(kind, CHANNELS, 4, HEADS) for kind in ATTENTIONS.values()},
    "gated GaANConv": partial(GaANConv, CHANNELS, 4, HEADS, gated=True),
}
LAYERS: dict[str, Make] = {**PROJECTED, "AGNNConv": AGNNConv}

every_layer = pytest.mark.parametrize("make", LAYERS.values(), ids=LAYERS)
every_projected = pytest.mark.parametrize("make", PROJECTED.values(), ids=PROJECTED)
both_loops = pytest.mark.parametrize("loops", [True, False], ids=["loops", "no loops"])
both_flows = pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])


def features(*shape: int, seed: int = 71, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def seeded(make: Make, seed: int = 1009, **options: Any) -> nn.Module:
    torch.manual_seed(seed)
    return make(**options)


def gradients(layer: nn.Module, out: Tensor) -> dict[str, Tensor]:
    """Of the parameters, for an upstream gradient that is the same at every call."""
    layer.zero_grad()
    out.backward(features(*out.shape, seed=73).to(out))
    return {name: value.grad for name, value in layer.named_parameters() if value.grad is not None}


def assert_same(
    actual: dict[str, Tensor], expected: dict[str, Tensor], tolerance: float = 1e-5
) -> None:
    assert actual.keys() == expected.keys()
    for name, value in actual.items():
        torch.testing.assert_close(
            value,
            expected[name],
            rtol=tolerance,
            atol=tolerance,
            msg=lambda m, n=name: f"{n}: {m}",
        )
