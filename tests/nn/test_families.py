"""What every score family promises; a new one, and a new field of an old one, are held to it.

A field that a kernel, its gradient or the splitting into heads leaves out shows here.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from fastgat import InputError, _core
from fastgat.nn import SortedArcs, attention
from fastgat.nn.attention import AdditiveScores, DotScores, GATv2Scores, Scores
from fastgat.nn.projected_conv import ProjectedConv
from fastgat.nn.projection import Features

NODES, NUM_ARCS, CHANNELS = 7, 12, 5
EDGE_INDEX = torch.tensor(
    [[0, 1, 2, 3, 4, 5, 0, 0, 2, 6, 6, 3], [1, 0, 1, 1, 0, 5, 1, 2, 3, 0, 1, 5]]
)
ARCS = SortedArcs.from_edge_index(EDGE_INDEX, NODES)
SEED = torch.tensor([97])


@dataclass(frozen=True)
class DistanceScores(Scores):
    """A stranger's family, without a kernel: logit_ij = -scale |place_i - place_j|^2."""

    value: Tensor
    place: Tensor
    scale: float = 1.0

    head_axis: ClassVar = {"value": 1, "place": 1}

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        return -self.scale * (self.place[source] - self.place[target]).square().sum(-1)


def make(family: type[Scores], heads: int) -> list[Scores]:
    """The family with values for its fields: every field has one in some of them."""

    def random(*shape: int) -> Tensor:
        return torch.randn(shape, dtype=torch.float64, requires_grad=True)

    torch.manual_seed(101)
    value, att = (NODES, heads, CHANNELS), (heads, CHANNELS)
    if family is AdditiveScores:
        one = AdditiveScores(random(*value), random(*att), 0.3, random(*att))
        other = replace(one, att_target=None, target_score=random(NODES, heads))
        more = {"term": random(NUM_ARCS, heads), "bias": random(*att)}
        return [one, other, replace(one, **more), replace(other, **more)]
    if family is GATv2Scores:
        plain = GATv2Scores(random(*value), random(*value), random(*att), 0.3)
        edges = {"edge_attr": random(NUM_ARCS, 2), "edge_projection": random(heads * CHANNELS, 2)}
        return [plain, replace(plain, **edges)]
    if family is DotScores:
        return [DotScores(random(NODES, heads, 3), random(NODES, heads, 3), random(*value))]
    assert family is DistanceScores, f"{family.__name__} has no values here"
    return [DistanceScores(random(*value), random(NODES, heads, 2), 0.7)]


OURS = [AdditiveScores, DotScores, GATv2Scores]
every_family = pytest.mark.parametrize("family", [*OURS, DistanceScores])
every_width = pytest.mark.parametrize("heads", [2, 3, _core.most_heads + 1])


def tensors(scores: Scores) -> dict[str, Tensor]:
    given = {field.name: getattr(scores, field.name) for field in fields(scores)}  # type: ignore[arg-type]
    return {name: value for name, value in given.items() if isinstance(value, Tensor)}


def numbers(family: Any) -> list[str]:
    return [field.name for field in fields(family) if field.type in ("float", float)]


def test_every_family_is_in_this_test() -> None:
    exported = [getattr(attention, name) for name in attention.__all__]
    assert {x for x in exported if isinstance(x, type) and x is not Scores} == set(OURS)


@every_family
def test_every_field_is_in_this_test(family: Any) -> None:
    used = [name for scores in make(family, 2) for name in tensors(scores)]
    assert {*used, *numbers(family)} == {field.name for field in fields(family)}
    assert family.head_axis.keys() <= set(used)


