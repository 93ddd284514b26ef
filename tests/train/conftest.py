"""Small tasks and models, one thread: what is trained here takes milliseconds per epoch."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import fastgat as fg
from fastgat import _core
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import Epoch, RunRecord, TrainConfig


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


@pytest.fixture(scope="session")
def config() -> TrainConfig:
    """Of the runs that `train` makes."""
    sparsifier = fg.UniformSparsifier(keep=0.5)
    return TrainConfig(epochs=9, learning_rate=0.02, seed=17, sparsifier=sparsifier)


@pytest.fixture
def train(
    blocks: NodeTask, model_for: Callable[..., FastGAT], config: TrainConfig, tmp_path: Path
) -> Callable[..., RunRecord]:
    """Give `train(resume=True, ...)`: a run in tmp_path/run, with a checkpoint every 2 epochs."""

    def call(changed: TrainConfig = config, **options: Any) -> RunRecord:
        task = options.pop("task", blocks)
        model = options.pop("model", None) or model_for(task)
        given = {"folder": tmp_path / "run", "checkpoint_every": 2, **options}
        return fg.fit(model, task, changed, **given)

    return call


@pytest.fixture
def stop_after() -> Callable[[int], Callable[[Epoch], None]]:
    """Give `stop_after(epoch)`, to be called after every epoch."""

    def make(last: int) -> Callable[[Epoch], None]:
        def stop(epoch: Epoch) -> None:
            if epoch.epoch == last:
                raise ZeroDivisionError  # as good as a kill: nothing catches it

        return stop

    return make


@pytest.fixture
def stopped(train: Callable[..., RunRecord], stop_after: Callable, tmp_path: Path) -> Path:
    """The folder of a run that ended in its seventh epoch."""
    with pytest.raises(ZeroDivisionError):
        train(on_epoch=stop_after(7))
    return tmp_path / "run"
