"""Dropout keeps the mean, repeats for a seed, and keeps the order in memory."""

import math

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from fastgat.check import InputError
from fastgat.nn.dropout import Dropout, _dropout, draw_seed, dropout

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
SEED = torch.tensor([7])


@pytest.mark.parametrize("p", [0.1, 0.5, 0.6, 0.9])
def test_mean_and_kept_fraction(p: float) -> None:
    size = 400_000
    dropped = dropout(torch.ones(size, dtype=torch.float64), p, seed=SEED)
    kept = (dropped != 0).double().mean().item()
    error = math.sqrt(p * (1 - p) / size)
    assert abs(kept - (1 - p)) < 4 * error
    assert abs(dropped.mean().item() - 1) < 4 * error / (1 - p)
    assert dropped.max().item() == pytest.approx(1 / (1 - p), abs=1e-3)


def test_each_value_keeps_its_mean_over_many_draws() -> None:
    draws, p = 4000, 0.6
    x = torch.linspace(-1, 2, 150, dtype=torch.float64)
    mean = sum(dropout(x, p, seed=torch.tensor([i])) for i in range(draws)) / draws
    error = x.abs() * math.sqrt(p / (1 - p) / draws)
    assert ((mean - x).abs() <= 5 * error).all()  # 150 of them: four would be too few


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [0, 1, 15, 127, 128, 129, 5000])
def test_kept_values_are_scaled_and_the_seed_decides(size: int, dtype: torch.dtype) -> None:
    x = torch.randn(size, dtype=dtype) + 10
    dropped = dropout(x, 0.5, seed=SEED)
    assert torch.equal(dropped, torch.where(dropped != 0, 2 * x, 0))
    assert torch.equal(dropped, dropout(x, 0.5, seed=SEED.clone()))
    if size > 100:
        assert not torch.equal(dropped, dropout(x, 0.5, seed=torch.tensor(-9)))
        assert not torch.equal(dropout(x), dropout(x))


def test_torch_seeds_repeat() -> None:
    x = torch.ones(100)
    torch.manual_seed(3)
    first = dropout(x)
    torch.manual_seed(3)
    assert torch.equal(first, dropout(x))
    assert draw_seed().dtype == torch.int64


def test_the_ends() -> None:
    x = torch.randn(10)
    assert dropout(x, 0.0) is x
    assert dropout(x, 0.5, training=False) is x
    assert not dropout(x, 1.0).any()


def test_permuted_tensors_keep_their_order_in_memory() -> None:
    base = torch.randn(6, 5, 4) + 10
    x = base.transpose(1, 2)
    dropped = dropout(x, 0.5, seed=SEED)
    assert dropped.stride() == x.stride()
    assert torch.equal(dropped.transpose(1, 2), dropout(base, 0.5, seed=SEED))
    strided = base[:, ::2]
    assert torch.equal(
        dropout(strided, 0.5, seed=SEED), dropout(strided.contiguous(), 0.5, seed=SEED)
    )
    scalar = torch.tensor(3.0)
    assert dropout(scalar, 0.5, seed=SEED).shape == ()


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.t(), lambda x: x[:, ::2]])
def test_gradients(view) -> None:
    x = torch.randn(12, 14, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: dropout(view(x), 0.4, seed=SEED), (x,))
    assert gradgradcheck(lambda x: dropout(view(x), 0.4, seed=SEED), (x,))


def test_stored_values_of_sparse_tensors_are_dropped() -> None:
    x = (torch.rand(40, 30) < 0.3).double().to_sparse_csr()
    dropped = dropout(x, 0.5, seed=SEED)
    assert dropped.layout == torch.sparse_csr
    assert torch.equal(dropped.values(), dropout(x.values(), 0.5, seed=SEED))
    assert torch.equal(dropped.col_indices(), x.col_indices())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_other_types_go_to_torch(dtype: torch.dtype) -> None:
    x = torch.ones(1000, dtype=dtype)
    torch.manual_seed(3)
    dropped = dropout(x)
    torch.manual_seed(3)
    assert torch.equal(dropped, torch.nn.functional.dropout(x))
    assert dropout(torch.ones(3, device="meta")).device.type == "meta"


def test_the_module() -> None:
    layer, x = Dropout(0.6), torch.ones(1000)
    assert repr(layer) == "Dropout(p=0.6)"
    assert 300 < (layer(x) != 0).sum() < 500
    assert layer.eval()(x) is x


def test_the_operator_is_sound() -> None:
    x = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    torch.library.opcheck(_dropout.definition, (x, 0.5, SEED))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: dropout(x, 1.5), r"p=1.5 must lie in \[0, 1\]"),
        (lambda x: Dropout("half"), "p='half' must be a number"),
        (lambda x: dropout([1.0]), "x is list, but dropout needs a tensor"),
        (lambda x: dropout(x, seed=7), "seed=7 must be an int64 tensor of one entry"),
        (lambda x: dropout(x, seed=torch.ones(2)), "seed has dtype torch.float32 and 2 entries"),
    ],
)
def test_refusals(call, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(torch.ones(3))


def test_vmap_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match=r"fastgat\.dropout cannot be used under vmap"):
        torch.func.vmap(lambda x: dropout(x, seed=SEED))(torch.ones(3, 4))
