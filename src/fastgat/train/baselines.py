"""What a model must beat to have learnt from edges: features alone, and the commonest class."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.data import NodeTask

INVERSE_PENALTIES = (0.01, 0.1, 1.0)  # `C` of scikit-learn; validation nodes choose
ITERATIONS = 100
FEATURES, MAJORITY = "features only, no edges", "majority class"


@dataclass(frozen=True)
class Baseline:
    """Scores on the test nodes of a way that needs no graph."""

    label: str
    test_f1: float  # micro-F1
    test_macro_f1: float
    seconds: float


def graph_free_baselines(task: NodeTask) -> list[Baseline]:
    """Logistic regression on the features, and the majority class, on the split of the task.

    Of several labels per node, each has a regression of its own, and its majority is whether most
    nodes have it. What cannot be fitted or scored is left out: a task without test nodes has none.
    """
    if task.split is None or not (task.split.train.any() and task.split.test.any()):
        return []
    begin = time.perf_counter()
    train, test = task.split.train, task.split.test
    majority = _majority(task.labels[train], task.num_classes, is_multi_label=task.is_multi_label)
    predicted = np.broadcast_to(majority, task.labels[test].shape)
    found = [_scored(MAJORITY, task, predicted, begin)]
    begin = time.perf_counter()
    by_features = _predict_by_features(task)
    if by_features is not None:
        found.insert(0, _scored(FEATURES, task, by_features, begin))
    return found


def _majority(labels: NDArray[Any], num_classes: int, *, is_multi_label: bool) -> NDArray[Any]:
    if is_multi_label:
        return np.asarray(labels.mean(axis=0) > 0.5, labels.dtype)
    return np.asarray(np.bincount(labels, minlength=num_classes).argmax())


def _predict_by_features(task: NodeTask) -> NDArray[Any] | None:
    split = task.split
    assert split is not None
    if not task.is_multi_label and np.unique(task.labels[split.train]).size < 2:
        return None  # nothing to tell apart
    features = _scaled(task, split.train)
    best, chosen = -math.inf, None
    with warnings.catch_warnings():
        # Of steps that were too few, which is a penalty too, and of labels that all nodes have.
        warnings.simplefilter("ignore", UserWarning)
        for inverse_penalty in INVERSE_PENALTIES:
            model = _regression(inverse_penalty, is_multi_label=task.is_multi_label)
            model.fit(features[split.train], task.labels[split.train])
            score = inverse_penalty  # without validation nodes, scikit-learn's own choice
            if split.validation.any():
                guess = model.predict(features[split.validation])
                score = _f1(guess, task.labels[split.validation], task)[0]
            if score > best:
                best, chosen = score, model
    assert chosen is not None
    return np.asarray(chosen.predict(features[split.test]))


def _scaled(task: NodeTask, train: NDArray[np.bool_]) -> Any:
    """Features of like size, by what the training nodes show; sparse ones stay sparse."""
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    scaler = MaxAbsScaler() if task.is_sparse else StandardScaler()
    return scaler.fit(task.features[train]).transform(task.features)


def _regression(inverse_penalty: float, *, is_multi_label: bool) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    model = LogisticRegression(C=inverse_penalty, max_iter=ITERATIONS)
    return OneVsRestClassifier(model) if is_multi_label else model


def _scored(label: str, task: NodeTask, predicted: NDArray[Any], begin: float) -> Baseline:
    assert task.split is not None
    scores = _f1(predicted, task.labels[task.split.test], task)
    return Baseline(label, *scores, seconds=time.perf_counter() - begin)


def _f1(predicted: NDArray[Any], labels: NDArray[Any], task: NodeTask) -> tuple[float, float]:
    """Micro- and macro-F1, as of a trained model."""
    import torch

    from fastgat.train.objective import Objective

    pair = (torch.from_numpy(np.ascontiguousarray(part)) for part in (predicted, labels))
    return Objective.of(task).f1(*pair)
