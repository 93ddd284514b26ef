"""fastgat: attention graph neural networks on the few edges that carry the graph's spectrum.

Graphs, resistances, sparsifiers and tasks are here without torch. `fit`, `TrainConfig`,
`RunRecord`, `AdaptiveDensity` and the modules `nn`, `pyg` and `train` load it when first asked for.
"""

# ruff: noqa: E402 - Ctrl-C is seen to first; the thread pool is chosen before the core is loaded
from fastgat._startup import end_at_once, end_without_dependencies, starts_command

if starts_command():
    end_at_once()
    end_without_dependencies()

from fastgat._threads import load_thread_pool

load_thread_pool()

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastgat import data, graph, sparsify, spectral
from fastgat._version import __version__
from fastgat.check import InputError
from fastgat.data import NodeTask, Split, load_dataset, read_task
from fastgat.graph import Graph, read_graph
from fastgat.sparsify import (
    DegreeSparsifier,
    EffectiveResistanceSparsifier,
    GuidedSparsifier,
    KNeighborSparsifier,
    SimilaritySparsifier,
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

if TYPE_CHECKING:
    from fastgat import nn, pyg, train
    from fastgat.train import AdaptiveDensity, RunRecord, TrainConfig, fit

__all__ = [
    "AdaptiveDensity",
    "Certificate",
    "DegreeSparsifier",
    "EffectiveResistanceSparsifier",
    "Graph",
    "GuidedSparsifier",
    "InputError",
    "KNeighborSparsifier",
    "LaplacianSolver",
    "NodeTask",
    "RunRecord",
    "SimilaritySparsifier",
    "SparsifiedGraph",
    "Split",
    "TrainConfig",
    "UniformSparsifier",
    "__version__",
    "certify",
    "data",
    "degree_effective_resistances",
    "effective_resistances",
    "estimate_effective_resistances",
    "exact_effective_resistances",
    "fit",
    "graph",
    "load_dataset",
    "nn",
    "plain_effective_resistances",
    "pyg",
    "read_graph",
    "read_task",
    "sparsify",
    "spectral",
    "train",
]

_TORCH_MODULES = ("nn", "pyg", "train")
_FROM_TRAIN = ("AdaptiveDensity", "RunRecord", "TrainConfig", "fit")

if not TYPE_CHECKING:  # or type checkers would take any name for a good one

    def __getattr__(name: str) -> Any:
        """Load what needs torch when first asked for."""
        if name in _TORCH_MODULES:
            return import_module(f"fastgat.{name}")
        if name in _FROM_TRAIN:
            return getattr(import_module("fastgat.train"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
