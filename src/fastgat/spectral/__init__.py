"""Laplacian solver, effective resistances, spectral certificate."""
