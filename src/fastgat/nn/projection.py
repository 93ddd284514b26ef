"""Features times weight, one row of channels per head: where an attention layer begins."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn.parameter import UninitializedParameter
from torch_geometric.nn.dense.linear import Linear as PyGLinear

from fastgat import _core
from fastgat.check import InputError, check_count
from fastgat.nn.operator import CORE_DTYPES, array, is_script_traced
from fastgat.nn.sparse_features import SparseFeatures

Features: TypeAlias = Tensor | SparseFeatures  # dense, torch.sparse_csr, or converted before

_HALF = (torch.float16, torch.bfloat16)


def project(x: Features, weight: Tensor, heads: int = 1) -> Tensor:
    """Return `x @ weight.T` in the shape (num_nodes, heads, channels).

    In memory the heads lie innermost, as attention reads them: `.transpose(1, 2)` of the result is
    contiguous.

    Args:
        x: dense, `torch.sparse_csr` or SparseFeatures; no gradient reaches sparse ones.
        weight: rows ordered by head, then channel, as in PyG.
        heads: how many.

    >>> project(torch.eye(2), torch.arange(8.0).view(4, 2), heads=2).tolist()
    [[[0.0, 2.0], [4.0, 6.0]], [[1.0, 3.0], [5.0, 7.0]]]
    """
    _check_shapes(x, weight, check_count("heads", heads, 1))
    return _multiply(x, weight, heads)


def _multiply(x: Features, weight: Tensor, heads: int) -> Tensor:
    """What `project` returns, of inputs that fit together."""
    if isinstance(x, Tensor) and x.layout == torch.sparse_csr and x.is_cpu:
        x = SparseFeatures.of(x)
    if isinstance(x, SparseFeatures):
        out = x.project(weight, heads)
    elif x.layout == torch.sparse_csr:
        out = torch.sparse.mm(x, heads_last(weight, heads).t()).contiguous()
    else:
        rows = heads_last(weight, heads)
        product = narrow_project if is_narrow(x, rows) else nn.functional.linear
        out = product(x, rows)
    return out.view(x.shape[0], weight.shape[0] // heads, heads).transpose(1, 2)


def heads_last(weight: Tensor, heads: int) -> Tensor:
    """The rows of `weight`, ordered by channel, then head."""
    if heads == 1:
        return weight
    width, num_features = weight.shape
    return weight.reshape(heads, width // heads, num_features).transpose(0, 1).reshape(weight.shape)


class Linear(nn.Linear):
    """`torch.nn.Linear` that also takes `torch.sparse_csr` tensors, without making them dense.

    >>> layer = Linear(3, 2)
    >>> x = torch.eye(3)
    >>> torch.allclose(layer(x), layer(x.to_sparse_csr()))
    True
    """

    def forward(self, input: Features) -> Tensor:
        """Return `input @ weight.T + bias`."""
        if isinstance(input, Tensor) and input.layout != torch.sparse_csr:
            return super().forward(input)
        out = project(input, self.weight).squeeze(1)
        return out if self.bias is None else out + self.bias


# -- PyG's Linear by our projection, so that features may be sparse and heads strided --


class LayerLinear(PyGLinear):  # type: ignore[misc]
    """PyG's Linear that knows whether it has hooks: only then is it called as a module."""

    has_hooks = False

    @staticmethod
    def adopt(layer: nn.Module) -> None:
        """Turn the plain Linears among a layer's children into this class."""
        for child in layer.children():
            if type(child) is PyGLinear:
                child.__class__ = LayerLinear

    def register_forward_hook(self, *args: Any, **kwargs: Any) -> Any:
        """As torch's; noted."""
        self.has_hooks = True
        return super().register_forward_hook(*args, **kwargs)

    def register_forward_pre_hook(self, hook: Any, **kwargs: Any) -> Any:
        """As torch's; noted, unless it is the layer's own that waits for a number of channels."""
        self.has_hooks = self.has_hooks or hook != self.initialize_parameters
        return super().register_forward_pre_hook(hook, **kwargs)

    def register_full_backward_hook(self, *args: Any, **kwargs: Any) -> Any:
        """As torch's; noted."""
        self.has_hooks = True
        return super().register_full_backward_hook(*args, **kwargs)

    def register_full_backward_pre_hook(self, *args: Any, **kwargs: Any) -> Any:
        """As torch's; noted."""
        self.has_hooks = True
        return super().register_full_backward_pre_hook(*args, **kwargs)


