"""As many edges as FastGAT keeps, chosen otherwise: the baselines that are GATs themselves."""

from collections.abc import Callable, Iterator

import pytest
import torch

from experiments.paper_sampling import paper_sparsifier
from experiments.training.method import Method, degree_edges, random_edges
from fastgat.data import NodeTask, load_dataset
from fastgat.train import RunRecord

EVERY = [make(epsilon) for make in (random_edges, degree_edges) for epsilon in (0.5, 0.9)]
EACH = pytest.mark.parametrize("method", EVERY, ids=lambda method: method.label)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def synthetic() -> NodeTask:
    return load_dataset("synthetic", num_nodes=600, seed=3)


def run(task: NodeTask, method: Method, seed: int) -> RunRecord:
    return method.plan(task, seed, epochs=3).run(task)


@EACH
def test_same_seed_same_result(synthetic: NodeTask, method: Method) -> None:
    first, second, other = (run(synthetic, method, seed) for seed in (3, 3, 5))
    assert [epoch.loss for epoch in first.history] == [epoch.loss for epoch in second.history]
    assert first.scores == second.scores
    assert first.history[-1].loss != other.history[-1].loss
    assert first.label == method.label


@EACH
def test_as_many_edges_as_fastgat(synthetic: NodeTask, method: Method) -> None:
    sparse = paper_sparsifier(method.epsilon).sparsify(synthetic.graph, 3)
    record = run(synthetic, method, 3)
    assert record.config["sparsifier"]["keep"] == sparse.num_edges
    assert abs(record.edges["trained_on"] - sparse.num_edges) < 4 * sparse.num_edges**0.5


def test_several_graphs() -> None:
    task = load_dataset("ppi-like", num_nodes=24 * 16, num_classes=6, seed=3)
    assert random_edges(0.9).plan(task, 0, epochs=1).run(task).best_epoch == 1


@pytest.mark.parametrize("make", [random_edges, degree_edges])
def test_digits_are_told_apart(make: Callable[[float], Method]) -> None:
    task = load_dataset("digits")
    assert make(0.5).plan(task, 3, epochs=40).run(task).scores["test"] > 0.7
