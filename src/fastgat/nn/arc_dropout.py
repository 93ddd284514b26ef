"""Dropout masks of the portable path: a hash of seed, arc and head, so no state and no sync."""

from __future__ import annotations

import torch
from torch import Tensor

from fastgat.check import InputError

_WORD = 0xFFFFFFFF


def keep_arcs(alpha: Tensor, dropout: float, seed: Tensor | None) -> Tensor:
    """Which entries of (arcs, heads) stay: each with probability 1 - dropout, fixed by the seed."""
    if seed is None:
        raise InputError(f"dropout={dropout} needs a seed; fastgat.nn.dropout.draw_seed makes one")
    seed = seed.to(alpha.device)
    low, high = _mix(seed & _WORD), _mix((seed >> 32) ^ 0x9E3779B9)
    arc = torch.arange(alpha.size(0), device=alpha.device).unsqueeze(-1)
    head = torch.arange(1, alpha.size(1) + 1, device=alpha.device)
    bits = _mix(_mix(_mix(arc & _WORD ^ low) ^ high) ^ _mix(head))
    return bits >= int(dropout * 2**32)


def _mix(bits: Tensor) -> Tensor:
    """Scramble 32 bits held in int64: Wellons' hash "lowbias32" with TheIronBorn's constants.

    Its factors lie below 2^31, so no product leaves int64.
    """
    bits = (bits ^ (bits >> 16)) * 0x21F0AAAD & _WORD
    bits = (bits ^ (bits >> 15)) * 0x735A2D97 & _WORD
    return bits ^ (bits >> 15)
