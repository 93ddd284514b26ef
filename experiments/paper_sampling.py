"""Edges as the paper draws them: with replacement, by effective resistance."""

from __future__ import annotations

from typing import Any

from fastgat.sparsify import EffectiveResistanceSparsifier


def paper_sparsifier(epsilon: float | None = None, **options: Any) -> EffectiveResistanceSparsifier:
    """The paper's sampling; `options` of the sparsifier may say otherwise.

    >>> paper_sparsifier(0.5).sampling
    'replacement'
    """
    return EffectiveResistanceSparsifier(epsilon, **{"sampling": "replacement", **options})
