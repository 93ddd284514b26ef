"""Small tasks and models, one thread: what is trained here takes milliseconds per epoch."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import fastgat as fg
from fastgat import _core
from fastgat.data import NodeTask
from fastgat.nn import FastGAT


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """These graphs are too small for two."""
    threads, core_threads = torch.get_num_threads(), _core.num_threads()
    torch.set_num_threads(1)
    _core.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    _core.set_num_threads(core_threads)


@pytest.fixture(scope="session")
def blocks() -> NodeTask:
    """One graph of four communities, which are the classes."""
    return fg.load_dataset("synthetic", num_nodes=200, num_edges=2000, seed=3)


@pytest.fixture(scope="session")
def digits() -> NodeTask:
    """A real task on one graph."""
    return fg.load_dataset("digits")


@pytest.fixture(scope="session")
def ppi() -> NodeTask:
    """24 small graphs, several labels per node."""
    return fg.load_dataset("ppi-like", num_nodes=720, num_edges=3600, num_classes=12, seed=5)


@pytest.fixture(scope="session")
def model_for() -> Callable[..., FastGAT]:
    """Give `model_for(task, heads=2, ...)`: a small FastGAT, the same one every time."""

    def make(task: NodeTask, **options: Any) -> FastGAT:
        given = {"hidden_channels": 4, "heads": 2, "dropout": 0.3, **options}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(7)
            return FastGAT(task.num_features, out_channels=task.num_classes, **given)

    return make
