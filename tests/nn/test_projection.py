"""Sparse features give what dense ones give, values and gradients."""

import copy
import gc
import math
import pickle
import weakref

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from fastgat.check import InputError
from fastgat.nn.dropout import dropout
from fastgat.nn.projection import Linear, heads_last, is_narrow, narrow_project, project
from fastgat.nn.sparse_features import SparseFeatures, _project, _weight_gradient

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
SEED = torch.tensor([7])
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12}


def features(rows: int = 40, columns: int = 30, density: float = 0.2, dtype=torch.float64):
    """A dense matrix with an empty row and an empty column."""
    torch.manual_seed(rows + columns)
    x = torch.randn(rows, columns, dtype=dtype) * (torch.rand(rows, columns) < density)
    x[rows // 2 : rows // 2 + 1] = 0
    x[:, columns // 3 : columns // 3 + 1] = 0
    return x


def sparse(x: Tensor, p: float = 0.0, seed: Tensor = SEED) -> SparseFeatures:
    """The features with dropout, of which the product draws the masks."""
    return dropout(SparseFeatures.from_csr(x.to_sparse_csr()), p, seed=seed)


def dropped(x: Tensor, p: float) -> Tensor:
    """What the operator makes of `x`, read off by projecting on the unit vectors."""
    return project(sparse(x, p), torch.eye(x.shape[1], dtype=x.dtype))[:, 0]


def close(a: Tensor, b: Tensor) -> bool:
    tolerance = TOLERANCE[a.dtype]
    return torch.allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, b.abs().max().item()))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("p", [0.0, 0.6])
@pytest.mark.parametrize("channels", [1, 5, 15, 64, 100])
@pytest.mark.parametrize("heads", [1, 3, 8])
def test_sparse_agrees_with_dense(heads: int, channels: int, p: float, dtype) -> None:
    x = features(dtype=dtype)
    weight = torch.randn(heads * channels, 30, dtype=dtype, requires_grad=True)
    grad = torch.randn(40, heads, channels, dtype=dtype)
    expected = ((dropped(x, p) if p else x) @ weight.t()).view(40, heads, channels)
    (expected_grad,) = torch.autograd.grad(expected, weight, grad)
    for given in (sparse(x, p), *([] if p else [x.to_sparse_csr()])):
        out = project(given, weight, heads)
        assert out.shape == (40, heads, channels)
        assert out.transpose(1, 2).is_contiguous()
        assert close(out, expected)
        (weight_grad,) = torch.autograd.grad(out, weight, grad)
        assert close(weight_grad, expected_grad)
    if p == 0:
        dense = project(x, weight, heads)
        assert dense.transpose(1, 2).is_contiguous()
        assert close(dense, expected)
        assert close(torch.autograd.grad(dense, weight, grad)[0], expected_grad)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1), (4, 6), (1, 3000), (3000, 1)])
def test_small_empty_and_lopsided_matrices(shape, p: float) -> None:
    x = features(*shape, density=0.5 if 3000 in shape else 0.0)
    weight = torch.randn(6, shape[1], dtype=torch.float64, requires_grad=True)
    out = project(sparse(x, p), weight, 2)
    expected = (dropped(x, p) @ weight.t()).view(-1, 2, 3) if x.numel() else torch.zeros_like(out)
    assert close(out, expected) if out.numel() else out.shape == (shape[0], 2, 3)
    out.sum().backward()
    assert weight.grad.shape == weight.shape
    if shape[1]:
        assert close(weight.grad, dropped(x, p).sum(0).expand(6, -1))


@pytest.mark.parametrize("heads", [1, 3])
def test_gradcheck(heads: int) -> None:
    x = features(9, 7)
    weight = torch.randn(6, 7, dtype=torch.float64, requires_grad=True)
    for p in (0.0, 0.5):
        assert gradcheck(lambda w, p=p: project(sparse(x, p), w, heads), (weight,))
    dense = x.requires_grad_()
    assert gradcheck(lambda x, w: project(dropout(x, 0.5, seed=SEED), w, heads), (dense, weight))


def test_dropout_keeps_the_mean_over_many_draws() -> None:
    draws, p = 3000, 0.6
    x = features(12, 9, density=0.5)
    weight = torch.randn(4, 9, dtype=torch.float64)
    seeds = (torch.tensor([i]) for i in range(draws))
    mean = sum(project(sparse(x, p, seed), weight) for seed in seeds)[:, 0] / draws
    error = ((x * x) @ (weight * weight).t()).sqrt() * math.sqrt(p / (1 - p) / draws)
    assert ((mean - x @ weight.t()).abs() <= 4 * error + 1e-12).all()


