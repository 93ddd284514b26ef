"""Operators by the shortest way that serves: torch's dispatcher only where somebody looks on.

The way through the dispatcher, with its checks and its several Python frames, costs about as much
as the work on a small graph. A plain call needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad
from torch.nn import Parameter

_PLAIN = (Tensor, Parameter)


class Operator:
    """A function of tensors, registered with torch under `name`; its results are no views.

    It is differentiated once: the operator of its backward pass has no gradient of its own.
    """

    def __init__(self, name: str, function: Callable[..., Any], **options: Any) -> None:
        """Register `function`; `options` as of `torch.library.custom_op`."""
        self.definition = torch.library.custom_op(name, function, mutates_args=(), **options)
        self.function = function
        self.node: type[Function] | None = None

    def __call__(self, *inputs: Any) -> Any:
        """Compute, and remember for the backward pass what `save` says."""
        if torch.compiler.is_compiling() or not is_plain_call(inputs):
            return self.definition(*inputs)
        if not torch.is_grad_enabled() or not any(map(_requires_grad, inputs)):
            return _without_views(self.function(*inputs))
        if self.node is None:
            return self.definition(*inputs)
        return self.node.apply(*inputs)  # type: ignore[no-untyped-call]

    def register_fake(self, fake: Callable[..., Any]) -> Callable[..., Any]:
        """Say what shapes come out, for compilers. A decorator."""
        self.definition.register_fake(fake)
        return fake

    def register_gradient(
        self, differentiate: Callable[..., Any], save: Callable[[Any, Any, Any], None]
    ) -> None:
        """Both ways are differentiated alike: `save(ctx, inputs, output)`, `differentiate(ctx)`."""
        function = self.function

        def forward(ctx: Any, *inputs: Any) -> Any:
            output = _without_views(function(*inputs))
            save(ctx, inputs, output)
            return output

        ways = {"forward": staticmethod(forward), "backward": staticmethod(differentiate)}
        name = self.definition._qualname.replace("::", "_")
        self.node = type(name, (Function,), ways)
        self.definition.register_autograd(differentiate, setup_context=save)


def operator(name: str, **options: Any) -> Callable[[Callable[..., Any]], Operator]:
    """Make an operator of the function below."""
    return lambda function: Operator(name, function, **options)


def is_plain_call(inputs: tuple[Any, ...]) -> bool:
    """Whether nobody but autograd follows these tensors: no transform, trace, mode or profiler."""
    watched = (
        torch._C._are_functorch_transforms_active()
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._len_torch_function_stack() > 0
        or forward_ad._current_level >= 0
        or torch.is_autocast_enabled("cpu")
        or torch._C._get_tracing_state() is not None
        or torch.autograd.profiler._is_profiler_enabled
    )
    return not watched and all(map(_is_plain, inputs))


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Tensor) or (type(value) in _PLAIN and value.is_cpu)


def _requires_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _without_views(output: Any) -> Any:
    """Autograd lets nobody write to a view that was made behind its back."""
    if isinstance(output, Tensor):
        return output.detach() if output._is_view() else output
    return tuple(map(_without_views, output))
