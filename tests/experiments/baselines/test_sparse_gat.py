import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu

from experiments.baselines import SparseGAT, baseline_plan
from experiments.baselines.hard_concrete import fixed_gates
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.train import TrainConfig, fit

ARCS = torch.tensor([[0, 1, 1, 2, 2, 0, 3], [1, 0, 2, 1, 0, 2, 3]])  # a triangle, and a loop


def features() -> Tensor:
    return torch.randn(4, 5, generator=torch.Generator().manual_seed(7))


def dense_forward(model: SparseGAT, x: Tensor, gates: Tensor) -> Tensor:
    """The network by its formula: gates, with 1 for loops, over their row's sum."""
    matrix = torch.zeros(4, 4)
    matrix[ARCS[1], ARCS[0]] = gates
    matrix.fill_diagonal_(1)
    coefficients = matrix / matrix.sum(1, keepdim=True)
    first, last = model.layers
    hidden = elu(coefficients @ first.lin(x) + first.bias)
    return coefficients @ last.lin(hidden) + last.bias


def test_coefficients_are_shares_of_the_gates() -> None:
    model = SparseGAT(5, 4, 3, heads=2, num_arcs=7).eval()
    gates = torch.tensor([0.0, 1.0, 0.5, 0.25, 1.0, 0.0, 0.3])
    with torch.no_grad():
        stretched = (gates + 0.1) / 1.2
        model.log_alpha.copy_(2 / 3 * torch.logit(stretched))
    assert torch.allclose(fixed_gates(model.log_alpha), gates, atol=1e-6)
    out = model(features(), ARCS)
    assert torch.allclose(out, dense_forward(model, features(), gates), atol=1e-5)
    assert model.share_kept == pytest.approx(4 / 6)  # the loop has no gate


def test_gates_by_features_follow_the_first_projection() -> None:
    model = SparseGAT(5, 4, 3, heads=2).eval()
    x = features()
    score = model.ends(model.layers[0].lin(x))
    log_alpha = score[ARCS[0], 0] + score[ARCS[1], 1] + model.bias
    expected = dense_forward(model, x, fixed_gates(log_alpha))
    assert torch.allclose(model(x, ARCS), expected, atol=1e-5)


@pytest.mark.parametrize("num_arcs", [None, 7])
def test_gradients_reach_the_gates(num_arcs: int | None) -> None:
    torch.manual_seed(7)
    model = SparseGAT(5, 4, 3, heads=2, num_arcs=num_arcs, dropout=0.0)
    model(features(), ARCS).square().sum().backward()
    parameter = model.ends.weight if num_arcs is None else model.log_alpha
    assert parameter.grad is not None and parameter.grad.abs().sum() > 0
    before = parameter.grad.clone()
    model(features(), ARCS)
    model.penalty().backward()
    assert not torch.equal(parameter.grad, before)


def test_penalty_is_the_expected_number_of_open_gates() -> None:
    model = SparseGAT(5, 4, 3, num_arcs=7, l0_weight=2.0)
    with torch.no_grad():
        model.log_alpha.fill_(30)
    model(features(), ARCS)
    assert model.penalty().item() == pytest.approx(12)  # two for each arc that is no loop


@pytest.mark.parametrize("free", [False, True])
def test_a_strong_penalty_closes_gates_and_none_keeps_them(synthetic: NodeTask, free: bool) -> None:
    assert share_after_training(synthetic, 0.0, free) > 0.5
    assert share_after_training(synthetic, 0.1, free) < 0.1


def share_after_training(task: NodeTask, l0_weight: float, free: bool) -> float:
    """The share of gates that are open after the last epoch, not the best."""
    num_arcs = 2 * task.graph.num_edges if free else None
    torch.manual_seed(3)
    model = SparseGAT(
        task.num_features, 8, task.num_classes, l0_weight=l0_weight, num_arcs=num_arcs
    )
    shares = []
    config = TrainConfig(epochs=60, learning_rate=0.05, weight_decay=0.0, patience=None, seed=3)
    fit(model, task, config, on_epoch=lambda _: shares.append(model.share_kept))
    return shares[-1] or 0.0


def test_learns(synthetic: NodeTask) -> None:
    plan = baseline_plan(synthetic, "SparseGAT", seed=3, epochs=60)
    model = plan.make_model(synthetic)
    assert fit(model, synthetic, plan.config).scores["test"] > 0.6
    assert isinstance(model, SparseGAT) and model.share_kept is not None


def test_refusals() -> None:
    with pytest.raises(InputError, match="7 arcs, but the gates were made for num_arcs=6"):
        SparseGAT(5, 4, 3, num_arcs=6)(features(), ARCS)
    with pytest.raises(InputError, match="there was none"):
        SparseGAT(5, 4, 3).penalty()
    with pytest.raises(InputError, match="l0_weight=-1"):
        SparseGAT(5, 4, 3, l0_weight=-1)


def test_no_arcs() -> None:
    none = torch.empty(2, 0, dtype=torch.long)
    model = SparseGAT(5, 4, 3)
    model(features(), none)
    assert model.penalty().item() == 0
    model.eval()(features(), none)
    assert model.share_kept is None


def test_sparse_features_give_the_same() -> None:
    x = features().clamp_min(0)
    model = SparseGAT(5, 4, 3, heads=2, dropout=0.0)
    for training in (False, True):
        model.train(training)
        found = []
        for given in (x, x.to_sparse_csr()):
            torch.manual_seed(7)  # of the gates
            model.zero_grad()
            out = model(given, ARCS)
            out.square().sum().backward()
            found.append([out, *(weight.grad for weight in model.parameters())])
        for of_dense, of_sparse in zip(*found, strict=True):
            assert (of_dense is None) == (of_sparse is None)
            assert of_dense is None or torch.allclose(of_dense, of_sparse, atol=1e-5)
