"""Which edges are in use, where that changes while training: by density, or by what is learnt."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.sparsify import GuidedSparsifier
from fastgat.train.adaptive import EdgeCount
from fastgat.train.record import Epoch

Edges = NDArray[np.int64]  # places of edges in the graph, or in the training graphs side by side
Predict = Callable[[], NDArray[np.float32]]  # class probabilities on whole graphs
Choose = Callable[[GuidedSparsifier, NDArray[np.float32]], Edges]


class EdgeSchedule(Protocol):
    """Decides after every epoch whether training goes on with other edges."""

    @property
    def is_warming_up(self) -> bool:
        """Whether epochs so far are not yet of the kind that a best one is looked for among."""

    @property
    def rewinds(self) -> bool:
        """Whether weights go back to the best epoch of the warm-up when that is over."""

    def after_epoch(self, history: Sequence[Epoch], predict: Predict) -> Edges | None:
        """The edges to go on with; None: those in use.

        Args:
            history: every epoch so far.
            predict: what the model says now of every node.
        """

    def to_json(self) -> list[dict[str, Any]]:
        """Every decision."""

    def tensors(self) -> dict[str, Tensor]:
        """What a checkpoint needs besides."""

    def restore(self, decisions: list[dict[str, Any]], tensors: dict[str, Tensor]) -> None:
        """Go on after these decisions."""


@dataclass
class AdaptiveSchedule:
    """The first edges of one order, as many as adaptive density says."""

    count: EdgeCount
    order: Edges
    is_warming_up: bool = field(default=False, init=False)
    rewinds: bool = field(default=False, init=False)

    @property
    def edges(self) -> Edges:
        """Those in use."""
        return self.order[: self.count.num_edges]

    def after_epoch(self, history: Sequence[Epoch], predict: Predict) -> Edges | None:
        """More edges, or fewer, if it is time to."""
        return self.edges if self.count.after_epoch(history) else None

    def to_json(self) -> list[dict[str, Any]]:
        """Every decision."""
        return self.count.to_json()

    def tensors(self) -> dict[str, Tensor]:
        """The decisions tell all."""
        return {}

    def restore(self, decisions: list[dict[str, Any]], tensors: dict[str, Tensor]) -> None:
        """Go on after these decisions."""
        self.count.restore(decisions)


@dataclass
class GuidedSchedule:
    """All edges at first; after the warm-up those that the model's own predictions choose.

    With adaptive density, their number changes as its rule says.
    """

    sparsifier: GuidedSparsifier
    choose: Choose
    count: EdgeCount | None = None
    choices: list[int] = field(default_factory=list)  # the epochs after which edges were chosen
    predictions: NDArray[np.float32] | None = None  # those that edges are chosen by

    @property
    def is_warming_up(self) -> bool:
        """Whether no edges were chosen yet."""
        return self.predictions is None

    @property
    def rewinds(self) -> bool:
        """Where edges are chosen once: validation says which epoch was best, and edges that were
        chosen later would depend on that.
        """
        return self.sparsifier.refresh is None

    def after_epoch(self, history: Sequence[Epoch], predict: Predict) -> Edges | None:
        """Choose anew at the end of the warm-up, when predictions are due and as density says."""
        epoch = history[-1].epoch
        changed = False
        if self.count is not None and not self.is_warming_up:
            changed = self.count.after_epoch(history)
        if self._is_due(epoch):
            self.predictions = predict()
            self.choices.append(epoch)
        elif not changed:
            return None
        assert self.predictions is not None
        sparsifier = self.sparsifier
        if self.count is not None:
            keep = self.count.num_edges
            sparsifier = dataclasses.replace(sparsifier, epsilon=None, keep=keep)
        return self.choose(sparsifier, self.predictions)

    def _is_due(self, epoch: int) -> bool:
        since, every = epoch - self.sparsifier.warm_up, self.sparsifier.refresh
        return since == 0 or (every is not None and since > 0 and since % every == 0)

    def to_json(self) -> list[dict[str, Any]]:
        """The epochs of choices, and every decision of density."""
        chosen: list[dict[str, Any]] = [{"epoch": epoch, "chosen": True} for epoch in self.choices]
        return chosen if self.count is None else chosen + self.count.to_json()

    def tensors(self) -> dict[str, Tensor]:
        """The predictions in use."""
        return (
            {} if self.predictions is None else {"predictions": torch.from_numpy(self.predictions)}
        )

    def restore(self, decisions: list[dict[str, Any]], tensors: dict[str, Tensor]) -> None:
        """Go on after these decisions, with these predictions."""
        self.choices = [decision["epoch"] for decision in decisions if decision.get("chosen")]
        if self.choices:
            self.predictions = tensors["predictions"].numpy()
        if self.count is not None:
            self.count.restore([decision for decision in decisions if "slope" in decision])
