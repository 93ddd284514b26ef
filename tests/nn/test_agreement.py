"""The attention operators agree with their plain torch twins, in values and in gradients."""

from typing import Any

import pytest
import torch
from torch import Tensor

from fastgat.nn import attention, portable
from fastgat.nn.edges import Edges

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11}


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random_edges(kind: str, seed: int = 61) -> Edges:
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
    return Edges(arcs, sources, targets, add_loops=loops, reverse=reverse)


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
    family: str, edges: Edges, heads: int, channels: int, dtype: torch.dtype, extras: set[str]
) -> dict[str, Tensor]:
    """Leaves for one call, by argument name."""
    sources, targets = edges.num_sources, edges.num_targets
    arcs = edges.arc_index()[0].numel()
    square = sources == targets
    shapes: dict[str, tuple[int, ...]] = {}
    if family == "additive":
        shapes = {"value": (sources, heads, channels), "att_source": (heads, channels)}
        if "no target" not in extras:
            by_att = square and "given score" not in extras
            shapes |= {"att_target": (heads, channels)} if by_att else {}
            shapes |= {} if by_att else {"target_score": (targets, heads)}
        if "term" in extras:
            shapes["term"] = (arcs, heads)
    elif family == "dot":
        shapes = {"query": (targets, heads, 6), "key": (sources, heads, 6)}
        shapes["value"] = (sources, heads, channels)
    else:
        shapes = {"source": (sources, heads, channels), "target": (targets, heads, channels)}
        shapes["att"] = (heads, channels)
        if "term" in extras:
            shapes |= {"edge_attr": (arcs, 3), "edge_projection": (heads * channels, 3)}
    random = generator(67)
    leaves = {
        name: torch.randn(shape, generator=random, dtype=dtype) for name, shape in shapes.items()
    }
    if "weight" in extras:
        leaves["weight"] = torch.rand(arcs, generator=random, dtype=dtype) + 0.2
    if "zero weight" in extras:
        weight = torch.rand(arcs, generator=random, dtype=dtype) + 0.2
        weight[::3] = 0.0
        weight[edges.arc_index()[1] == 2] = 0.0  # a target none of whose arcs counts
        leaves["weight"] = weight
    if "spread weight" in extras:
        leaves["weight"] = 10.0 ** torch.linspace(-8, 8, arcs, dtype=dtype)
    return leaves


def run(module: Any, family: str, leaves: dict[str, Tensor], edges: Edges, **options: Any) -> Any:
    given = {name: value.clone().requires_grad_() for name, value in leaves.items()}
    out = getattr(module, f"{family}_attention")(**given, edges=edges, **options)
    cotangent = torch.randn(out.shape, generator=generator(71), dtype=out.dtype)
    grads = torch.autograd.grad(out, list(given.values()), cotangent, allow_unused=True)
    filled = [
        torch.zeros_like(leaf) if grad is None else grad
        for leaf, grad in zip(given.values(), grads, strict=True)
    ]
    return out.detach(), dict(zip(given, filled, strict=True))


def assert_agree(family: str, leaves: dict[str, Tensor], edges: Edges, **options: Any) -> None:
    out, grads = run(attention, family, leaves, edges, **options)
    expected, expected_grads = run(portable, family, leaves, edges, **options)
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
    edges = random_edges("loops")
    assert_agree(family, tensors(family, edges, heads, channels, dtype, set()), edges)


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
    ids=str,
)
@pytest.mark.parametrize("heads", [2, 8])
def test_graphs_and_extras(kind: str, family: str, extras: set[str], heads: int) -> None:
    edges = random_edges(kind)
    leaves = tensors(family, edges, heads, 5, torch.float64, extras)
    assert_agree(family, leaves, edges)


@pytest.mark.parametrize("family", ["additive", "gatv2"])
@pytest.mark.parametrize("slope", [0.0, 0.01, 0.2, 1.0, 1.5, -0.3])
def test_slopes(family: str, slope: float) -> None:
    edges = random_edges("loops")
    leaves = tensors(family, edges, 3, 5, torch.float32, set())
    assert_agree(family, leaves, edges, negative_slope=slope)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [1e-4, 10.0, 1e3, 1e4])
@pytest.mark.parametrize("kind", ["loops", "skewed"])
def test_large_and_small_scores(family: str, scale: float, kind: str) -> None:
    edges = random_edges(kind)
    leaves = tensors(family, edges, 8, 8, torch.float64, set())
    for name in ("att_source", "att_target", "query", "att"):
        if name in leaves:
            leaves[name] = leaves[name] * scale
    assert_agree(family, leaves, edges)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shift", [-1e4, 1e4])
