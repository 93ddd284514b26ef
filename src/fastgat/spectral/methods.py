"""The ways to effective resistances by name, with what the result rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastgat.check import Progress, check_choice
from fastgat.graph import Graph
from fastgat.spectral.cache import Cache
from fastgat.spectral.degree import degree_effective_resistances
from fastgat.spectral.exact import exact_effective_resistances
from fastgat.spectral.plain import plain_effective_resistances
from fastgat.spectral.resistance import estimate_effective_resistances
from fastgat.spectral.sketch import paper_columns, sketch_error

Method = Literal["smoothed", "plain", "exact", "degree"]


@dataclass(frozen=True)
class MethodResult:
    """Resistances aligned with the graph's edges, and what they rest on."""

    resistance: NDArray[np.float64]
    facts: dict[str, object]  # method, foster_ratio, mean_resistance, and what the method adds


def resistances_by(
    method: Method,
    graph: Graph,
    *,
    relative_error: float | None = None,
    sketch_columns: int | None = None,
    seed: int = 0,
    cache: Cache = None,
    progress: Progress | None = None,
) -> MethodResult:
    """Find the effective resistance of every edge by one of the methods.

    Args:
        method: "smoothed" is our sketch, "plain" the paper's, "exact" none at all, and "degree"
            1/degree + 1/degree.
        graph: the resistances are aligned with its edges.
        relative_error: mean error that "smoothed" is to reach; 0.02 unless given.
        sketch_columns: columns of "smoothed" or "plain", instead of an error.
        seed: of the sketch.
        cache: as in `effective_resistances`; for "smoothed".
        progress: called with the fraction of the work that is done.

    >>> from fastgat.graph.gallery import complete
    >>> resistances_by("degree", complete(5)).facts
    {'method': 'degree', 'foster_ratio': 1.25, 'mean_resistance': 0.5}
    """
    check_choice("method", method, get_args(Method))
    facts: dict[str, object] = {"method": method}
    if method == "smoothed":
        error = 0.02 if relative_error is None else relative_error
        estimate = estimate_effective_resistances(
            graph, error, sketch_columns, seed=seed, cache=cache, progress=progress
        )
        resistance = estimate.resistance
        facts |= {name: value for name, value in vars(estimate).items() if name != "resistance"}
    elif method == "plain":
        columns = paper_columns(graph.num_nodes) if sketch_columns is None else sketch_columns
        resistance = plain_effective_resistances(graph, columns, seed=seed, progress=progress)
        facts |= {"sketch_columns": columns, "expected_error": sketch_error(columns)}
    elif method == "exact":
        resistance = exact_effective_resistances(graph, progress=progress)
    else:
        resistance = degree_effective_resistances(graph)
    facts.setdefault("foster_ratio", _foster_ratio(graph, resistance))
    facts["mean_resistance"] = float(resistance.mean()) if resistance.size else None
    return MethodResult(resistance, facts)


def _foster_ratio(graph: Graph, resistance: NDArray[np.float64]) -> float:
    """Sum of the leverages over its exact value, nodes - components."""
    exact = graph.num_nodes - graph.num_components
    return float(graph.weight @ resistance) / exact if exact else 1.0
