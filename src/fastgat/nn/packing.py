"""The layout the kernels read: a node's channels one after the other, heads innermost, padded.

Heads are padded to a power of two and rows to whole vectors of 16 numbers (8 for a single head of
few channels), as `csrc/attention/shape.hpp` has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

MOST_HEADS = 16


@dataclass(frozen=True)
class Packing:
    """How `heads` heads of `channels` channels are laid out in a row."""

    heads: int
    channels: int
    allows_half: bool = True

    @property
    def padded_heads(self) -> int:
        """Heads, rounded up to a power of two."""
        return 1 << (self.heads - 1).bit_length()

    @property
    def row_size(self) -> int:
        """Numbers per node."""
        used = self.padded_heads * self.channels
        if self.allows_half and self.heads == 1 and used <= 8:
            return 8
        return -(-used // 16) * 16

    @property
    def is_padded(self) -> bool:
        """Whether a row holds more than the values."""
        return self.row_size != self.heads * self.channels

    def pack(self, values: Tensor) -> Tensor:
        """(nodes, heads, channels) -> (nodes, row_size); without a copy if the memory fits."""
        swapped = values.transpose(1, 2)
        if not self.is_padded:
            return swapped.contiguous().view(-1, self.row_size)
        rows = values.new_zeros(values.size(0), self.row_size)
        self._used(rows).copy_(swapped)
        return rows

    def unpack(self, rows: Tensor) -> Tensor:
        """(nodes, row_size) -> (nodes, heads, channels), a view."""
        return self._used(rows).transpose(1, 2)

    def pad_heads(self, values: Tensor) -> Tensor:
        """(rows, heads) -> (rows, padded_heads), contiguous."""
        more = self.padded_heads - self.heads
        return torch.nn.functional.pad(values, (0, more)) if more else values.contiguous()

    def _used(self, rows: Tensor) -> Tensor:
        used = rows[:, : self.padded_heads * self.channels]
        return used.view(-1, self.channels, self.padded_heads)[:, :, : self.heads]
