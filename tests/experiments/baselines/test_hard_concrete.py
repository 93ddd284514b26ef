import torch

from experiments.baselines.hard_concrete import draw_gates, fixed_gates, open_probability

LOG_ALPHA = torch.tensor([-5.0, -1.5, 0.0, 1.0, 4.0])


def many_draws(count: int = 20_000) -> torch.Tensor:
    torch.manual_seed(7)
    return draw_gates(LOG_ALPHA.expand(count, -1))


def test_gates_are_open_as_often_as_their_probability_says() -> None:
    draws = many_draws()
    expected = open_probability(LOG_ALPHA)
    error = (expected * (1 - expected) / draws.size(0)).sqrt()
    assert (((draws > 0).float().mean(0) - expected).abs() < 4 * error).all()


def test_draws_lie_between_0_and_1_and_reach_both() -> None:
    draws = many_draws()
    assert draws.min() == 0 and draws.max() == 1
    assert ((draws > 0) & (draws < 1)).any()


def test_fixed_gates_are_the_median_draw() -> None:
    assert torch.allclose(many_draws().median(0).values, fixed_gates(LOG_ALPHA), atol=0.02)


def test_gradients_reach_log_alpha() -> None:
    log_alpha = torch.zeros(100, requires_grad=True)
    torch.manual_seed(7)
    draw_gates(log_alpha).sum().backward()
    assert log_alpha.grad is not None and (log_alpha.grad > 0).sum() > 50
    log_alpha.grad = None
    open_probability(log_alpha).sum().backward()
    assert (log_alpha.grad > 0).all()


def test_extreme_values_stay_finite() -> None:
    log_alpha = torch.tensor([-1e4, 1e4])
    assert draw_gates(log_alpha).tolist() == [0, 1]
    assert open_probability(log_alpha).tolist() == [0, 1]
