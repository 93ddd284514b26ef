"""Seconds in the attention kernels, which are part of the forward and the backward phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastgat import _core

KERNELS = (
    "additive_forward",
    "additive_backward",
    "dot_forward",
    "dot_backward",
    "gatv2_forward",
    "gatv2_backward",
)


class Seconds:
    """A sum that grows while kernels run."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.total = 0.0

    def around(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel, with its time taken."""

        def timed(*arguments: Any, **options: Any) -> Any:
            begin = time.perf_counter()
            try:
                return kernel(*arguments, **options)
            finally:
                self.total += time.perf_counter() - begin

        return timed


@contextmanager
def attention_seconds() -> Iterator[Seconds]:
    """What the kernels take while the block runs, in evaluations too; it must not be nested."""
    seconds, kernels = Seconds(), {name: getattr(_core, name) for name in KERNELS}
    for name, kernel in kernels.items():
        setattr(_core, name, seconds.around(kernel))
    try:
        yield seconds
    finally:
        for name, kernel in kernels.items():
            setattr(_core, name, kernel)
