"""When training stops, which epoch is best, and that a cut changes neither."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgat.train.state import EarlyStopping

# Few values, so that ties are common.
EPOCHS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from([0.1, 0.5, 0.7, 2.0])),
    min_size=1,
    max_size=25,
)
PATIENCE = st.one_of(st.none(), st.integers(1, 6))


def run(stopping: EarlyStopping, epochs: list[tuple[float, float]], first: int = 1) -> list:
    """What it says after each epoch, until it is over."""
    said = []
    for epoch, (f1, loss) in enumerate(epochs, first):
        if stopping.is_over(epoch - 1):
            break
        said.append((epoch, stopping.after_epoch(epoch, f1, loss), stopping.is_over(epoch)))
    return said


@given(EPOCHS, PATIENCE)
def test_the_best_epoch_has_the_highest_score_then_the_lowest_loss(
    epochs: list[tuple[float, float]], patience: int | None
) -> None:
    stopping = EarlyStopping(patience)
    said = run(stopping, epochs)
    seen = epochs[: len(said)]
    key = [(-f1, loss) for f1, loss in seen]
    assert stopping.best_epoch == key.index(min(key)) + 1  # the first of equal ones
    assert (stopping.best_f1, stopping.loss_at_best) == seen[stopping.best_epoch - 1]
    assert [epoch for epoch, is_best, _ in said if is_best][-1] == stopping.best_epoch


@given(EPOCHS, PATIENCE)
def test_it_stops_after_patience_epochs_in_which_neither_improved(
    epochs: list[tuple[float, float]], patience: int | None
) -> None:
    said = run(EarlyStopping(patience), epochs)
    waited, best_f1, least = 0, -1.0, math.inf
    for (_, _, is_over), (f1, loss) in zip(said, epochs, strict=False):
        waited = 0 if f1 > best_f1 or loss < least else waited + 1
        best_f1, least = max(best_f1, f1), min(least, loss)
        assert is_over == (patience is not None and waited >= patience)
    assert len(said) == len(epochs) or said[-1][2]


@pytest.mark.parametrize("better", [(0.6, 9.0), (0.1, 0.4)], ids=["score", "loss"])
def test_either_resets_patience(better: tuple[float, float]) -> None:
    stopping = EarlyStopping(patience=2)
    run(stopping, [(0.5, 0.5), (0.5, 0.5), better, (0.5, 0.5)])
    assert not stopping.is_over(4)
    stopping.after_epoch(5, 0.5, 0.5)
    assert stopping.is_over(5)


@given(EPOCHS, PATIENCE, st.integers(0, 25))
def test_a_cut_changes_nothing(
    epochs: list[tuple[float, float]], patience: int | None, cut: int
) -> None:
    whole = EarlyStopping(patience)
    expected = run(whole, epochs)
    before, after = EarlyStopping(patience), EarlyStopping(patience)
    said = run(before, epochs[:cut])
    after.restore(json.loads(json.dumps(before.to_json())))
    said += run(after, epochs[cut:], min(cut, len(epochs)) + 1) if len(said) == cut else []
    assert said == expected
    assert after == whole
