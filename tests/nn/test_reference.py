"""The plain torch path: masks that are fair, coefficients that match the sums."""

import torch

from fastgat.nn.arcs import sort_arcs
from fastgat.nn.attention import AdditiveScores, Scores
from fastgat.nn.attention.reference import keep_arcs


def test_masks_are_fair_and_independent() -> None:
    shape = torch.empty(100_000, 4)
    for seed in (0, 1, 2**61 + 12345):
        keep = keep_arcs(shape, 0.3, torch.tensor([seed])).double()
        error = (0.3 * 0.7 / keep.numel()) ** 0.5
        assert abs(float(keep.mean()) - 0.7) < 5 * error
        centred = keep - 0.7
        for lag in (1, 2, 7):  # neighbouring arcs, and neighbouring heads
            along = (centred[lag:] * centred[:-lag]).mean()
            assert abs(float(along)) < 5 * 0.21 / keep.numel() ** 0.5
        across = (centred[:, 1:] * centred[:, :-1]).mean()
        assert abs(float(across)) < 5 * 0.21 / keep.numel() ** 0.5


def test_masks_of_different_seeds_are_independent() -> None:
    shape = torch.empty(50_000, 2)
    masks = [keep_arcs(shape, 0.5, torch.tensor([seed])).double() - 0.5 for seed in (4, 5, 2**32)]
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        correlation = float((masks[one] * masks[other]).mean())
        assert abs(correlation) < 5 * 0.25 / shape.numel() ** 0.5


def test_arc_order_puts_loops_last() -> None:
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 1, 0, 0]])
    source, target = sort_arcs(edge_index, 3, 3, add_loops=True, with_ids=True).arc_index()
    assert source.tolist() == [0, 1, 2, 0, 1, 2]
    assert target.tolist() == [1, 0, 0, 0, 1, 2]
    source, target = sort_arcs(edge_index, 3, 3, reverse=True, with_ids=True).arc_index()
    assert (source.tolist(), target.tolist()) == ([1, 1, 0, 0], [0, 1, 1, 2])
    source, _ = sort_arcs(edge_index[:, :1], 3, 2, add_loops=True, with_ids=True).arc_index()
    assert source.tolist() == [0, 0, 1]  # loops where a node is on both sides


def test_zero_weight_has_the_gradient_of_a_small_one() -> None:
    arcs = sort_arcs(torch.tensor([[0, 1], [2, 2]]), 3, 3, with_ids=True)
    value = torch.tensor([[[1.0]], [[3.0]], [[0.0]]], dtype=torch.float64)
    att = torch.zeros(1, 1, dtype=torch.float64)
    weight = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    out = Scores.attend(AdditiveScores(value, att), arcs, weight=weight)
    assert out[2].item() == 3.0
    out.sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [-2.0, 0.0]  # d/dw (w + 3) / (w + 1) at 0
