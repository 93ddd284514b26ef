"""Operators give the same past torch's dispatcher and through it, and are sound there."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import fastgat.nn
from fastgat.nn import (
    CosineConv,
    GATConv,
    GATv2Conv,
    Linear,
    SparseFeatures,
    dropout,
    elu_dropout,
)
from fastgat.nn.arcs import _sort_arcs_op
from fastgat.nn.attention import unit_heads
from fastgat.nn.dropout import _elu_dropout
from fastgat.nn.operator import Operator
from fastgat.nn.projection import project

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


def every_operator() -> dict[str, Operator]:
    """The operators of all modules, by name."""
    modules = pkgutil.walk_packages(fastgat.nn.__path__, "fastgat.nn.")
    names = [vars(importlib.import_module(module.name)) for module in modules]
    return {x.name: x for held in names for x in held.values() if isinstance(x, Operator)}


OPERATORS = every_operator()


def run_everything() -> None:
    """Call every operator as layers do: with what it needs, and with all it may be given."""
    x = torch.randn(4, 5, requires_grad=True)
    weight, attr = (torch.rand(6, *size, requires_grad=True) for size in ((), (2,)))
    outputs = []
    for make in (GATConv, GATv2Conv):
        outputs.append(make(5, 4, heads=3, add_self_loops=False)(x, ARCS))
        layer = make(5, 4, heads=3, dropout=0.4, edge_dim=2)
        outputs.append(layer(x, ARCS, edge_attr=attr, edge_weight=weight))
    outputs.append(GATConv((5, 5), 4)((x, x[:3]), ARCS % 3))  # targets have scores of their own
    outputs.append(CosineConv(5, 4, heads=3, add_self_loops=False)(x, ARCS))
    outputs.append(CosineConv(5, 4, heads=3, dropout=0.4)(x, ARCS, edge_weight=weight))
    sparse = SparseFeatures.from_csr(torch.eye(4, 5).to_sparse_csr())
    outputs += [Linear(5, 3)(sparse), Linear(5, 3)(dropout(sparse)), dropout(x), elu_dropout(x)]
    torch.cat([out.flatten() for out in outputs]).sum().backward()
    for drop_loops, with_ids in ((False, False), (True, True)):
        _sort_arcs_op(*ARCS, 4, 4, drop_loops, with_ids)


@pytest.fixture(scope="module")
def calls() -> dict[str, list[tuple[Any, ...]]]:
    """Inputs of every call, by operator. Those of a backward pass need no gradient."""
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in OPERATORS}
    plain = Operator.__call__

    def note(self: Operator, *inputs: Any) -> Any:
        has_gradient = torch.is_grad_enabled()
        copies = [
            x.detach().clone().requires_grad_(x.requires_grad and has_gradient)
            if isinstance(x, Tensor)
            else x
            for x in inputs
        ]
        found[self.name].append(tuple(copies))
        return plain(self, *inputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Operator, "__call__", note)
        torch.manual_seed(59)
        run_everything()
    return found


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_sound(name: str, calls: dict[str, list[tuple[Any, ...]]]) -> None:
    """torch's own check: schema, fake shapes, autograd, compilation."""
    assert calls[name], f"run_everything does not reach {name}"
    for inputs in calls[name]:
        torch.library.opcheck(OPERATORS[name].definition, inputs)


EYE = torch.eye(4).to_sparse_csr()
# What is refused, the way out that the message names, and that way.
WAYS_OUT: dict[str, tuple[Callable[[Tensor], Tensor], str, str, Callable[[Tensor], Tensor]]] = {
    "elu_dropout": (
        lambda x: elu_dropout(x, 0.5, seed=SEED),
        "use fastgat.nn.dropout of torch.nn.functional.elu",
        "use torch.nn.functional.elu and dropout there",
        lambda x: functional.dropout(functional.elu(x)),
    ),
    "sparse_project": (
        lambda x: project(EYE, x),
        "give dense features, x.to_dense()",
        "put the weights below each other as more rows of one, or give dense features",
        lambda x: project(EYE.to_dense(), x).square(),
    ),
    "unit heads": (
        lambda x: unit_heads(x.unsqueeze(1)).square(),
        "use torch.nn.functional.normalize, or torch_geometric's layer",
        "give it more heads, or use torch.nn.functional.normalize there",
        lambda x: functional.normalize(x, dim=-1).square(),
    ),
}


def differentiate_twice(call: Callable[[Tensor], Tensor]) -> None:
    x = torch.randn(4, 4, requires_grad=True)
    (slope,) = torch.autograd.grad(call(x).square().sum(), x, create_graph=True)
    slope.sum().backward()


@pytest.mark.parametrize("name", WAYS_OUT)
def test_messages_name_a_way_out_that_works(name: str) -> None:
    call, twice, under_vmap, other = WAYS_OUT[name]
    batch = torch.randn(3, 4, 4)
    with pytest.raises(NotImplementedError, match=re.escape(under_vmap)):
        torch.func.vmap(call)(batch)
    torch.func.vmap(other, randomness="different")(batch)
    with pytest.raises(NotImplementedError, match=f"{name} .* twice: {re.escape(twice)}"):
        differentiate_twice(call)
    differentiate_twice(other)


def test_dropout_of_elu_is_differentiated_twice() -> None:
    differentiate_twice(lambda x: dropout(functional.elu(x), 0.5, seed=SEED))


@pytest.mark.parametrize("name", OPERATORS)
def test_only_attention_is_told_of_attention(name: str) -> None:
    shown = OPERATORS[name].shown
    is_attention = name.split("::")[1].startswith(("additive", "dot", "gatv2"))
    assert ("fastgat.nn.attention" in shown.twice) == is_attention
    assert ("one graph" in shown.under_vmap) == is_attention


def test_twice_is_refused_by_name_and_so_are_batches_of_gradients() -> None:
    x = torch.randn(8, requires_grad=True)
    out = elu_dropout(x, 0.5, seed=SEED)
    (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"elu_dropout cannot be differentiated twice"):
        slope.sum().backward()
    out = elu_dropout(x, 0.5, seed=SEED)
    with pytest.raises((NotImplementedError, RuntimeError)):
        torch.autograd.grad(out, x, torch.eye(8), is_grads_batched=True)
