"""Adaptive density: the order of the edges, and how many of them are in use."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgat import EffectiveResistanceSparsifier, Graph, InputError
from fastgat.graph.gallery import complete, path
from fastgat.graph.generators import block_model
from fastgat.sparsify.density import expected_distinct, paper_draws
from fastgat.train.adaptive import AdaptiveDensity, EdgeCount, edge_order, fitted_slope
from fastgat.train.record import Epoch

RULE = AdaptiveDensity()
GRAPH = block_model(400, 6000, 4, seed=7)[0]
SCORE = EffectiveResistanceSparsifier().score(GRAPH, seed=3)
ACCURACY = st.lists(st.floats(0, 1), min_size=1, max_size=240)


def start(rule: AdaptiveDensity = RULE) -> EdgeCount:
    return EdgeCount.of(rule, GRAPH, SCORE)


def follow(count: EdgeCount, accuracy: list[float], first: int = 1) -> list[tuple[int, bool]]:
    """Edges in use after each epoch, and whether they changed."""
    history = [Epoch(i, 0.0, score, 0.0, 0.0, 0.0, 0) for i, score in enumerate(accuracy, 1)]
    return [
        (count.num_edges, changed)
        for epoch in range(first, len(accuracy) + 1)
        for changed in [count.after_epoch(history[:epoch])]
    ]


def test_it_starts_at_the_count_of_epsilon_09_and_ends_at_that_of_05() -> None:
    count = start()
    drawn = {
        epsilon: np.mean(
            [
                EffectiveResistanceSparsifier(epsilon=epsilon).prepare(GRAPH).draw(seed).num_edges
                for seed in range(20)
            ]
        )
        for epsilon in (0.9, 0.5)
    }
    assert count.num_edges == count.fewest == pytest.approx(drawn[0.9], rel=0.02)
    assert count.most == pytest.approx(drawn[0.5], rel=0.02)
    share = SCORE / SCORE.sum()
    assert count.fewest == round(expected_distinct(share, paper_draws(400, 0.9)))
    assert count.step == round(0.003 * GRAPH.num_edges)


def test_no_decision_between_and_none_without_a_slope_before() -> None:
    count = start()
    said = follow(count, [0.1 * (epoch % 7) for epoch in range(39)])
    assert said == [(count.fewest, False)] * 39
    assert [decision.epoch for decision in count.decisions] == [20]
    assert count.decisions[0].previous_slope is None


def test_a_slope_that_fell_adds_edges_any_other_removes_as_many() -> None:
    steep, flat = np.arange(20) * 0.02, np.arange(20) * 0.01
    count = start()
    accuracy = np.concatenate([steep, flat, flat * 0.5, steep, steep])
    follow(count, accuracy.tolist())
    first, step = count.fewest, count.step
    counts = [decision.num_edges for decision in count.decisions]
    # The last slope equals the one before, as far as the arithmetic is the same: not fallen.
    assert counts == [first, first + step, first + 2 * step, first + step, first]
    slopes = [decision.slope for decision in count.decisions]
    assert slopes == pytest.approx([0.02, 0.01, 0.005, 0.02, 0.02])
    assert [decision.previous_slope for decision in count.decisions] == [None, *slopes[:-1]]


@given(ACCURACY, st.sampled_from([0.003, 0.03, 0.3]))
def test_every_decision_follows_the_rule_within_bounds(accuracy: list[float], step: float) -> None:
    count = start(AdaptiveDensity(step=step))
    before = count.num_edges
    said = follow(count, accuracy)
    for decision in count.decisions:
        window = accuracy[decision.epoch - 20 : decision.epoch]
        assert decision.slope == pytest.approx(np.polyfit(range(20), window, 1)[0], abs=1e-12)
        if decision.previous_slope is not None:
            fell = decision.slope < decision.previous_slope
            wanted = before + (count.step if fell else -count.step)
            assert decision.num_edges == min(max(wanted, count.fewest), count.most)
        assert said[decision.epoch - 1] == (decision.num_edges, decision.num_edges != before)
        before = decision.num_edges
    assert len(count.decisions) == len(accuracy) // 20


@given(ACCURACY, st.integers(0, 240))
def test_a_cut_changes_nothing(accuracy: list[float], cut: int) -> None:
    whole = start()
    expected = follow(whole, accuracy)
    before, after = start(), start()
    said = follow(before, accuracy[:cut])
    after.restore(json.loads(json.dumps(before.to_json())))
    said += follow(after, accuracy, min(cut, len(accuracy)) + 1)
    assert said == expected
    assert after == whole


def test_what_is_written_of_decisions_is_a_copy() -> None:
    count = start()
    follow(count, [0.5] * 20)
    count.to_json()[0]["num_edges"] = 0
    assert count.decisions[0].num_edges == count.fewest


def test_one_edge_is_the_fewest_and_the_most() -> None:
    count = EdgeCount.of(RULE, path(2), np.ones(1))
    assert (count.fewest, count.most, count.step) == (1, 1, 1)


def test_a_graph_without_edges_is_refused() -> None:
    with pytest.raises(InputError, match="the graph has no edges: there is nothing to sparsify"):
        EdgeCount.of(RULE, Graph.from_edges([], [], num_nodes=3), np.zeros(0))


@given(st.integers(0, 2**64 - 1), st.integers(1, 6000), st.integers(1, 6000))
def test_fewer_edges_are_a_subset_of_more(seed: int, one: int, other: int) -> None:
    order = edge_order(SCORE, seed)
    fewer, more = sorted((one, other))
    assert set(order[:fewer]) <= set(order[:more])
    np.testing.assert_array_equal(np.sort(order), np.arange(GRAPH.num_edges))
    np.testing.assert_array_equal(order, edge_order(SCORE, seed))


def test_the_first_edge_is_drawn_in_proportion_to_its_score() -> None:
    """20,000 orders of 6 edges: every frequency within 5 standard errors."""
    score = np.array([1.0, 2.0, 3.0, 0.5, 8.0, 1e-9])
    share = score / score.sum()
    first = np.array([edge_order(score, 10_007 + seed)[0] for seed in range(20_000)])
    count = np.bincount(first, minlength=6)
    error = np.sqrt(20_000 * share * (1 - share))
    assert (np.abs(count - 20_000 * share) <= 5 * error + 1e-3).all()


def test_the_second_edge_is_drawn_from_those_left() -> None:
    """Without replacement: P(2 after 0) = p2 / (1 - p0)."""
    score = np.array([5.0, 1.0, 4.0])
    orders = np.array([edge_order(score, 733 + seed)[:2] for seed in range(20_000)])
    after = orders[orders[:, 0] == 0][:, 1]
    error = np.sqrt(0.8 * 0.2 / after.size)
    assert abs(np.mean(after == 2) - 0.8) <= 5 * error


def test_edges_without_score_come_last() -> None:
    score = np.array([0.0, 1.0, 0.0, 2.0])
    for seed in range(50):
        assert set(edge_order(score, seed)[:2]) == {1, 3}


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=40))
def test_slope_is_least_squares(values: list[float]) -> None:
    expected = np.polyfit(range(len(values)), values, 1)[0]
    assert fitted_slope(values) == pytest.approx(expected, abs=1e-9)


def test_a_tie_of_scores_is_broken_by_the_seed() -> None:
    score = np.ones(complete(9).num_edges)
    assert len({int(edge_order(score, seed)[0]) for seed in range(200)}) == score.size


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fewest": 1.5}, "fewest=1.5 must lie in (0, 1)"),
        ({"most": 0}, "most=0 must lie in (0, 1)"),
        ({"step": 0}, "step=0 must lie in (0, 1)"),
        ({"step": "all"}, "step='all' must be a number"),
        ({"every": 1}, "every=1 must be a whole number of at least 2; a slope needs two epochs"),
        (
            {"fewest": 0.3},
            "most=0.5 must be at most fewest=0.3: a smaller epsilon keeps more edges",
        ),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        AdaptiveDensity(**options)
    assert str(caught.value) == message
