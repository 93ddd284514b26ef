"""Who looks on while a layer runs changes nothing, and sees operators by their names."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from attention_layers import ARCS, CHANNELS, NODES, Make, every_layer, features, seeded
from fastgat.nn import dropout, elu_dropout


class DispatchMode(TorchDispatchMode):
    def __torch_dispatch__(self, call: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return call(*args, **(kwargs or {}))


class FunctionMode(TorchFunctionMode):
    def __torch_function__(self, call: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return call(*args, **(kwargs or {}))


def results(layer: torch.nn.Module) -> list[Tensor]:
    x = features(NODES, CHANNELS).requires_grad_()
    torch.manual_seed(47)
    out = elu_dropout(layer(x, ARCS), 0.3)
    return [out.detach(), *torch.autograd.grad(out.square().sum(), [x, *layer.parameters()])]


@every_layer
@pytest.mark.parametrize(
    "watch",
    [
        DispatchMode,
        FunctionMode,
        torch.profiler.profile,
        forward_ad.dual_level,
        lambda: torch.device("cpu"),
    ],
    ids=["dispatch mode", "function mode", "profiler", "forward mode", "device"],
)
def test_onlookers_change_nothing(
    make: Make, watch: Callable[[], AbstractContextManager[Any]]
) -> None:
    layer = seeded(make)
    expected = results(layer)
    with watch():
        found = results(layer)
    for a, b in zip(found, expected, strict=True):
        assert torch.equal(a, b)


@every_layer
def test_a_profiler_names_the_operators(make: Make) -> None:
    with torch.profiler.profile() as profile:
        results(seeded(make))
    ours = {event.key for event in profile.key_averages() if event.key.startswith("Fastgat")}
    assert {"FastgatEluDropout", "FastgatEluDropoutBackward"} <= ours
    family = {key.removesuffix("Forward") for key in ours if key.endswith("Forward")}
    assert family & {"FastgatAdditive", "FastgatDot", "FastgatGatv2"}
    assert all(f"{name}Backward" in ours for name in family)


@every_layer
def test_forward_mode_is_refused_and_not_ignored(make: Make) -> None:
    layer = seeded(make)
    with forward_ad.dual_level():
        x = features(NODES, CHANNELS)
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        for call in (
            lambda: layer(dual, ARCS),
            lambda: dropout(dual, 0.5),
            lambda: elu_dropout(dual, 0.5),
        ):
            with pytest.raises(NotImplementedError, match="forward mode AD"):
                call()
