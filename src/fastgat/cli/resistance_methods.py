"""The ways to resistances that `fastgat resistances` offers."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_between, check_count
from fastgat.cli.prompt_ending import end_promptly
from fastgat.graph import Graph

Progress = Callable[[float], object] | None
Result = tuple[NDArray[np.float64], dict[str, object]]


class Method(StrEnum):
    """How resistances are found."""

    smoothed = "smoothed"
    plain = "plain"
    exact = "exact"
    degree = "degree"


def check_options(method: Method, relative_error: float | None, columns: int | None) -> None:
    """Refuse options that exclude each other or that the method has no use for."""
    if relative_error is not None and columns is not None:
        raise InputError("--relative-error and --columns exclude each other: give one of them")
    if relative_error is not None:
        if method is not Method.smoothed:
            raise InputError(f"--relative-error is for --method smoothed, not {method}")
        check_between("relative_error", relative_error, 0, 1, hint="0.02 is plenty for sampling")
    if columns is not None:
        if method not in (Method.smoothed, Method.plain):
            raise InputError(f"--columns is for --method smoothed or plain, not {method}")
        check_count("columns", columns, 1, hint="16 make one block")


def compute(
    graph: Graph,
    method: Method,
    relative_error: float | None,
    columns: int | None,
    *,
    seed: int,
    cache: bool | None,
    progress: Progress,
) -> Result:
    """Resistances aligned with the graph's edges, and what they rest on."""
    from fastgat import spectral

    about: dict[str, object] = {"method": str(method)}
    if method is Method.smoothed:
        error = 0.02 if relative_error is None else relative_error
        estimate = spectral.estimate_resistances(
            graph, error, columns, seed=seed, cache=cache, progress=progress
        )
        resistance = estimate.resistance
        about |= {name: value for name, value in vars(estimate).items() if name != "resistance"}
    elif method is Method.plain:
        if columns is None:
            columns = max(1, round(4 * math.log(max(graph.num_nodes, 1))))  # the paper's
        resistance = spectral.plain_resistances(graph, columns, seed=seed, progress=progress)
        # |chi^2_t / t - 1| has mean sqrt(2/t) * sqrt(2/pi) for large t.
        about |= {"sketch_columns": columns, "expected_error": math.sqrt(4 / (math.pi * columns))}
    elif method is Method.exact:
        with end_promptly():
            resistance = spectral.exact_effective_resistances(graph, progress=progress)
    else:
        resistance = spectral.degree_resistances(graph)
    about.setdefault("foster_ratio", _foster_ratio(graph, resistance))
    about["mean_resistance"] = float(resistance.mean()) if resistance.size else None
    return resistance, about


def _foster_ratio(graph: Graph, resistance: NDArray[np.float64]) -> float:
    """Sum of the leverages over its exact value, nodes - components."""
    exact = graph.num_nodes - graph.num_components
    return float(graph.weight @ resistance) / exact if exact else 1.0
