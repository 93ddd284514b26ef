"""Operators take the short way when nobody looks on, and give the same on both."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from fastgat.nn import GATConv
from fastgat.nn.activation import elu_dropout, elu_dropout_op
from fastgat.nn.operator import is_plain_call

ARCS = torch.tensor([[0, 1, 2, 3, 3, 1], [1, 2, 0, 0, 1, 3]])
SEED = torch.tensor([41])


class Onlooker(TorchDispatchMode):
    """Counts our operators among all it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        if func.namespace == "fastgat":
            self.seen.append(func._opname)
        return func(*args, **(kwargs or {}))


def results(layer: GATConv, x: Tensor) -> list[Tensor]:
    torch.manual_seed(47)
    out = elu_dropout(layer(x, ARCS), 0.3)
    return [out.detach(), *torch.autograd.grad(out.square().sum(), [x, *layer.parameters()])]


def test_both_ways_give_the_same() -> None:
    layer = GATConv(5, 4, heads=3, dropout=0.4)
    x = torch.randn(4, 5, requires_grad=True)
    short = results(layer, x)
    with Onlooker() as onlooker:
        long = results(layer, x)
    assert {"additive_forward", "additive_backward", "elu_dropout"} <= set(onlooker.seen)
    for a, b in zip(short, long, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("grad", [True, False])
def test_results_can_be_written_to(grad: bool) -> None:
    x = torch.randn(4, 6, requires_grad=True)
    with torch.set_grad_enabled(grad):
        out = elu_dropout(x, 0.5)
    out += x
    out.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize(
    "watch",
    [
        Onlooker,
        torch.profiler.profile,
        torch.autograd.forward_ad.dual_level,
        lambda: torch.autocast("cpu", torch.bfloat16),
        lambda: torch.device("cpu"),
    ],
    ids=["dispatch mode", "profiler", "forward mode", "autocast", "function mode"],
)
def test_who_looks_on_sees_the_operator(watch: Callable[[], AbstractContextManager[None]]) -> None:
    inputs = (torch.ones(3), 0.5, SEED)
    assert is_plain_call(inputs)
    with watch():
        assert not is_plain_call(inputs)


def test_transforms_and_other_devices_see_the_operator() -> None:
    seen = []
    torch.func.grad(lambda x: (seen.append(is_plain_call((x,))), x.sum())[1])(torch.ones(3))
    assert seen == [False]
    assert elu_dropout_op(torch.ones(3, device="meta"), 0.5, SEED.to("meta")).is_meta
    traced = torch.jit.trace(lambda x: elu_dropout_op(x, 0.5, SEED), torch.ones(8))
    assert "fastgat::elu_dropout" in str(traced.graph)


def test_twice_is_refused_by_name_and_so_are_batches_of_gradients() -> None:
    x = torch.randn(8, requires_grad=True)
    out = elu_dropout(x, 0.5, seed=SEED)
    (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"elu_dropout cannot be differentiated twice"):
        slope.sum().backward()
    out = elu_dropout(x, 0.5, seed=SEED)
    with pytest.raises((NotImplementedError, RuntimeError)):
        torch.autograd.grad(out, x, torch.eye(8), is_grads_batched=True)
