"""The attention operators agree with their plain torch twins, in values and in gradients."""

from typing import Any

import pytest
import torch
from torch import Tensor

from fastgat.nn.arcs import SortedArcs, sort_arcs
from fastgat.nn.attention import AdditiveScores, DotScores, GATv2Scores, Scores, unit_heads

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11}


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random_arcs(kind: str, seed: int = 61) -> SortedArcs:
    """Graphs with repeated arcs and self-loops; the last node of each side has no arc."""
    random = generator(seed)
    sources, targets = {"square": (31, 31), "wide": (40, 17), "tall": (17, 40)}.get(kind, (31, 31))
    arcs = torch.stack(
        [
            torch.randint(sources - 1, (230,), generator=random),
            torch.randint(targets - 1, (230,), generator=random),
        ]
    )
    if kind == "skewed":  # half of all arcs at one target, a quarter from one source
        arcs[1, ::2], arcs[0, ::4] = 3, 5
    if kind == "symmetric":
        arcs = torch.cat([arcs, arcs.flip(0)], dim=1)
    if kind == "empty":
        arcs = arcs[:, :0]
    loops, reverse = kind in ("loops", "reverse loops", "wide", "tall"), kind.startswith("reverse")
    if kind == "single arc":
        arcs = arcs[:, :1]
    return sort_arcs(arcs, sources, targets, add_loops=loops, reverse=reverse, with_ids=True)


KINDS = [
    "square",
    "loops",
    "reverse",
    "reverse loops",
    "wide",
    "tall",
    "skewed",
    "symmetric",
    "empty",
    "single arc",
]


def tensors(
    family: str, arcs: SortedArcs, heads: int, channels: int, dtype: torch.dtype, extras: set[str]
) -> dict[str, Tensor]:
    """Leaves for one call, by argument name."""
    sources, targets = arcs.num_sources, arcs.num_targets
    count = arcs.arc_index()[0].numel()
    square = sources == targets
    shapes: dict[str, tuple[int, ...]] = {}
    if family == "additive":
        shapes = {"value": (sources, heads, channels), "att_source": (heads, channels)}
        if "no target" not in extras:
            by_att = square and "given score" not in extras
            shapes |= {"att_target": (heads, channels)} if by_att else {}
            shapes |= {} if by_att else {"target_score": (targets, heads)}
        if "term" in extras:
            shapes["term"] = (count, heads)
    elif family == "dot":
        shapes = {"query": (targets, heads, 6), "key": (sources, heads, 6)}
        shapes["value"] = (sources, heads, channels)
    else:
        shapes = {"value": (sources, heads, channels), "target": (targets, heads, channels)}
        shapes["att"] = (heads, channels)
        if "term" in extras:
            shapes |= {"edge_attr": (count, 3), "edge_projection": (heads * channels, 3)}
    random = generator(67)
    leaves = {
        name: torch.randn(shape, generator=random, dtype=dtype) for name, shape in shapes.items()
    }
    if "weight" in extras:
        leaves["weight"] = torch.rand(count, generator=random, dtype=dtype) + 0.2
    if "zero weight" in extras:
        weight = torch.rand(count, generator=random, dtype=dtype) + 0.2
        weight[::3] = 0.0
        weight[arcs.arc_index()[1] == 2] = 0.0  # a target none of whose arcs counts
        leaves["weight"] = weight
    if "spread weight" in extras:
        leaves["weight"] = 10.0 ** torch.linspace(-8, 8, count, dtype=dtype)
    return leaves


ATTENTION: dict[str, type[Scores]] = {
    "additive": AdditiveScores,
    "dot": DotScores,
    "gatv2": GATv2Scores,
}
WAYS = ["kernel", "reference"]


def attend(
    way: str, family: str, leaves: dict[str, Tensor], arcs: SortedArcs, **options: Any
) -> Tensor:
    """By the family's kernel, or by what every family has in plain torch."""
    given, weight = dict(leaves), leaves.get("weight")
    given.pop("weight", None)
    if "negative_slope" in options:
        given["negative_slope"] = options.pop("negative_slope")
    scores = ATTENTION[family](**given)
    if way == "reference":
        return Scores.attend(scores, arcs, weight=weight, **options)
    return scores.attend(arcs, weight=weight, **options)


