"""How many edges: epsilon, draws with replacement, distinct edges and `keep`."""

from __future__ import annotations

import math
import numbers
import warnings

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_between

DEFAULT_EPSILON = 0.5
MAX_DRAWS = 2**32 - 1  # the core counts in 32 bits


def check_density(epsilon: object, keep: object) -> tuple[float | None, float | int | None]:
    """Return (epsilon, keep) with one of them set; epsilon=0.5 where neither was given."""
    if epsilon is not None and keep is not None:
        raise InputError(f"epsilon={epsilon} and keep={keep} exclude each other: give one of them")
    if keep is None:
        epsilon = DEFAULT_EPSILON if epsilon is None else epsilon
        hint = "0.5 keeps accuracy on most graphs"
        return check_between("epsilon", epsilon, 0, 1, hint=hint), None
    number: object = None if isinstance(keep, bool) else keep
    if isinstance(number, numbers.Integral):
        if int(number) < 1:
            raise InputError(f"keep={keep} must be at least one edge, or a fraction such as 0.3")
        return None, int(number)
    if isinstance(number, numbers.Real) and 0 < float(number) <= 1:
        return None, float(number)
    raise InputError(f"keep={keep!r} must be a fraction in (0, 1] or a whole number of edges")


def paper_draws(num_nodes: int, epsilon: float) -> int:
    """Number of draws of the paper's Algorithm 2: int(0.16 N ln N / epsilon^2), at least one.

    >>> paper_draws(7650, 0.5)
    43782
    """
    draws = int(0.16 * num_nodes * math.log(max(num_nodes, 1)) / epsilon**2)
    if draws > MAX_DRAWS:
        raise InputError(f"epsilon={epsilon} asks for {draws} draws; use a larger epsilon")
    return max(draws, 1)


def count_of(keep: float | int, num_edges: int) -> int:
    """The number of edges that `keep` asks for."""
    if isinstance(keep, float):
        return max(1, round(keep * num_edges))
    if keep > num_edges:
        raise InputError(f"keep={keep} is more than the graph's {num_edges} edges")
    if keep == 1 and num_edges > 2:
        warnings.warn("keep=1 is one edge; keep=1.0 keeps all", stacklevel=3)
    return keep


def expected_distinct(probability: NDArray[np.float64], draws: float) -> float:
    """Expected number of distinct edges among draws with replacement."""
    with np.errstate(divide="ignore"):
        return float(-np.expm1(draws * np.log1p(-probability)).sum())


def draws_for_distinct(probability: NDArray[np.float64], distinct: float) -> int:
    """The number of draws with replacement after which so many distinct edges are expected."""
    low, high = 0.0, float(max(distinct, 1))
    while expected_distinct(probability, high) < distinct:
        low, high = high, 2 * high
        if high > MAX_DRAWS:
            raise InputError(
                f"keeping {distinct:.0f} of {probability.size} edges takes too many draws with "
                'replacement; use sampling="independent"'
            )
    while high - low > max(0.5, 1e-9 * high):
        middle = 0.5 * (low + high)
        if expected_distinct(probability, middle) < distinct:
            low = middle
        else:
            high = middle
    return max(1, round(0.5 * (low + high)))


def inclusion_probability(score: NDArray[np.float64], expected: float) -> NDArray[np.float64]:
    """min(1, c * score) with c such that `expected` edges are kept on average."""
    if expected >= np.count_nonzero(score):
        return (score > 0).astype(np.float64)
    certain = np.zeros(score.size, bool)
    while True:
        # c for the edges that are not certain; it only grows as more become certain.
        factor = (expected - np.count_nonzero(certain)) / float(score[~certain].sum())
        fresh = ~certain & (factor * score >= 1)
        if not fresh.any():
            return np.where(certain, 1.0, factor * score)
        certain |= fresh
