import pytest

from experiments.baselines import BASELINES, baseline_plan
from fastgat.check import InputError
from fastgat.data import NodeTask, load_dataset
from fastgat.train import RunRecord


def run(task: NodeTask, name: str, seed: int) -> RunRecord:
    return baseline_plan(task, name, seed=seed, epochs=3).run(task)


@pytest.mark.parametrize("name", BASELINES)
def test_same_seed_same_result(synthetic: NodeTask, name: str) -> None:
    first, second, other = (run(synthetic, name, seed) for seed in (3, 3, 5))
    assert [epoch.loss for epoch in first.history] == [epoch.loss for epoch in second.history]
    assert first.scores == second.scores
    assert first.history[-1].loss != other.history[-1].loss
    assert first.label == name


@pytest.mark.parametrize("name", ["SparseGAT", "FastGCN-800", "DropEdge"])
def test_several_graphs(name: str) -> None:
    task = load_dataset("ppi-like", num_nodes=24 * 16, num_classes=6, seed=3)
    assert baseline_plan(task, name, epochs=1).run(task).best_epoch == 1


def test_unknown_names_are_refused(synthetic: NodeTask) -> None:
    with pytest.raises(InputError, match="name='FastGCN' must be one of 'SparseGAT'"):
        baseline_plan(synthetic, "FastGCN")