def run(way: str, family: str, leaves: dict[str, Tensor], arcs: SortedArcs, **options: Any) -> Any:
    given = {name: value.clone().requires_grad_() for name, value in leaves.items()}
    out = attend(way, family, given, arcs, **options)
    cotangent = torch.randn(out.shape, generator=generator(71), dtype=out.dtype)
    grads = torch.autograd.grad(out, list(given.values()), cotangent, allow_unused=True)
    filled = [
        torch.zeros_like(leaf) if grad is None else grad
        for leaf, grad in zip(given.values(), grads, strict=True)
    ]
    return out.detach(), dict(zip(given, filled, strict=True))


def assert_agree(family: str, leaves: dict[str, Tensor], arcs: SortedArcs, **options: Any) -> None:
    out, grads = run("kernel", family, leaves, arcs, **options)
    expected, expected_grads = run("reference", family, leaves, arcs, **options)
    limit = TOLERANCE[expected.dtype]
    torch.testing.assert_close(out, expected, rtol=limit, atol=limit)
    if "weight" in leaves:  # d / d log w: the rounding of d / d w itself grows with 1 / w
        seen = leaves["weight"].clamp(max=1.0)
        grads["weight"], expected_grads["weight"] = (
            torch.where(seen > 0, seen, 1.0) * found["weight"] for found in (grads, expected_grads)
        )
    for name, grad in grads.items():
        scale = max(1.0, float(expected_grads[name].abs().max())) if grad.numel() else 1.0
        torch.testing.assert_close(
            grad,
            expected_grads[name],
            rtol=10 * limit,
            atol=10 * limit * scale,
            msg=lambda m, n=name: f"gradient of {n}: {m}",
        )


