"""The sparsifiers by the names that the command line offers: one line each."""

from __future__ import annotations

from typing import Any

from fastgat.sparsify.degree import DegreeSparsifier
from fastgat.sparsify.effective_resistance import EffectiveResistanceSparsifier
from fastgat.sparsify.k_neighbor import KNeighborSparsifier
from fastgat.sparsify.uniform import UniformSparsifier

SPARSIFIERS: dict[str, type[Any]] = {
    "resistance": EffectiveResistanceSparsifier,
    "degree": DegreeSparsifier,
    "uniform": UniformSparsifier,
    "k-neighbor": KNeighborSparsifier,
}
