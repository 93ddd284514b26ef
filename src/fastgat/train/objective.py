"""What a model is trained for and judged by: one class per node, or several labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, one_hot

from fastgat.data import NodeTask


@dataclass(frozen=True)
class Objective:
    """Loss and scores of class scores (`logits`) against labels.

    A node of one class is predicted by its largest score, and micro-F1 is accuracy; where a node
    may have several labels, each is predicted if its score is positive.
    """

    is_multi_label: bool

    @classmethod
    def of(cls, task: NodeTask) -> Objective:
        """The objective of a task."""
        return cls(task.is_multi_label)

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Mean over nodes, or over nodes and labels."""
        if self.is_multi_label:
            return binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
        return cross_entropy(logits, labels)

    def predict(self, logits: Tensor) -> Tensor:
        """One class per node, or a row of 0 and 1."""
        return (logits > 0).long() if self.is_multi_label else logits.argmax(dim=1)

    def probabilities(self, logits: Tensor) -> Tensor:
        """What the model takes each class to be worth."""
        return logits.sigmoid() if self.is_multi_label else logits.softmax(dim=1)

    def counts(self, logits: Tensor, labels: Tensor) -> Counts:
        """What micro-F1 is made of; counts of several batches add up."""
        predicted = self.predict(logits)
        if self.is_multi_label:
            hit = int((predicted * labels).sum())
            return Counts(hit, int(predicted.sum()), int(labels.sum()))
        number = labels.numel()
        return Counts(int((predicted == labels).sum()), number, number)

    def f1(self, predicted: Tensor, labels: Tensor) -> tuple[float, float]:
        """Micro- and macro-F1 by scikit-learn; the latter is a mean over classes that occur."""
        from sklearn.metrics import f1_score

        pair = labels.cpu().numpy(), predicted.cpu().numpy()
        if not self.is_multi_label:
            return float(f1_score(*pair, average="micro")), float(f1_score(*pair, average="macro"))
        if not (pair[0].any() or pair[1].any()):  # no class occurs: there is no mean
            return 0.0, 0.0
        if labels.size(1) == 1:  # which scikit-learn would take for two classes
            pair = np.pad(pair[0], ((0, 0), (0, 1))), np.pad(pair[1], ((0, 0), (0, 1)))
        micro = f1_score(*pair, average="micro", zero_division=0.0)
        return float(micro), float(f1_score(*pair, average="macro", zero_division=np.nan))

    def class_scores(
        self, predicted: Tensor, labels: Tensor, num_classes: int
    ) -> list[dict[str, Any]]:
        """Of every class its f1, precision, recall and number of nodes; None where 0/0 asks.

        Args:
            predicted: One class per node, or a row of 0 and 1.
            labels: What is right, alike.
            num_classes: Of the task; some may not occur here.
        """
        if not self.is_multi_label:
            predicted, labels = (one_hot(part.long(), num_classes) for part in (predicted, labels))
        hits = (predicted * labels).sum(dim=0).tolist()
        given, nodes = predicted.sum(dim=0).tolist(), labels.sum(dim=0).tolist()
        return [
            {
                "f1": _ratio(2 * hit, made + actual),
                "precision": _ratio(hit, made),
                "recall": _ratio(hit, actual),
                "num_nodes": actual,
            }
            for hit, made, actual in zip(hits, given, nodes, strict=True)
        ]


@dataclass(frozen=True)
class Counts:
    """Decisions that were right, that were made, and that were to be made.

    Every epoch is scored by them: scikit-learn's checks take as long as a small graph's epoch.
    """

    hit: int = 0
    predicted: int = 0
    actual: int = 0

    def __add__(self, other: Counts) -> Counts:
        """The counts of both."""
        return Counts(
            self.hit + other.hit, self.predicted + other.predicted, self.actual + other.actual
        )

    @property
    def micro_f1(self) -> float:
        """F1 of all decisions together; 0 where there is none to get right."""
        total = self.predicted + self.actual
        return 2 * self.hit / total if total else 0.0


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
