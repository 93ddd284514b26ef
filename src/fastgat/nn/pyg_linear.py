"""PyG's Linear applied by our projection, so that features may be sparse and heads strided."""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch import Tensor
from torch.nn.parameter import UninitializedParameter
from torch_geometric.nn.dense.linear import Linear

from fastgat.nn.inputs import check_channels
from fastgat.nn.projection import project


def apply_linear(linear: torch.nn.Module, x: Tensor, heads: int, name: str = "x") -> Tensor:
    """Apply a PyG Linear, lazy or not, to dense or sparse features: (nodes, heads, channels)."""
    if not is_plain(linear, x):
        out = torch.as_tensor(linear(x))
        return out.reshape(x.size(0), heads, out.size(1) // heads)
    check_channels(name, x, linear.weight)
    out = project(x, linear.weight, heads)
    return out if linear.bias is None else out + linear.bias.reshape(heads, -1)


def apply_score(linear: torch.nn.Module, att: Tensor, x: Tensor, name: str = "x") -> Tensor:
    """Give <linear(x), att> per head, (nodes, heads), from one small matrix: att folded in."""
    heads, channels = att.shape
    if not is_plain(linear, x) or linear.bias is not None:
        return (apply_linear(linear, x, heads, name) * att).sum(-1)
    check_channels(name, x, linear.weight)
    folded = torch.einsum("hcf,hc->hf", linear.weight.reshape(heads, channels, -1), att)
    return project(x, folded, heads).reshape(x.size(0), heads)


def is_plain(linear: torch.nn.Module, x: Tensor) -> TypeGuard[Linear]:
    """Whether calling `linear` only multiplies: a PyG Linear without hooks, made real by `x`."""
    materialize(linear, x)
    return type(linear) is Linear and not (linear._forward_hooks or linear._forward_pre_hooks)


def materialize(linear: torch.nn.Module, x: Tensor) -> None:
    """Give a lazy Linear its weights, as its own first call would."""
    if isinstance(linear, Linear) and isinstance(linear.weight, UninitializedParameter):
        linear.initialize_parameters(linear, (x,))
