"""What tests share: repeatable examples, and datasets that are skipped where they are absent."""

import os
from collections.abc import Callable
from functools import cache

import hypothesis
import pytest

from fastgat.data import NodeTask, load_dataset, load_graph, missing_file
from fastgat.graph import Graph

# No deadline: a first call may build something. Derandomized: the same examples on every machine.
hypothesis.settings.register_profile("fastgat", deadline=None, derandomize=True)
hypothesis.settings.load_profile("fastgat")

os.environ["FASTGAT_OFFLINE"] = "1"  # no test asks the network, nor do the processes it starts


@cache
def _graph(name: str) -> Graph:
    return load_graph(name)


@cache
def _task(name: str) -> NodeTask:
    return load_dataset(name)


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Graph]:
    """Give `dataset("photo")`: the graph, or a skip that says which file is missing."""

    def get(name: str) -> Graph:
        _skip_if_missing(name)
        return _graph(name)

    return get


@pytest.fixture(scope="session")
def task() -> Callable[[str], NodeTask]:
    """Give `task("photo")`: graph, features, labels and split, or a skip."""

    def get(name: str) -> NodeTask:
        _skip_if_missing(name)
        return _task(name)

    return get


def _skip_if_missing(name: str) -> None:
    if missing := missing_file(name):
        pytest.skip(f"{missing} is not here; set FASTGAT_DATA")
