"""Attention in plain torch: any device, any float dtype, and the oracle of the compiled kernels.

Everything here is per arc, so memory grows with arcs x heads x channels. Results are those of the
kernels; dropout masks agree in distribution only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.nn.arcs import SortedArcs


class Scores:
    """A score family, filled with the tensors of one call; they hold all heads.

    A family is a frozen dataclass that says what its logits are, and by `head_axis` which of its
    fields differ by head. Everything else follows in plain torch; one with a kernel is also a
    `KernelScores`.
    """

    value: Tensor  # what is summed: (num_sources, heads, channels)
    bias: Tensor | None = None  # added to every sum: (heads, channels)
    head_axis: ClassVar[Mapping[str, int]]  # the fields that differ by head, and where heads are

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        """The scores of the arcs from `source` to `target`: (arcs, heads)."""
        raise NotImplementedError

    def attend(
        self,
        arcs: SortedArcs,
        *,
        weight: Tensor | None = None,
        dropout: float = 0.0,
        seed: Tensor | None = None,
    ) -> Tensor:
        """Sum of the values, weighted by attention: (num_targets, heads, channels).

        Args:
            arcs: what is summed over.
            weight: a prior of at least 0 per arc that multiplies exp(score); all ones unless given.
            dropout: the share of coefficients that is set to zero, the others being scaled.
            seed: int64 tensor of one entry; needed where something is dropped.
        """
        alpha = self.coefficients(arcs, weight=weight, dropout=dropout, seed=seed)
        return self.weighted_sum(alpha, arcs)

    def coefficients(
        self,
        arcs: SortedArcs,
        *,
        weight: Tensor | None = None,
        dropout: float = 0.0,
        seed: Tensor | None = None,
    ) -> Tensor:
        """a_ij = w_ij exp(logit_ij) / sum_j w_ij exp(logit_ij), then dropout: (arcs, heads).

        Arguments as `attend`.
        """
        source, target = arcs.arc_index()
        alpha = _softmax(self.logits(source, target), target, arcs.num_targets, weight)
        if dropout == 0.0:
            return alpha
        if dropout == 1.0:
            return torch.zeros_like(alpha)
        return torch.where(keep_arcs(alpha, dropout, seed), alpha / (1.0 - dropout), 0.0)

    def weighted_sum(self, alpha: Tensor, arcs: SortedArcs) -> Tensor:
        """out_i = sum_j alpha_ij value_j + bias per head: (num_targets, heads, channels)."""
        source, target = arcs.arc_index()
        out = self.value.new_zeros(arcs.num_targets, *self.value.shape[1:])
        out = out.index_add(0, target, alpha.unsqueeze(-1) * self.value[source])
        return out if self.bias is None else out + self.bias

    def of_heads(self, heads: slice) -> Self:
        """The same for some heads alone."""
        count, parts = self.value.size(1), {}
        for name, axis, tensor in self._by_head():
            block = tensor.size(axis) // count  # numbers of one head along the axis
            size = (heads.stop - heads.start) * block
            parts[name] = tensor.narrow(axis, heads.start * block, size)
        return replace(self, **parts)  # type: ignore[type-var]

    def split(self) -> list[Self]:
        """The same for every head alone, its values in one piece of memory."""
        count = self.value.size(1)
        parts: dict[str, Sequence[Tensor]] = {}
        for name, axis, tensor in self._by_head():
            if axis == 1:  # per node: heads first, so that gradients are joined in one step
                heads = tensor.transpose(0, 1).contiguous().unbind(0)
                parts[name] = [head.unsqueeze(1) for head in heads]
            else:
                parts[name] = tensor.chunk(count, axis)
        return [
            replace(self, **{name: part[head] for name, part in parts.items()})  # type: ignore[type-var]
            for head in range(count)
        ]

    def _by_head(self) -> list[tuple[str, int, Tensor]]:
        if not hasattr(self, "head_axis"):
            raise InputError(
                f"{type(self).__name__} has no head_axis, which one graph per head needs: give the "
                "class one that names the fields that differ by head and the axis of the heads, "
                "such as head_axis: ClassVar = {'value': 1}"
            )
        given = [(name, axis, getattr(self, name)) for name, axis in self.head_axis.items()]
        return [(name, axis, tensor) for name, axis, tensor in given if tensor is not None]


def keep_arcs(alpha: Tensor, dropout: float, seed: Tensor | None) -> Tensor:
    """Which entries of (arcs, heads) stay: each with probability 1 - dropout, fixed by the seed.

    A hash of seed, arc and head, so no state and no waiting for a device.

    Args:
        alpha: gives shape and device.
        dropout: in [0, 1).
        seed: int64 tensor of one entry.
    """
    if seed is None:
        raise InputError(f"dropout={dropout} needs a seed; fastgat.nn.dropout.draw_seed makes one")
    word = 0xFFFFFFFF
    seed = seed.to(alpha.device)
    low, high = _mix(seed & word), _mix((seed >> 32) ^ 0x9E3779B9)
    arc = torch.arange(alpha.size(0), device=alpha.device).unsqueeze(-1)
    head = torch.arange(1, alpha.size(1) + 1, device=alpha.device)
    bits = _mix(_mix(_mix(arc & word ^ low) ^ high) ^ _mix(head))
    return bits >= int(dropout * 2**32)


def _mix(bits: Tensor) -> Tensor:
    """Scramble 32 bits held in int64: Wellons' hash "lowbias32" with TheIronBorn's constants.

    Its factors lie below 2^31, so no product leaves int64.
    """
    word = 0xFFFFFFFF
    bits = (bits ^ (bits >> 16)) * 0x21F0AAAD & word
    bits = (bits ^ (bits >> 15)) * 0x735A2D97 & word
    return bits ^ (bits >> 15)


def _softmax(logits: Tensor, target: Tensor, num_targets: int, weight: Tensor | None) -> Tensor:
    """Softmax of logit_ij + log w_ij over the arcs of each target, without log w where w = 0."""
    lifted = logits.detach()
    if weight is not None:
        lifted = lifted + weight.detach().log().unsqueeze(-1)
    shift = max_per_target(lifted, target, num_targets)
    exponent = logits - shift[target]
    if weight is None:
        mass = exponent.exp()
    else:
        # Above zero only where w < 1, so w exp(exponent) <= 1, or where w = 0: hence the clamp.
        limit = math.log(torch.finfo(logits.dtype).max) - 1
        mass = weight.unsqueeze(-1) * exponent.clamp(max=limit).exp()
    total = mass.new_zeros(num_targets, mass.size(1)).index_add(0, target, mass)
    empty = total == 0  # a target all of whose arcs have weight zero
    return (mass / total.masked_fill(empty, 1.0)[target]).masked_fill(empty[target], 0.0)


def max_per_target(values: Tensor, target: Tensor, num_targets: int) -> Tensor:
    """The largest of (arcs, columns) by target; zero where there is none above -inf.

    Args:
        values: a row per arc.
        target: of every arc.
        num_targets: rows of the result.
    """
    floor = values.new_full((num_targets, values.size(1)), -math.inf)
    index = target.unsqueeze(-1).expand_as(values)
    largest = floor.scatter_reduce(0, index, values, "amax")
    return largest.masked_fill(largest == -math.inf, 0.0)
