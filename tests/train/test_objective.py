"""Losses are torch's, F1 scores are scikit-learn's, and counts of batches add up."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import f1_score, precision_recall_fscore_support
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from fastgat.train.objective import Counts, Objective

SINGLE, MULTI = Objective(is_multi_label=False), Objective(is_multi_label=True)
SCORES = st.floats(-9, 9, width=32)


@st.composite
def single(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    nodes, classes = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    logits = draw(hnp.arrays(np.float32, (nodes, classes), elements=SCORES))
    labels = draw(hnp.arrays(np.int64, nodes, elements=st.integers(0, classes - 1)))
    return torch.from_numpy(logits), torch.from_numpy(labels)


@st.composite
def multi(draw: st.DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    shape = draw(st.integers(1, 20)), draw(st.integers(1, 6))
    logits = draw(hnp.arrays(np.float32, shape, elements=SCORES))
    labels = draw(hnp.arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return torch.from_numpy(logits), torch.from_numpy(labels)


@given(single())
@settings(max_examples=40)  # scikit-learn takes its time
def test_scores_of_one_class_per_node(given_: tuple[torch.Tensor, torch.Tensor]) -> None:
    logits, labels = given_
    counts, predicted = SINGLE.counts(logits, labels), SINGLE.predict(logits)
    assert torch.equal(predicted, logits.argmax(dim=1))
    accuracy = float((predicted == labels).double().mean())
    assert counts.micro_f1 == pytest.approx(accuracy)
    micro, macro = SINGLE.f1(predicted, labels)
    assert micro == counts.micro_f1  # to the bit: a record's score is that of its best epoch
    assert micro == f1_score(labels, predicted, average="micro")
    assert macro == f1_score(labels, predicted, average="macro")


@given(multi())
@settings(max_examples=40)
def test_scores_of_several_labels_per_node(given_: tuple[torch.Tensor, torch.Tensor]) -> None:
    """A label that no node has and none is given is left out, as zero_division=nan does."""
    logits, labels = given_
    counts, predicted = MULTI.counts(logits, labels), MULTI.predict(logits)
    assert torch.equal(predicted, (logits > 0).long())
    micro, macro = MULTI.f1(predicted, labels)
    assert counts.micro_f1 == micro
    of_class = [
        f1_score(labels[:, c], predicted[:, c], zero_division=0.0)
        for c in range(labels.size(1))
        if labels[:, c].any() or predicted[:, c].any()
    ]
    assert macro == pytest.approx(np.mean(of_class) if of_class else 0.0)
    if labels.size(1) > 1:
        assert micro == f1_score(labels, predicted, average="micro", zero_division=0.0)


@given(st.one_of(single(), multi()), st.integers(0, 30))
def test_counts_of_batches_add_up(given_: tuple[torch.Tensor, torch.Tensor], cut: int) -> None:
    logits, labels = given_
    objective = MULTI if labels.ndim == 2 else SINGLE
    whole = objective.counts(logits, labels)
    sum_ = objective.counts(logits[:cut], labels[:cut]) + objective.counts(
        logits[cut:], labels[cut:]
    )
    assert whole == sum_


def test_nothing_to_get_right_scores_zero() -> None:
    assert Counts().micro_f1 == 0.0
    nothing = torch.zeros(3, 4, dtype=torch.long)
    assert MULTI.f1(nothing, nothing) == (0.0, 0.0)


@given(st.one_of(single(), multi()))
def test_losses_are_those_of_torch(given_: tuple[torch.Tensor, torch.Tensor]) -> None:
    logits, labels = given_
    if labels.ndim == 2:
        ours, theirs = (
            MULTI.loss(logits, labels),
            binary_cross_entropy_with_logits(logits, labels.float()),
        )
    else:
        ours, theirs = SINGLE.loss(logits, labels), cross_entropy(logits, labels)
    assert torch.equal(ours, theirs)


@given(st.one_of(single(), multi()))
def test_probabilities_agree_with_predictions(
    given_: tuple[torch.Tensor, torch.Tensor],
) -> None:
    logits, labels = given_
    objective = MULTI if labels.ndim == 2 else SINGLE
    chance = objective.probabilities(logits)
    assert ((chance >= 0) & (chance <= 1)).all()
    if labels.ndim == 1:
        torch.testing.assert_close(chance.sum(dim=1), torch.ones(len(chance)))


@given(st.one_of(single(), multi()))
@settings(max_examples=40)
def test_scores_of_classes_are_those_of_scikit_learn(
    given_: tuple[torch.Tensor, torch.Tensor],
) -> None:
    logits, labels = given_
    objective = MULTI if labels.ndim == 2 else SINGLE
    predicted, number = objective.predict(logits), logits.size(1)
    found = objective.class_scores(predicted, labels, number)
    assert len(found) == number
    for place, scores in enumerate(found):
        theirs, mine = (
            part[:, place] if labels.ndim == 2 else part == place for part in (labels, predicted)
        )
        precision, recall, f1, _ = precision_recall_fscore_support(
            theirs.numpy(), mine.numpy(), pos_label=1, average="binary", zero_division=0.0
        )
        assert scores["num_nodes"] == int(theirs.sum())
        assert (scores["f1"] or 0.0) == pytest.approx(f1)
        assert (scores["precision"] or 0.0) == pytest.approx(precision)
        assert (scores["recall"] or 0.0) == pytest.approx(recall)
        assert (scores["f1"] is None) == (not theirs.any() and not mine.any())
