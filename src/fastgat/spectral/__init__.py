"""Laplacian solver, effective resistances, spectral certificate."""

from fastgat.spectral.certificate import Certificate, certify
from fastgat.spectral.degree import degree_resistances
from fastgat.spectral.exact import exact_effective_resistances
from fastgat.spectral.plain import plain_resistances
from fastgat.spectral.resistance import (
    ResistanceEstimate,
    effective_resistances,
    estimate_resistances,
)
from fastgat.spectral.solver import LaplacianSolver, Solution

__all__ = [
    "Certificate",
    "LaplacianSolver",
    "ResistanceEstimate",
    "Solution",
    "certify",
    "degree_resistances",
    "effective_resistances",
    "estimate_resistances",
    "exact_effective_resistances",
    "plain_resistances",
]
