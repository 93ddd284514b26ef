"""When to stop, and which epoch was best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass
class EarlyStopping:
    """The GAT paper's rule: patience on validation loss and score, either of them improving.

    The best epoch is the one with the highest validation score; of equal ones, the lowest loss.
    """

    patience: int | None
    best_epoch: int = 0
    best_f1: float = -1.0
    loss_at_best: float = math.inf
    least_loss: float = math.inf
    last_progress: int = 0  # the epoch in which either improved

    def after_epoch(self, epoch: int, f1: float, loss: float) -> bool:
        """Take note of an epoch; tell whether it is the best so far."""
        is_best = (f1, -loss) > (self.best_f1, -self.loss_at_best)
        if f1 > self.best_f1 or loss < self.least_loss:
            self.last_progress = epoch
        if is_best:
            self.best_epoch, self.best_f1, self.loss_at_best = epoch, f1, loss
        self.least_loss = min(self.least_loss, loss)
        return is_best

    def is_over(self, epoch: int) -> bool:
        """Whether patience has run out."""
        return self.patience is not None and epoch - self.last_progress >= self.patience

    def to_json(self) -> dict[str, Any]:
        """Everything but the patience, which is the config's."""
        return {name: value for name, value in vars(self).items() if name != "patience"}

    def restore(self, facts: dict[str, Any]) -> None:
        """Go on from what `to_json` gave."""
        for name, value in facts.items():
            setattr(self, name, value)
