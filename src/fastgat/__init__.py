"""fastgat: attention graph neural networks on the few edges that carry the graph's spectrum."""

# ruff: noqa: E402 - the thread pool is chosen before the core is loaded
from fastgat._threads import load_thread_pool

load_thread_pool()

from importlib import import_module
from typing import Any

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
    degree_resistances,
    effective_resistances,
    estimate_resistances,
    exact_effective_resistances,
    plain_resistances,
)

__version__ = "0.1.0"

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
    "degree_resistances",
    "effective_resistances",
    "estimate_resistances",
    "exact_effective_resistances",
    "load_dataset",
    "plain_resistances",
    "read_graph",
    "read_task",
]


def __getattr__(name: str) -> Any:
    """Load `fastgat.nn` and `fastgat.pyg`, and torch with them, when first asked for."""
    if name in ("nn", "pyg"):
        return import_module(f"fastgat.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
