"""Operators give the same past torch's dispatcher and through it, and are sound there."""

from typing import ClassVar

import pytest
import torch
from torch import Tensor

from fastgat.nn import GATConv
from fastgat.nn.arcs import _sort_arcs_op, sort_arcs
from fastgat.nn.attention import additive, dot, gatv2
from fastgat.nn.dropout import _elu_dropout, elu_dropout

ARCS = torch.tensor([[0, 1, 2, 3, 3, 1], [1, 2, 0, 0, 1, 3]])
SEED = torch.tensor([41])


def results(layer: GATConv, x: Tensor) -> list[Tensor]:
    torch.manual_seed(47)
    out = elu_dropout(layer(x, ARCS), 0.3)
    return [out.detach(), *torch.autograd.grad(out.square().sum(), [x, *layer.parameters()])]


def through_torch_library(inputs: tuple[object, ...]) -> bool:
    """Stands for a call by which torch.library is told of an operator."""
    return False


def test_both_ways_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = GATConv(5, 4, heads=3, dropout=0.4)
    x = torch.randn(4, 5, requires_grad=True)
    eager = results(layer, x)
    monkeypatch.setattr("fastgat.nn.operator._is_plain_call", through_torch_library)
    for a, b in zip(eager, results(layer, x), strict=True):
        assert torch.equal(a, b)


class Tagged(torch.Tensor):
    """A tensor subclass that notes which operators it meets."""

    seen: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        cls.seen.append(str(func))
        return super().__torch_function__(func, types, args, kwargs or {})


def test_tensor_subclasses_see_the_operator() -> None:
    Tagged.seen.clear()
    elu_dropout(torch.ones(4).as_subclass(Tagged), 0.5, seed=SEED)
    assert any("fastgat.elu_dropout" in name for name in Tagged.seen)


@pytest.mark.parametrize("grad", [True, False])
def test_results_can_be_written_to(grad: bool) -> None:
    x = torch.randn(4, 6, requires_grad=True)
    with torch.set_grad_enabled(grad):
        out = elu_dropout(x, 0.5)
    out += x
    out.sum().backward()
    assert x.grad is not None


def test_transforms_and_other_devices() -> None:
    x = torch.randn(8)
    found = torch.func.grad(lambda x: elu_dropout(x, 0.5, seed=SEED).sum())(x)
    leaf = x.clone().requires_grad_()
    elu_dropout(leaf, 0.5, seed=SEED).sum().backward()
    assert torch.equal(found, leaf.grad)
    with pytest.raises(NotImplementedError, match=r"elu_dropout cannot be used under vmap"):
        torch.func.vmap(lambda x: elu_dropout(x, 0.5, seed=SEED))(torch.ones(3, 4))
    assert _elu_dropout(torch.ones(3, device="meta"), 0.5, SEED.to("meta")).is_meta
    traced = torch.jit.trace(lambda x: _elu_dropout(x, 0.5, SEED), torch.ones(8))
    assert "fastgat::elu_dropout" in str(traced.graph)


def test_a_layer_under_a_transform() -> None:
    layer, x = GATConv(5, 4, heads=3), torch.randn(4, 5)
    parameters = dict(layer.named_parameters())

    def loss(parameters: dict[str, Tensor]) -> Tensor:
        return torch.func.functional_call(layer, parameters, (x, ARCS)).square().sum()

    found = torch.func.grad(loss)(parameters)
    expected = torch.autograd.grad(loss(parameters), list(parameters.values()))
    for a, b in zip(found.values(), expected, strict=True):
        torch.testing.assert_close(a, b)


def sorted_inputs() -> list[object]:
    arcs = sort_arcs(ARCS, 4, 4, add_loops=True, with_ids=True)
    return [*arcs.by_target, *arcs.by_source]


def leaf(*shape: int) -> Tensor:
    random = torch.Generator().manual_seed(53)
    return torch.randn(*shape, dtype=torch.float64, generator=random).requires_grad_()


def test_operators_are_sound() -> None:
    """torch's own check: schema, fake shapes, autograd, compilation."""
    value, att, score, weight = leaf(4, 3, 5), leaf(3, 5), leaf(4, 3), leaf(10).detach().abs()
    rows = sorted_inputs()
    checked = torch.library.opcheck
    options = (True, 0, 0.2, 0.5, SEED)
    checked(
        additive._forward.definition,
        (value, att, None, score, weight, leaf(10, 3), att, *rows, *options, True),
    )
    checked(dot._forward.definition, (value, value, value, weight, *rows, True, 0, 0.5, SEED))
    checked(
        gatv2._forward.definition,
        (value, value, att, weight, leaf(10, 2), leaf(15, 2), *rows, *options),
    )
    checked(_elu_dropout.definition, (leaf(8), 0.5, SEED))
    checked(_sort_arcs_op.definition, (*ARCS, 4, 4, True, True))


def test_twice_is_refused_by_name_and_so_are_batches_of_gradients() -> None:
    x = torch.randn(8, requires_grad=True)
    out = elu_dropout(x, 0.5, seed=SEED)
    (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"elu_dropout cannot be differentiated twice"):
        slope.sum().backward()
    out = elu_dropout(x, 0.5, seed=SEED)
    with pytest.raises((NotImplementedError, RuntimeError)):
        torch.autograd.grad(out, x, torch.eye(8), is_grads_batched=True)
