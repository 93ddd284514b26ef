"""What was made of tensors that are given again at every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from torch import Tensor

Made = TypeVar("Made")


class Remembered(Generic[Made]):
    """Calls `make` only if it is given other tensors than the last time, or changed ones."""

    def __init__(self, make: Callable[..., Made]) -> None:
        """Remember nothing yet."""
        self._make = make
        self._given: tuple[tuple[Tensor, int], ...] = ()
        self._made: Made

    def __call__(self, *tensors: Tensor) -> Made:
        """`make(*tensors)`."""
        known = len(tensors) == len(self._given) and all(
            tensor is old and tensor._version == version
            for tensor, (old, version) in zip(tensors, self._given, strict=True)
        )
        if not known:
            self._made = self._make(*tensors)
            self._given = tuple((tensor, tensor._version) for tensor in tensors)
        return self._made
