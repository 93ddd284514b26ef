"""Small tasks: one thread is faster, and on a busy machine much faster."""

from collections.abc import Iterator

import pytest
import torch

from fastgat.data import NodeTask, load_dataset


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def synthetic() -> NodeTask:
    return load_dataset("synthetic", num_nodes=600, seed=3)
