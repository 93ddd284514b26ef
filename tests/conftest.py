"""What tests share: repeatable examples, and datasets that are skipped where they are absent."""

from collections.abc import Callable
from functools import cache

import hypothesis
import pytest

from fastgat.check import InputError
from fastgat.data import catalogue, load_graph, locate
from fastgat.graph import Graph

# No deadline: a first call may build something. Derandomized: the same examples on every machine.
hypothesis.settings.register_profile("fastgat", deadline=None, derandomize=True)
hypothesis.settings.load_profile("fastgat")


@cache
def _graph(name: str) -> Graph:
    return load_graph(name)


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Graph]:
    """Give `dataset("photo")`: the graph, or a skip that says which file is missing."""

    def get(name: str) -> Graph:
        try:
            locate.find_file(catalogue.find_entry(name).graph_file)
        except InputError as error:
            pytest.skip(str(error))
        return _graph(name)

    return get