def test_kept_fraction_and_seeds() -> None:
    x, unit = torch.ones(500, 400), torch.eye(400)
    first = project(sparse(x, 0.6), unit)
    assert torch.equal(first, project(sparse(x, 0.6), unit))
    assert not torch.equal(first, project(sparse(x, 0.6, torch.tensor(8)), unit))
    one, other = (dropout(sparse(x), 0.6) for _ in range(2))  # seeds of torch's generator
    assert not torch.equal(project(one, unit), project(other, unit))
    kept = (first != 0).double().mean().item()
    assert abs(kept - 0.4) < 4 * math.sqrt(0.24 / 200_000)
    assert not project(sparse(x, 1.0), unit).any()


def test_nan_reaches_its_row_alone() -> None:
    x = features()
    x[3, 4] = math.nan
    bad = project(x.to_sparse_csr(), torch.randn(5, 30, dtype=torch.float64)).isnan()
    assert bad[3].all()
    assert bad.sum() == 5


def test_conversion_is_done_once_and_never_stale() -> None:
    x = features().to_sparse_csr()
    unit = torch.eye(30, dtype=torch.float64)
    first = SparseFeatures.of(x)
    assert SparseFeatures.of(x) is first
    for change in (lambda: x.values().mul_(2), lambda: x.mul_(3), lambda: x.copy_(x.clone() * 5)):
        before = project(x, unit)
        change()
        assert torch.equal(project(x, unit)[:, 0], x.to_dense())
        assert not torch.equal(project(x, unit), before)
    with torch.inference_mode():
        y = features().to_sparse_csr()
        before = project(y, unit)
        y.values().mul_(2)
        assert torch.equal(project(y, unit), 2 * before)


def test_the_matrix_lives_as_long_as_its_tensor_or_a_graph() -> None:
    x = features().to_sparse_csr()
    weight = torch.randn(4, 30, dtype=torch.float64, requires_grad=True)
    expected = x.to_dense().sum(0).expand(4, -1)
    kept = weakref.ref(SparseFeatures.of(x).band_row)
    out = project(x, weight)
    del x
    gc.collect()
    out.sum().backward()
    assert close(weight.grad, expected)
    del out
    gc.collect()
    assert kept() is None


def test_torchs_own_sparse_product_agrees() -> None:
    """What devices take that the core does not reach."""
    x, weight = features(), torch.randn(6, 30, dtype=torch.float64)
    expected = project(x, weight, 2).transpose(1, 2).reshape(40, 6)
    assert close(torch.sparse.mm(x.to_sparse_csr(), heads_last(weight, 2).t()), expected)


def test_linear_is_torchs_linear() -> None:
    layer, twin = Linear(30, 5), torch.nn.Linear(30, 5)
    twin.load_state_dict(layer.state_dict())
    x = features(dtype=torch.float32)
    sparse = x.to_sparse_csr()
    for given in (x, sparse, SparseFeatures.from_csr(sparse)):
        assert close(layer(given), twin(x))
    (layer(sparse) ** 2).sum().backward()
    (twin(x) ** 2).sum().backward()
    for ours, theirs in zip(layer.parameters(), twin.parameters(), strict=True):
        assert close(ours.grad, theirs.grad)
    plain = Linear(30, 5, bias=False)
    assert close(plain(sparse), x @ plain.weight.t())


def test_what_was_converted_stays_out_of_copies() -> None:
    layer, x = Linear(30, 5), features(dtype=torch.float32).to_sparse_csr()
    size = len(pickle.dumps((layer, x)))
    expected = layer(x)
    assert abs(len(pickle.dumps((layer, x))) - size) < 100
    # torch copies sparse tensors by clone() alone.
    for twin, y in ((copy.deepcopy(layer), x.clone()), pickle.loads(pickle.dumps((layer, x)))):
        assert torch.equal(twin(y), expected)
        assert SparseFeatures.of(y) is not SparseFeatures.of(x)
    kept = SparseFeatures.from_csr(x)
    assert copy.deepcopy(kept) is kept


def test_the_operators_are_sound() -> None:
    x = SparseFeatures.from_csr(features().to_sparse_csr())
    rows, bands = (x.row_offset, x.column, x.value), (x.band_offset, x.band_row, x.band_value)
    weight = torch.randn(6, 30, dtype=torch.float64, requires_grad=True)
    torch.library.opcheck(_project.definition, (weight, *rows, *bands, 2, 0.5, SEED))
    grad = torch.randn(40, 6, dtype=torch.float64)
    torch.library.opcheck(_weight_gradient.definition, (grad, *bands, SEED, 30, 2, 0.5))


def test_compiled_code_gives_the_same() -> None:
    x = SparseFeatures.from_csr(features().to_sparse_csr())
    weight = torch.randn(6, 30, dtype=torch.float64, requires_grad=True)

    def loss(weight: Tensor) -> Tensor:
        return (project(dropout(x, 0.5, seed=SEED), weight, 2) ** 2).sum()

    compiled = torch.compile(loss, backend="aot_eager")
    expected = torch.autograd.grad(loss(weight), weight)[0]
    assert close(torch.autograd.grad(compiled(weight), weight)[0], expected)


