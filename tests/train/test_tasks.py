"""What `fit` takes as a task, and the sentence it refuses anything else with."""

from collections.abc import Callable

import pytest
import torch
from torch_geometric.data import HeteroData

from fastgat import InputError, fit
from fastgat.data import NodeTask


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda task: [task, task], "task is a list, .*; Batch.from_data_list .* joins several"),
        (lambda task: (), "task is a tuple, .*; Batch.from_data_list"),
        (
            lambda task: HeteroData(),
            r"task is a HeteroData, .*; to_homogeneous\(\) makes one graph",
        ),
        (lambda task: task.graph, r"task is a Graph, .*; NodeTask\.from_pyg and .*read_task"),
        (lambda task: "cora", r"task is a str, but must be a NodeTask, or a PyG Data with edge_in"),
    ],
    ids=["list", "tuple", "HeteroData", "Graph", "str"],
)
def test_a_task_must_be_one(
    make: Callable[[NodeTask], NodeTask], words: str, blocks: NodeTask
) -> None:
    with pytest.raises(InputError, match=f"^{words}"):
        fit(torch.nn.Linear(32, 4), make(blocks))