@every_family
@every_width
@pytest.mark.parametrize("weighted", [False, True])
def test_every_tensor_counts_in_kernel_and_reference(
    family: type[Scores], heads: int, weighted: bool
) -> None:
    weight = torch.rand(NUM_ARCS, dtype=torch.float64, requires_grad=True) if weighted else None
    for scores in make(family, heads):
        leaves = tensors(scores) | ({} if weight is None else {"weight": weight})
        out, expected = (
            scores.attend(ARCS, weight=weight),
            Scores.attend(scores, ARCS, weight=weight),
        )
        torch.testing.assert_close(out, expected)
        upstream = torch.randn_like(out)
        found, known = (torch.autograd.grad(x, leaves.values(), upstream) for x in (out, expected))
        for name, one, other in zip(leaves, found, known, strict=True):
            torch.testing.assert_close(one, other, msg=lambda m, n=name: f"{n}: {m}")
            assert one.any(), f"{name} changes nothing"


@every_family
def test_every_number_counts_in_kernel_and_reference(family: Any) -> None:
    for scores in make(family, 3):
        for name in numbers(family):
            other = replace(scores, **{name: getattr(scores, name) / 2})
            torch.testing.assert_close(other.attend(ARCS), Scores.attend(other, ARCS))
            assert not torch.allclose(other.attend(ARCS), scores.attend(ARCS))


@every_family
@every_width
def test_heads_are_independent(family: type[Scores], heads: int) -> None:
    for scores in make(family, heads):
        whole = scores.attend(ARCS)
        alone = [part.attend(ARCS) for part in scores.split()]
        torch.testing.assert_close(torch.cat(alone, dim=1), whole)
        first = scores.of_heads(slice(0, 1))
        torch.testing.assert_close(first.attend(ARCS), whole[:, :1])


@every_family
def test_coefficients_give_the_sums(family: type[Scores]) -> None:
    for scores in make(family, 3):
        alpha = scores.coefficients(ARCS)
        target = ARCS.arc_index()[1]
        sums = alpha.new_zeros(NODES, 3).index_add(0, target, alpha)
        torch.testing.assert_close(sums, alpha.new_zeros(NODES, 3).index_fill(0, target, 1.0))
        torch.testing.assert_close(scores.weighted_sum(alpha, ARCS), scores.attend(ARCS))
        dropped = scores.coefficients(ARCS, dropout=0.5, seed=SEED)
        assert ((dropped == 0) | torch.isclose(dropped, 2 * alpha)).all()


class DistanceConv(ProjectedConv):
    """A stranger's layer over a stranger's family."""

    def score_inputs(self, x: Features, value: Tensor) -> Scores:
        return DistanceScores(value, value)


def test_a_stranger_s_layer_takes_what_ours_take() -> None:
    layer, x = DistanceConv(4, 3, heads=2), torch.randn(NODES, 4)
    layer.reset_parameters()
    out = layer(x, EDGE_INDEX)
    torch.testing.assert_close(layer(x, ARCS), out)
    torch.testing.assert_close(layer(x, [ARCS, ARCS]), out)
    torch.testing.assert_close(layer(x, EDGE_INDEX, edge_weight=torch.ones(NUM_ARCS)), out)
    torch.testing.assert_close(layer(x.to_sparse_csr(), EDGE_INDEX), out)
    out.sum().backward()
    assert layer.lin.weight.grad is not None


@dataclass(frozen=True)
class HeadlessScores(Scores):
    """A family that does not say which of its fields differ by head."""

    value: Tensor

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        return (self.value[source] * self.value[target]).sum(-1)


class HeadlessConv(ProjectedConv):
    def score_inputs(self, x: Features, value: Tensor) -> Scores:
        return HeadlessScores(value)


def test_one_graph_per_head_needs_the_axis_of_heads() -> None:
    layer, x = HeadlessConv(4, 3, heads=2), torch.randn(NODES, 4)
    layer.reset_parameters()
    assert layer(x, ARCS).shape == (NODES, 6)
    with pytest.raises(InputError, match=r"^HeadlessScores has no head_axis.*\{'value': 1\}$"):
        layer(x, [ARCS, ARCS])