def test_twice_and_vmap_are_refused_by_name() -> None:
    x = features().to_sparse_csr()
    weight = torch.randn(6, 30, dtype=torch.float64, requires_grad=True)
    out = project(x, weight)
    (grad,) = torch.autograd.grad((out**2).sum(), weight, create_graph=True)
    twice = r"fastgat\.sparse_project cannot be differentiated twice"
    with pytest.raises(NotImplementedError, match=twice):
        grad.sum().backward()
    mapped = r"fastgat\.sparse_project cannot be used under vmap"
    with pytest.raises(NotImplementedError, match=mapped):
        torch.func.vmap(lambda w: project(x, w))(torch.randn(3, 6, 30, dtype=torch.float64))


X, WEIGHT = features(), torch.ones(6, 30, dtype=torch.float64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project(X, WEIGHT, 4), r"weight has shape \(6, 30\), but needs a multiple of he"),
        (lambda: project(X, WEIGHT, 0), "heads=0 must be a whole number of at least 1"),
        (lambda: project(X, WEIGHT[:, 1:]), r"x has shape \(40, 30\), but weight needs \(num_no"),
        (lambda: sparse(X, 2), r"p=2 must lie in \[0, 1\]"),
        (lambda: sparse(X, 0.5, 3), "seed=3 must be an int64 tensor"),
        (
            lambda: dropout(sparse(X, 0.25), 0.5),
            r"x has dropout p=0\.25 already; drop the features without it instead",
        ),
        (
            lambda: project(X.to_sparse_csr(), WEIGHT.float()),
            "x is torch.float64, weight torch.float32: cast one of them",
        ),
        (
            lambda: project(X.to_sparse_csr().requires_grad_(), WEIGHT),
            "x requires a gradient, but gradients for sparse features are not computed; use x.det",
        ),
        (
            lambda: SparseFeatures.from_csr(X),
            "x is torch.strided, but sparse features are torch.sparse_csr",
        ),
        (lambda: SparseFeatures.from_csr(3), "x is int, but sparse features are torch.sparse_csr"),
        (
            lambda: SparseFeatures.from_csr(X.half().to_sparse_csr()),
            "x has dtype torch.float16, but needs",
        ),
        (
            lambda: SparseFeatures.from_csr(torch.ones(2, 3, 3).to_sparse_csr()),
            r"x has shape \(2, 3, 3\), but features are one plain matrix",
        ),
    ],
)
def test_refusals(call, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [1, 2, 8, 9, 16])
@pytest.mark.parametrize("nodes", [1, 7, 1000])
def test_narrow_products_are_products(nodes: int, rows: int, dtype: torch.dtype) -> None:
    x = torch.randn(nodes, 48, dtype=dtype, requires_grad=True)
    weight = torch.randn(rows, 48, dtype=dtype, requires_grad=True)
    upstream = torch.randn(nodes, rows, dtype=dtype)
    assert is_narrow(x, weight)
    found, expected = (
        (out, *torch.autograd.grad(out, (x, weight), upstream))
        for out in (narrow_project(x, weight), x @ weight.T)
    )
    close = 1e-4 if dtype == torch.float32 else 1e-12  # of the largest: sums over nodes cancel
    for a, b in zip(found, expected, strict=True):
        assert (a - b).abs().max() <= close * b.abs().max()


def test_narrow_products_are_differentiated_twice() -> None:
    x = torch.randn(5, 16, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(3, 16, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(narrow_project, (x, weight))
    assert torch.autograd.gradgradcheck(narrow_project, (x, weight))


def test_narrow_products_are_the_same_on_any_number_of_threads() -> None:
    x, weight = torch.randn(3000, 64, requires_grad=True), torch.randn(5, 64, requires_grad=True)
    found, threads = [], torch.get_num_threads()
    for count in (1, 2, 3):
        torch.set_num_threads(count)
        out = narrow_project(x, weight)
        found.append((out, *torch.autograd.grad(out.square().sum(), (x, weight))))
    torch.set_num_threads(threads)
    for other in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_what_is_not_narrow_goes_to_torch() -> None:
    weight = torch.randn(4, 32)
    assert is_narrow(torch.randn(3, 32), weight)
    assert not is_narrow(torch.randn(32, 3).T, weight)
    assert not is_narrow(torch.randn(3, 32, dtype=torch.float64), weight)
    assert not is_narrow(torch.randn(3, 30), weight[:, :30])
    assert not is_narrow(torch.randn(3, 32), torch.randn(17, 32))
    mapped = torch.func.vmap(lambda w: project(torch.ones(3, 32), w))(weight.expand(2, 4, 32))
    assert mapped.shape == (2, 3, 1, 4)
