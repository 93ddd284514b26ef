"""Sparsifiers side by side at equal edge counts: how much of the spectrum each keeps."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.paper_sampling import paper_sparsifier
from experiments.records import Result, StoredRow
from experiments.table import BLANK, Table
from experiments.tasks import find_graph

NAME = "sparsifiers"
DATASETS = ("cora", "citeseer", "pubmed", "photo", "computers", "cs", "physics", "github")
EPSILONS = (0.5, 0.9)
SEEDS = (7, 19, 31, 43, 59)
FIELDS = ("upper", "lower_nonzero", "lost", "num_components")


def rows(options: Options) -> list[Row]:
    """Every dataset, density and sparsifier."""
    return [
        Row(
            f"{name}/{epsilon}/{method}",
            {"quick": options.quick, "dataset": name, "epsilon": epsilon, "method": method},
            partial(measure, name, epsilon, method),
        )
        for name in options.names(DATASETS, ("cora",))
        for epsilon in EPSILONS
        for method in sparsifiers(0.5)
    ]


def sparsifiers(keep: int | float) -> dict[str, Any]:
    """Every sparsifier at the same expected number of edges."""
    return {
        "resistance, replacement": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="replacement"
        ),
        "resistance, independent": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="independent"
        ),
        "resistance, independent, forest": fg.EffectiveResistanceSparsifier(
            keep=keep, sampling="independent", spanning_forest=True
        ),
        "degree, replacement": fg.DegreeSparsifier(keep=keep, sampling="replacement"),
        "degree, independent": fg.DegreeSparsifier(keep=keep, sampling="independent"),
        "uniform, independent": fg.UniformSparsifier(keep=keep, sampling="independent"),
        "k-neighbour": fg.KNeighborSparsifier(keep=keep),
    }


@cache
def number_kept(name: str, epsilon: float) -> int:
    """As many edges as the paper's sampling gives on average."""
    paper = paper_sparsifier(epsilon).prepare(find_graph(name), seed=7)
    return round(np.mean([paper.draw(seed).num_edges for seed in SEEDS]))


def measure(name: str, epsilon: float, method: str) -> Result:
    """Means and deviations of five draws."""
    graph = find_graph(name)
    prepared = sparsifiers(number_kept(name, epsilon))[method].prepare(graph, seed=7)
    draws = [prepared.draw(seed) for seed in SEEDS]
    certificates = [fg.certify(graph, draw) for draw in draws]
    result: Result = {"edges": float(np.mean([draw.num_edges for draw in draws]))}
    for field in FIELDS:
        values = [float(getattr(certificate, field)) for certificate in certificates]
        result[field] = float(np.mean(values))
        result[f"{field} deviation"] = float(np.std(values))
    return result


def tables(results: Results) -> list[Table]:
    """Sparsifiers across, graphs down: upper and lower_nonzero, then lost nodes."""
    methods = list(sparsifiers(0.5))
    places = dict.fromkeys(
        (str(row.settings["dataset"]), float(row.settings["epsilon"])) for row in results.values()
    )
    spectrum, lost = [], []
    for name, epsilon in places:
        every = [results.get(f"{name}/{epsilon}/{method}") for method in methods]
        spectrum.append([name, str(epsilon), *map(_bounds, every)])
        lost.append([name, str(epsilon), *map(_lost, every)])
    columns = ["graph", "epsilon", *methods]
    return [
        Table("Largest and least non-zero eigenvalue", columns, spectrum),
        Table("Lost nodes", columns, lost),
    ]


def _bounds(row: StoredRow | None) -> str:
    if row is None or not row.is_done:
        return BLANK
    return f"{row.result['upper']:.2f}, {row.result['lower_nonzero']:.3f}"


def _lost(row: StoredRow | None) -> str:
    return BLANK if row is None or not row.is_done else f"{row.result['lost']:,.0f}"


EXPERIMENT = Experiment(
    NAME,
    "Sparsifiers at equal numbers of edges",
    "Every sparsifier keeps as many edges as the paper's sampling does on average; means of "
    f"{len(SEEDS)} draws. Both eigenvalues would be 1 if nothing were lost.",
    rows,
    tables,
    takes=("datasets",),
)
