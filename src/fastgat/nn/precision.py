"""Sums over arcs stay in full precision under autocast."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.amp.autocast_mode import is_autocast_available
from torch.nn import Module


def in_full_precision(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Leave autocast: the arguments come in at the parameters' dtype, the result stays there."""

    @wraps(forward)
    def run(self: Module, x: Any, *args: Any, **kwargs: Any) -> Any:
        ends = x if isinstance(x, list | tuple) else (x,)
        device = next((end.device.type for end in ends if hasattr(end, "device")), "cpu")
        if not (is_autocast_available(device) and torch.is_autocast_enabled(device)):
            return forward(self, x, *args, **kwargs)
        with torch.autocast(device, enabled=False):
            wide = [_widen(value) for value in (x, *args)]
            return forward(self, *wide, **{name: _widen(value) for name, value in kwargs.items()})

    return run


def _widen(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_widen(one) for one in value)
    if isinstance(value, Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return value
