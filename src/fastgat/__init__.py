"""fastgat: attention graph neural networks on the few edges that carry the graph's spectrum."""

# ruff: noqa: E402 - the thread pool is chosen before the core is loaded
from fastgat._threads import load_thread_pool

load_thread_pool()

from importlib import import_module
from typing import Any

from fastgat._version import __version__
from fastgat.check import InputError
from fastgat.data import NodeTask, Split, load_dataset, read_task
from fastgat.graph import Graph, read_graph
from fastgat.sparsify import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    KNeighborSparsifier,
    SparsifiedGraph,
    UniformSparsifier,
)
from fastgat.spectral import (
    Certificate,
    LaplacianSolver,
    certify,
    degree_effective_resistances,
    effective_resistances,
    estimate_effective_resistances,
    exact_effective_resistances,
    plain_effective_resistances,
)

__all__ = [
    "Certificate",
    "DegreeSparsifier",
    "EffectiveResistanceSparsifier",
    "Graph",
    "InputError",
    "KNeighborSparsifier",
    "LaplacianSolver",
    "NodeTask",
    "SparsifiedGraph",
    "Split",
    "UniformSparsifier",
    "__version__",
    "certify",
    "degree_effective_resistances",
    "effective_resistances",
    "estimate_effective_resistances",
    "exact_effective_resistances",
    "load_dataset",
    "plain_effective_resistances",
    "read_graph",
    "read_task",
]

_FROM_TRAIN = ("AdaptiveDensity", "RunRecord", "TrainConfig", "fit")


def __getattr__(name: str) -> Any:
    """Load what needs torch when first asked for."""
    if name in ("nn", "pyg", "train"):
        return import_module(f"fastgat.{name}")
    if name in _FROM_TRAIN:
        return getattr(import_module("fastgat.train"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
