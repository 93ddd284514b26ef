"""ELU and dropout in one pass equal the two in turn."""

import pytest
import torch
from torch.nn.functional import elu

from fastgat import _core
from fastgat.nn import elu_dropout
from fastgat.nn.dropout import dropout

SEED = torch.tensor([71])


@pytest.mark.parametrize("size", [0, 1, 127, 128, 1000])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_equals_elu_then_dropout(size: int, dtype: torch.dtype) -> None:
    x = torch.linspace(-30, 30, size, dtype=dtype)
    torch.testing.assert_close(elu_dropout(x, 0.6, seed=SEED), dropout(elu(x), 0.6, seed=SEED))


def test_gradient() -> None:
    x = torch.linspace(-3, 3, 300, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: elu_dropout(v, 0.4, seed=SEED), x)


@pytest.mark.parametrize("options", [{"p": 0.0}, {"training": False}])
def test_without_dropout_it_is_elu(options: dict) -> None:
    x = torch.linspace(-3, 3, 50)
    assert torch.equal(elu_dropout(x, **options), elu(x))


def test_other_layouts_and_types() -> None:
    x = torch.randn(20, 30).T
    assert elu_dropout(x, 0.5, seed=SEED).shape == x.shape
    assert elu_dropout(x.half(), 0.5).dtype == torch.float16


def test_threads_do_not_matter() -> None:
    x = torch.randn(100_000)
    one, two = [], []
    for threads, found in ((1, one), (2, two)):
        _core.set_num_threads(threads)
        found.append(elu_dropout(x, 0.6, seed=SEED))
    assert torch.equal(one[0], two[0])


def test_refuses_second_derivatives() -> None:
    x = torch.randn(9, requires_grad=True)
    (grad,) = torch.autograd.grad(elu_dropout(x, 0.5).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="twice"):
        grad.sum().backward()
