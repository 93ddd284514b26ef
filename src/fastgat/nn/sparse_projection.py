"""The operators behind `project` for sparse features: pure functions of their arguments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from fastgat import _core
from fastgat.nn.dropout import seed_number
from fastgat.nn.operator import operator
from fastgat.nn.refusals import refuse_second_derivative, refuse_vmap
from fastgat.nn.sparse_features import find_matrix


@operator(
    "fastgat::sparse_project",
    device_types="cpu",
    schema=("(Tensor key, Tensor weight, int num_rows, int heads, float p, Tensor seed) -> Tensor"),
)
def sparse_project(
    key: Tensor, weight: Tensor, num_rows: int, heads: int, p: float, seed: Tensor
) -> Tensor:
    """Dropped features times weight: num_rows x (channels, heads)."""
    numbers = weight.detach().contiguous().numpy()
    out = _core.sparse_project(find_matrix(key), numbers, heads, p, seed_number(seed))
    return torch.from_numpy(out)


@sparse_project.register_fake
def _(key: Tensor, weight: Tensor, num_rows: int, heads: int, p: float, seed: Tensor) -> Tensor:
    return weight.new_empty((num_rows, weight.shape[0]))


@operator(
    "fastgat::sparse_project_weight_grad",
    device_types="cpu",
    schema=(
        "(Tensor key, Tensor grad, int num_features, int heads, float p, Tensor seed) -> Tensor"
    ),
)
def sparse_project_weight_grad(
    key: Tensor, grad: Tensor, num_features: int, heads: int, p: float, seed: Tensor
) -> Tensor:
    """The gradient of the weight, with the masks of the forward pass: width x num_features."""
    numbers = grad.detach().contiguous().numpy()
    out = _core.sparse_project_weight_grad(find_matrix(key), numbers, heads, p, seed_number(seed))
    return torch.from_numpy(out)


@sparse_project_weight_grad.register_fake
def _(key: Tensor, grad: Tensor, num_features: int, heads: int, p: float, seed: Tensor) -> Tensor:
    return grad.new_empty((grad.shape[1], num_features))


def _remember(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    key, weight, _, ctx.heads, ctx.p, seed = inputs
    ctx.num_features = weight.shape[1]
    ctx.save_for_backward(key, seed)  # the key holds the matrix


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    key, seed = ctx.saved_tensors
    weight = None
    if ctx.needs_input_grad[1]:
        weight = sparse_project_weight_grad(key, grad, ctx.num_features, ctx.heads, ctx.p, seed)
    return None, weight, None, None, None, None


sparse_project.register_gradient(_backward, _remember)
refuse_second_derivative(sparse_project_weight_grad, "fastgat.sparse_project")
for _op in (sparse_project, sparse_project_weight_grad):
    refuse_vmap(_op, "fastgat.sparse_project")
