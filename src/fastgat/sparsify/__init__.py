"""Sparsifiers: one contract, one file each."""

from fastgat.sparsify.degree import DegreeSparsifier
from fastgat.sparsify.effective_resistance import EffectiveResistanceSparsifier
from fastgat.sparsify.k_neighbor import KNeighborSparsifier
from fastgat.sparsify.prepared import PreparedSparsifier
from fastgat.sparsify.sparsified import SparsifiedGraph
from fastgat.sparsify.uniform import UniformSparsifier

__all__ = [
    "DegreeSparsifier",
    "EffectiveResistanceSparsifier",
    "KNeighborSparsifier",
    "PreparedSparsifier",
    "SparsifiedGraph",
    "UniformSparsifier",
]
