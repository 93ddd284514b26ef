"""Sparsifiers: one contract, one file each.

A new one is a file beside these, or in your own code, and a line in `SPARSIFIERS` to have a name.
"""

from typing import Any

from fastgat.sparsify.contract import (
    ArcSampler,
    PreparedSparsifier,
    SparsifiedGraph,
    Sparsifier,
    subgraph,
)
from fastgat.sparsify.degree import DegreeSparsifier
from fastgat.sparsify.effective_resistance import EffectiveResistanceSparsifier, Estimator
from fastgat.sparsify.k_neighbor import KNeighborSparsifier
from fastgat.sparsify.sampling import Sampling, ScoreSparsifier
from fastgat.sparsify.uniform import UniformSparsifier

# By the names that the command line takes; run records go by the names of the classes.
SPARSIFIERS: dict[str, type[Any]] = {
    "resistance": EffectiveResistanceSparsifier,
    "degree": DegreeSparsifier,
    "uniform": UniformSparsifier,
    "k-neighbor": KNeighborSparsifier,
}

__all__ = [
    "SPARSIFIERS",
    "ArcSampler",
    "DegreeSparsifier",
    "EffectiveResistanceSparsifier",
    "Estimator",
    "KNeighborSparsifier",
    "PreparedSparsifier",
    "Sampling",
    "ScoreSparsifier",
    "SparsifiedGraph",
    "Sparsifier",
    "UniformSparsifier",
    "subgraph",
]
