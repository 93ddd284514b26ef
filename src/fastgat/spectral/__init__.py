"""Laplacian solver, effective resistances, spectral certificate.

Functions that give the effective resistance of every edge are called `..._effective_resistances`:

    effective_resistances             by the smoothed sketch, to an error asked for
    estimate_effective_resistances    the same, with what the estimate rests on
    plain_effective_resistances       by the paper's sketch, without smoothing
    degree_effective_resistances      by the degrees of the two ends alone
    exact_effective_resistances       to nearly full precision, on graphs small enough
"""

from fastgat.spectral.cache import Cache, ResistanceCache
from fastgat.spectral.certificate import Certificate, certify
from fastgat.spectral.degree import degree_effective_resistances
from fastgat.spectral.exact import exact_effective_resistances
from fastgat.spectral.plain import plain_effective_resistances
from fastgat.spectral.resistance import (
    ResistanceEstimate,
    effective_resistances,
    estimate_effective_resistances,
)
from fastgat.spectral.solver import LaplacianSolver, Solution

__all__ = [
    "Cache",
    "Certificate",
    "LaplacianSolver",
    "ResistanceCache",
    "ResistanceEstimate",
    "Solution",
    "certify",
    "degree_effective_resistances",
    "effective_resistances",
    "estimate_effective_resistances",
    "exact_effective_resistances",
    "plain_effective_resistances",
]
