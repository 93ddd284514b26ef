"""Everything that changes while training: when to stop, which epoch was best, and all the rest.

`TrainingState` makes a checkpoint of it, from which a run goes on exactly.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.train.checkpoint import Checkpoint
from fastgat.train.record import Epoch
from fastgat.train.schedule import Edges, EdgeSchedule
from fastgat.train.stopwatch import Stopwatch


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
        """Take note of an epoch; tell whether it is the best so far.

        Args:
            epoch: its number, from 1.
            f1: micro-F1 of the validation nodes.
            loss: of the validation nodes.
        """
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


@dataclass
class TrainingState:
    """The weights, and all that decides what is done to them next."""

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    stopping: EarlyStopping
    watch: Stopwatch
    schedule: EdgeSchedule | None = None
    history: list[Epoch] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)  # weights of the best epoch
    edges: Edges | None = None  # in use, where a schedule chooses them; None: all
    best_edges: Edges | None = None  # those of the best epoch

    @property
    def epoch(self) -> int:
        """Epochs done."""
        return len(self.history)

    def keep_best(self) -> None:
        """Remember the present weights and edges."""
        self.best_edges = self.edges
        self.best = {
            name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()
        }

    def begin_anew(self, *, rewind: bool) -> None:
        """After a warm-up: none of its epochs can be the best, and patience begins.

        With `rewind` the weights are those of its best epoch again, and the optimiser forgets what
        came after: on graphs that are learnt in a few epochs the last weights are overfitted.
        """
        if rewind:
            self.model.load_state_dict(self.best)
            self.optimizer.state.clear()
        self.best, self.best_edges = {}, None
        self.stopping = EarlyStopping(self.stopping.patience, last_progress=self.epoch)

    def to_checkpoint(self) -> Checkpoint:
        """The state as tensors and plain values."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.items()}
        for number, values in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": value for name, value in values.items()}
        tensors["random"] = torch.get_rng_state()
        tensors |= {
            f"edges.{name}": torch.tensor(edges)
            for name, edges in (("now", self.edges), ("best", self.best_edges))
            if edges is not None
        }
        if self.schedule is not None:
            kept = self.schedule.tensors()
            tensors |= {f"schedule.{name}": value for name, value in kept.items()}
        facts = {
            "history": [dataclasses.asdict(epoch) for epoch in self.history],
            "stopping": self.stopping.to_json(),
            "decisions": None if self.schedule is None else self.schedule.to_json(),
            "seconds": dict(self.watch.seconds),
        }
        return Checkpoint(tensors, facts)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint."""
        tensors, facts = checkpoint.tensors, checkpoint.facts
        try:
            self.model.load_state_dict(_below("model.", tensors))
            self.best = _below("best.", tensors)
            self._restore_optimizer(_below("optimizer.", tensors))
            torch.set_rng_state(tensors["random"])
            self.history = [Epoch(**epoch) for epoch in facts["history"]]
            self.stopping.restore(facts["stopping"])
            self.watch.seconds.update(facts["seconds"])
            if self.schedule is not None:
                self.schedule.restore(facts["decisions"], _below("schedule.", tensors))
                edges = {name: value.numpy() for name, value in _below("edges.", tensors).items()}
                self.edges, self.best_edges = edges.get("now"), edges.get("best")
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            why = " ".join(str(error).split())
            raise InputError(f"the checkpoint is of another model: {why}") from None

    def _restore_optimizer(self, tensors: dict[str, Tensor]) -> None:
        values: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            number, key = name.split(".", 1)
            values.setdefault(int(number), {})[key] = tensor
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": values, "param_groups": groups})


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
