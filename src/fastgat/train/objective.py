"""What a model is trained for and judged by: one class per node, or several labels."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

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
        """What micro- and macro-F1 are made of; counts of several batches add up."""
        predicted = self.predict(logits)
        if self.is_multi_label:
            hit = (predicted * labels).sum(dim=0)
            return Counts(hit, predicted.sum(dim=0), labels.long().sum(dim=0))
        classes = logits.size(1)
        return Counts(
            torch.bincount(labels[predicted == labels], minlength=classes),
            torch.bincount(predicted, minlength=classes),
            torch.bincount(labels, minlength=classes),
        )


@dataclass(frozen=True)
class Counts:
    """Per class: nodes rightly given it, nodes given it, nodes that have it."""

    hit: Tensor
    predicted: Tensor
    actual: Tensor

    def __add__(self, other: Counts) -> Counts:
        """The counts of both."""
        return Counts(
            self.hit + other.hit, self.predicted + other.predicted, self.actual + other.actual
        )

    @property
    def micro_f1(self) -> float:
        """F1 of all decisions together; 0 where there is none to get right."""
        total = int(self.predicted.sum() + self.actual.sum())
        return 2 * int(self.hit.sum()) / total if total else 0.0

    @property
    def macro_f1(self) -> float:
        """Mean of the classes' F1, over those that occur."""
        total = (self.predicted + self.actual).double()
        occurs = total > 0
        return float((2 * self.hit[occurs] / total[occurs]).mean()) if occurs.any() else 0.0