def apply_linear(linear: nn.Module, x: Features, heads: int, name: str = "x") -> Tensor:
    """Apply a layer's Linear, lazy or not, to dense or sparse features: (nodes, heads, channels).

    Args:
        linear: any module; a LayerLinear without hooks is multiplied here.
        x: the features.
        heads: the rows of its weight are ordered by head, then channel.
        name: of `x` in messages.
    """
    if not is_plain(linear, x):
        out = torch.as_tensor(linear(x))
        return out.reshape(x.shape[0], heads, out.size(1) // heads)
    check_channels(name, x, linear.weight)
    out = _multiply(x, linear.weight, heads)
    return out if linear.bias is None else out + linear.bias.reshape(heads, -1)


def apply_score(linear: nn.Module, att: Tensor, x: Features, name: str = "x") -> Tensor:
    """Give <linear(x), att> per head, (nodes, heads), from one small matrix: att folded in.

    Args:
        linear: any module, as in `apply_linear`.
        att: (heads, channels).
        x: the features.
        name: of `x` in messages.
    """
    heads, channels = att.shape
    if not is_plain(linear, x) or linear.bias is not None:
        return (apply_linear(linear, x, heads, name) * att).sum(-1)
    check_channels(name, x, linear.weight)
    folded = torch.einsum("hcf,hc->hf", linear.weight.reshape(heads, channels, -1), att)
    return _multiply(x, folded, heads).reshape(x.shape[0], heads)


def is_plain(linear: nn.Module, x: Features) -> TypeGuard[LayerLinear]:
    """Whether calling `linear` only multiplies; a lazy one is made real by `x`."""
    if isinstance(linear, LayerLinear) and isinstance(linear.weight, UninitializedParameter):
        linear.initialize_parameters(linear, (torch.empty(0, x.shape[1]),))
    return type(linear) is LayerLinear and not linear.has_hooks


# -- Dense features times a weight of few rows: what the last layer begins with --


def is_narrow(x: Tensor, weight: Tensor) -> bool:
    """Whether `narrow_project` takes these; compilers have better use of a plain product."""
    return (
        not torch.compiler.is_compiling()
        and not is_script_traced()
        and not torch.is_autocast_enabled("cpu")
        and type(x) is Tensor
        and x.is_cpu
        and weight.is_cpu
        and weight.size(0) <= _core.narrow_most_rows
        and weight.size(1) % _core.narrow_step == 0
        and weight.numel() > 0
        and x.dtype == weight.dtype
        and x.dtype in CORE_DTYPES
        and x.is_contiguous()
    )


def narrow_project(x: Tensor, weight: Tensor) -> Tensor:
    """Return `x @ weight.T`, the same on any number of threads."""
    out: Tensor = _NarrowProduct.apply(x, weight)  # type: ignore[no-untyped-call]
    return out


class _NarrowProduct(Function):
    @staticmethod
    def forward(x: Tensor, weight: Tensor) -> Tensor:
        return torch.from_numpy(_core.narrow_project(array(x), array(weight)))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        (gradient,) = gradients
        x, weight = ctx.saved_tensors
        if torch.is_grad_enabled():  # to be differentiated again
            return gradient @ weight, gradient.t() @ x
        of_x, of_weight = _core.narrow_project_gradient(array(gradient), array(x), array(weight))
        return torch.from_numpy(of_x), torch.from_numpy(of_weight)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, int | None], x: Tensor, weight: Tensor) -> Any:
        x, weight = (
            value if dim is None else value.movedim(dim, 0)
            for value, dim in zip((x, weight), in_dims, strict=True)
        )
        return x @ weight.mT, 0


# -- What features must be --


def check_features(name: str, x: object) -> Features:
    """Return `x` if it is a matrix of node features, dense or sparse."""
    if isinstance(x, SparseFeatures):
        return x
    if not isinstance(x, Tensor):
        raise InputError(f"{name} is a {type(x).__name__}, but must be a tensor of node features")
    if x.layout not in (torch.strided, torch.sparse_csr):
        raise InputError(
            f"{name} has layout {x.layout}, but must be dense or torch.sparse_csr: "
            f"{name}.to_sparse_csr()"
        )
    if x.dim() != 2:
        raise InputError(
            f"{name} has shape {tuple(x.shape)}, but needs two dimensions: nodes and channels; "
            "batch several graphs as one graph without edges between them"
        )
    return x


def check_channels(name: str, x: Features, weight: Tensor) -> None:
    """Refuse features that `weight` cannot multiply."""
    check_float(name, x, weight)
    if x.shape[1] != weight.size(1):
        raise InputError(
            f"{name} has {x.shape[1]} channels, but the layer was made for {weight.size(1)}; "
            "-1 in its place takes the number from the first input"
        )


def check_float(name: str, values: Features, weight: Tensor) -> None:
    """Refuse values in another dtype or on another device than the layer's parameters."""
    if values.dtype in _HALF or weight.dtype in _HALF:
        half = values.dtype if values.dtype in _HALF else weight.dtype
        raise InputError(
            f"{name} or the layer is {half}, in which a sum over arcs loses too much precision; "
            "use float32, or torch.autocast for the layers around this one"
        )
    if values.dtype != weight.dtype:
        raise InputError(
            f"{name} has dtype {values.dtype}, but the layer's parameters have {weight.dtype}; "
            f"cast one of them: {name}.to({weight.dtype}) or layer.to({values.dtype})"
        )
    check_device(name, values.device, weight.device)


def check_device(name: str, device: torch.device, needed: torch.device) -> None:
    """Refuse values on another device than the layer's parameters."""
    if device != needed:
        raise InputError(
            f"{name} is on {device}, but the layer is on {needed}; "
            f"move one of them: {name}.to({str(needed)!r})"
        )


def _check_shapes(x: Features, weight: Tensor, heads: int) -> None:
    if weight.dim() != 2 or weight.shape[0] == 0 or weight.shape[0] % heads:
        raise InputError(
            f"weight has shape {tuple(weight.shape)}, but needs a multiple of heads={heads} as rows"
        )
    if len(x.shape) != 2 or x.shape[1] != weight.shape[1]:
        raise InputError(
            f"x has shape {tuple(x.shape)}, but weight needs (num_nodes, {weight.shape[1]})"
        )
