"""Dense features times a weight of few rows: what the last layer begins with."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from fastgat import _core
from fastgat.nn.operator import is_plain_call

# As in csrc/linear/narrow.hpp.
MOST_ROWS = 16
STEP = 16


def is_narrow(x: Tensor, weight: Tensor) -> bool:
    """Whether `narrow_project` takes these; compilers have better use of a plain product."""
    return (
        not torch.compiler.is_compiling()
        and is_plain_call((x, weight))
        and weight.size(0) <= MOST_ROWS
        and weight.size(1) % STEP == 0
        and weight.numel() > 0
        and x.dtype == weight.dtype
        and x.dtype in (torch.float32, torch.float64)
        and x.is_contiguous()
    )


def narrow_project(x: Tensor, weight: Tensor) -> Tensor:
    """Return `x @ weight.T`, the same on any number of threads."""
    out: Tensor = _NarrowProduct.apply(x, weight)  # type: ignore[no-untyped-call]
    return out


class _NarrowProduct(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        product = _core.narrow_project(x.detach().numpy(), weight.detach().contiguous().numpy())
        return torch.from_numpy(product)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        (gradient,) = gradients
        x, weight = ctx.saved_tensors
        if torch.is_grad_enabled() or not is_plain_call((gradient,)):  # to be differentiated again
            return gradient @ weight, gradient.t() @ x
        of_x, of_weight = _core.narrow_project_gradient(
            *(t.detach().contiguous().numpy() for t in (gradient, x, weight))
        )
        return torch.from_numpy(of_x), torch.from_numpy(of_weight)