def test_scores_far_from_zero_in_single_precision(family: str, shift: float) -> None:
    edges = random_edges("loops")
    leaves = tensors(family, edges, 3, 8, torch.float32, set())
    for name in ("att_source", "query", "att"):
        if name in leaves:
            leaves[name] = leaves[name].sign() * abs(shift)
    for module in (attention, portable):
        out, grads = run(module, family, leaves, edges)
        assert out.isfinite().all()
        assert all(grad.isfinite().all() for grad in grads.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hub(family: str) -> None:
    many = 100_000
    arcs = torch.stack(
        [torch.randint(40, (many,), generator=generator(73)), torch.zeros(many).long()]
    )
    edges = Edges(arcs, 40, 40, add_loops=True)
    leaves = tensors(family, edges, 2, 5, torch.float64, {"weight"})
    assert_agree(family, leaves, edges)


@pytest.mark.parametrize("family", FAMILIES)
def test_strided_inputs(family: str) -> None:
    edges = random_edges("loops")
    leaves = tensors(family, edges, 4, 6, torch.float64, {"weight", "term"})
    turned = {
        name: value.mT.contiguous().mT if value.dim() > 1 else value.repeat_interleave(2)[::2]
        for name, value in leaves.items()
    }
    for module in (attention, portable):
        out, _ = run(module, family, leaves, edges)
        given = {name: value.requires_grad_() for name, value in turned.items()}
        result = getattr(module, f"{family}_attention")(**given, edges=edges)
        torch.testing.assert_close(result, out)
        result.sum().backward()  # a gradient without strides of its own


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("module", [attention, portable], ids=["attention", "portable"])
@pytest.mark.parametrize("kind", ["loops", "symmetric", "reverse"])
def test_dropout_of_each(module: Any, family: str, kind: str) -> None:
    edges = random_edges(kind)
    leaves = tensors(family, edges, 3, 5, torch.float64, {"weight"})
    seed = torch.tensor([1234567890123])
    first, _ = run(module, family, leaves, edges, dropout=0.5, seed=seed)
    again, _ = run(module, family, leaves, edges, dropout=0.5, seed=seed.clone())
    other, _ = run(module, family, leaves, edges, dropout=0.5, seed=seed + 1)
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)
    out, grads = run(module, family, leaves, edges, dropout=1.0, seed=seed)
    assert not out.any()
    assert not any(grad.any() for grad in grads.values())
    names = list(leaves)

    def call(*values: Tensor) -> Tensor:
        given = dict(zip(names, values, strict=True))
        function = getattr(module, f"{family}_attention")
        return function(**given, edges=edges, dropout=0.5, seed=seed)

    inputs = tuple(value.clone().requires_grad_() for value in leaves.values())
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("module", [attention, portable], ids=["attention", "portable"])
def test_mean_over_seeds_is_the_undropped_result(module: Any, family: str) -> None:
    draws = 2000
    arcs = torch.tensor([[0, 0, 1, 2, 3, 1], [1, 1, 1, 0, 0, 2]])
    edges = Edges(arcs, 4, 4, add_loops=True)
    leaves = tensors(family, edges, 3, 2, torch.float64, set())
    function = getattr(module, f"{family}_attention")
    out = torch.stack(
        [
            function(**leaves, edges=edges, dropout=0.6, seed=torch.tensor([seed]))
            for seed in range(1_000_003, 1_000_003 + draws)
        ]
    )
    expected = function(**leaves, edges=edges)
    error = out.std(0) / draws**0.5
    assert ((out.mean(0) - expected).abs() <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_of_results_needs_its_arcs_only(family: str) -> None:
    """Targets without arcs get zeros; so do targets all of whose arcs have weight zero."""
    edges = random_edges("square")
    leaves = tensors(family, edges, 3, 5, torch.float64, {"zero weight"})
    for module in (attention, portable):
        out, _ = run(module, family, leaves, edges)
        assert not out[-1].any()
        assert not out[2].any()


@pytest.mark.parametrize("heads", [1, 3, 8, 17])
@pytest.mark.parametrize("channels", [1, 5, 8])
def test_unit_heads(heads: int, channels: int) -> None:
    value = torch.randn(30, heads, channels, generator=generator(79), dtype=torch.float64)
    value[4] = 0.0
    value.requires_grad_()
    expected = torch.nn.functional.normalize(value, dim=-1)
    torch.testing.assert_close(attention.unit_heads(value), expected)
    upstream = torch.randn(expected.shape, generator=generator(83), dtype=torch.float64)
    upstream[4] = 0.0  # the length of nothing has no derivative
    (grad,) = torch.autograd.grad(attention.unit_heads(value), value, upstream)
    (expected_grad,) = torch.autograd.grad(expected, value, upstream)
    torch.testing.assert_close(grad, expected_grad)


def test_rows_of_many_megabytes() -> None:
    nodes = 70_000  # beyond what is read where it lies
    ends = torch.randint(nodes, (2, 5000), generator=generator(89))
    edges = Edges(ends, nodes, nodes, add_loops=True)
    assert_agree("additive", tensors("additive", edges, 8, 8, torch.float32, set()), edges)
