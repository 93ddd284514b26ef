import pytest

from fastgat.report.certificate import certificate_sentences

GOOD = {"lower": 0.41, "upper": 1.52, "lower_nonzero": 0.41, "epsilon": 0.59, "isolated": 0,
        "lost": 0, "num_components": 1, "num_components_before": 1}  # fmt: skip


def test_bounds_are_told_as_cuts() -> None:
    first, *rest = certificate_sentences(GOOD)
    assert "between 0.410 and 1.52 times" in first
    assert rest[0] == "The sparse graph is in one piece (as before)."
    assert "0.590" in rest[1]


def test_epsilon_is_a_density_and_no_error() -> None:
    told = " ".join(certificate_sentences({**GOOD, "lower": 0.0, "epsilon": 1.0}))
    assert "measured epsilon" not in told
    assert "spectral error" in told and "1.00, at least 1 where the lower number is 0" in told
    assert "The density that a run is asked for (epsilon) sets how many edges are kept" in told


def test_losses_are_told() -> None:
    told = " ".join(certificate_sentences(
        {**GOOD, "lower": 0.0, "lost": 1, "num_components": 3, "lower_nonzero": 0.2}
    ))  # fmt: skip
    assert "One node lost every edge" in told
    assert "3 pieces (1 before)" in told
    assert "0.200" in told


@pytest.mark.parametrize(("lower", "upper", "told"), [
    (None, 1.5, "at most 1.50 times"),
    (0.5, None, "at least 0.500 times"),
])  # fmt: skip
def test_one_bound_alone(lower: float | None, upper: float | None, told: str) -> None:
    certificate = {**GOOD, "lower": lower, "upper": upper}
    assert told in certificate_sentences(certificate)[0]


def test_nulls_say_nothing() -> None:
    assert certificate_sentences(dict.fromkeys(GOOD)) == []
    assert certificate_sentences({}) == []