FAMILIES = ["additive", "dot", "gatv2"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("heads", [1, 2, 3, 8, 12, 17])
@pytest.mark.parametrize("channels", [1, 5, 8, 15, 33])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_shapes(family: str, heads: int, channels: int, dtype: torch.dtype) -> None:
    arcs = random_arcs("loops")
    assert_agree(family, tensors(family, arcs, heads, channels, dtype, set()), arcs)


EXTRAS = {
    "additive": [
        {"no target"},
        {"given score"},
        {"weight"},
        {"term"},
        {"weight", "term", "given score"},
        {"zero weight"},
        {"spread weight"},
    ],
    "dot": [set(), {"weight"}, {"zero weight"}, {"spread weight"}],
    "gatv2": [set(), {"weight"}, {"term"}, {"weight", "term"}, {"zero weight"}],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("family", "extras"),
    [(family, extras) for family, choices in EXTRAS.items() for extras in choices],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
@pytest.mark.parametrize("heads", [2, 8])
def test_graphs_and_extras(kind: str, family: str, extras: set[str], heads: int) -> None:
    arcs = random_arcs(kind)
    leaves = tensors(family, arcs, heads, 5, torch.float64, extras)
    assert_agree(family, leaves, arcs)


@pytest.mark.parametrize("family", ["additive", "gatv2"])
@pytest.mark.parametrize("slope", [0.0, 0.01, 0.2, 1.0, 1.5, -0.3])
def test_slopes(family: str, slope: float) -> None:
    arcs = random_arcs("loops")
    leaves = tensors(family, arcs, 3, 5, torch.float32, set())
    assert_agree(family, leaves, arcs, negative_slope=slope)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [1e-4, 10.0, 1e3, 1e4])
@pytest.mark.parametrize("kind", ["loops", "skewed"])
def test_large_and_small_scores(family: str, scale: float, kind: str) -> None:
    arcs = random_arcs(kind)
    leaves = tensors(family, arcs, 8, 8, torch.float64, set())
    for name in ("att_source", "att_target", "query", "att"):
        if name in leaves:
            leaves[name] = leaves[name] * scale
    assert_agree(family, leaves, arcs)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_scores_far_from_zero_in_single_precision(family: str, shift: float) -> None:
    arcs = random_arcs("loops")
    leaves = tensors(family, arcs, 3, 8, torch.float32, set())
    for name in ("att_source", "query", "att"):
        if name in leaves:
            leaves[name] = leaves[name].sign() * abs(shift)
    for way in WAYS:
        out, grads = run(way, family, leaves, arcs)
        assert out.isfinite().all()
        assert all(grad.isfinite().all() for grad in grads.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hub(family: str) -> None:
    many = 100_000
    ends = torch.stack(
        [torch.randint(40, (many,), generator=generator(73)), torch.zeros(many).long()]
    )
    arcs = sort_arcs(ends, 40, 40, add_loops=True, with_ids=True)
    leaves = tensors(family, arcs, 2, 5, torch.float64, {"weight"})
    assert_agree(family, leaves, arcs)


@pytest.mark.parametrize("family", FAMILIES)
def test_strided_inputs(family: str) -> None:
    arcs = random_arcs("loops")
    leaves = tensors(family, arcs, 4, 6, torch.float64, {"weight", "term"})
    turned = {
        name: value.mT.contiguous().mT if value.dim() > 1 else value.repeat_interleave(2)[::2]
        for name, value in leaves.items()
    }
    for way in WAYS:
        out, _ = run(way, family, leaves, arcs)
        given = {name: value.requires_grad_() for name, value in turned.items()}
        result = attend(way, family, given, arcs)
        torch.testing.assert_close(result, out)
        result.sum().backward()  # a gradient without strides of its own


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["loops", "symmetric", "reverse"])
def test_dropout_of_each(way: str, family: str, kind: str) -> None:
    arcs = random_arcs(kind)
    leaves = tensors(family, arcs, 3, 5, torch.float64, {"weight"})
    seed = torch.tensor([1234567890123])
    first, _ = run(way, family, leaves, arcs, dropout=0.5, seed=seed)
    again, _ = run(way, family, leaves, arcs, dropout=0.5, seed=seed.clone())
    other, _ = run(way, family, leaves, arcs, dropout=0.5, seed=seed + 1)
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)
    out, grads = run(way, family, leaves, arcs, dropout=1.0, seed=seed)
    assert not out.any()
    assert not any(grad.any() for grad in grads.values())
    names = list(leaves)

    def call(*values: Tensor) -> Tensor:
        given = dict(zip(names, values, strict=True))
        return attend(way, family, given, arcs, dropout=0.5, seed=seed)

    inputs = tuple(value.clone().requires_grad_() for value in leaves.values())
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("way", WAYS)
def test_mean_over_seeds_is_the_undropped_result(way: str, family: str) -> None:
    draws = 2000
    ends = torch.tensor([[0, 0, 1, 2, 3, 1], [1, 1, 1, 0, 0, 2]])
    arcs = sort_arcs(ends, 4, 4, add_loops=True)
    leaves = tensors(family, arcs, 3, 2, torch.float64, set())
    out = torch.stack(
        [
            attend(way, family, leaves, arcs, dropout=0.6, seed=torch.tensor([seed]))
            for seed in range(1_000_003, 1_000_003 + draws)
        ]
    )
    expected = attend(way, family, leaves, arcs)
    error = out.std(0) / draws**0.5
    assert ((out.mean(0) - expected).abs() <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_of_results_needs_its_arcs_only(family: str) -> None:
    """Targets without arcs get zeros; so do targets all of whose arcs have weight zero."""
    arcs = random_arcs("square")
    leaves = tensors(family, arcs, 3, 5, torch.float64, {"zero weight"})
    for way in WAYS:
        out, _ = run(way, family, leaves, arcs)
        assert not out[-1].any()
        assert not out[2].any()


@pytest.mark.parametrize("heads", [1, 3, 8, 17])
@pytest.mark.parametrize("channels", [1, 5, 8])
def test_unit_heads(heads: int, channels: int) -> None:
    value = torch.randn(30, heads, channels, generator=generator(79), dtype=torch.float64)
    value[4] = 0.0
    value.requires_grad_()
    expected = torch.nn.functional.normalize(value, dim=-1)
    torch.testing.assert_close(unit_heads(value), expected)
    upstream = torch.randn(expected.shape, generator=generator(83), dtype=torch.float64)
    upstream[4] = 0.0  # the length of nothing has no derivative
    (grad,) = torch.autograd.grad(unit_heads(value), value, upstream)
    (expected_grad,) = torch.autograd.grad(expected, value, upstream)
    torch.testing.assert_close(grad, expected_grad)


def test_rows_of_many_megabytes() -> None:
    nodes = 70_000  # beyond what is read where it lies
    ends = torch.randint(nodes, (2, 5000), generator=generator(89))
    arcs = sort_arcs(ends, nodes, nodes, add_loops=True)
    assert_agree("additive", tensors("additive", arcs, 8, 8, torch.float32, set()), arcs)
