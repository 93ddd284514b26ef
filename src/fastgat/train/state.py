"""The state of training: what a checkpoint must hold for the run to go on exactly."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.train.adaptive import EdgeSchedule
from fastgat.train.checkpoint import Checkpoint
from fastgat.train.early_stopping import EarlyStopping
from fastgat.train.record import Epoch
from fastgat.train.stopwatch import Stopwatch


@dataclass
class State:
    """Everything that changes while training."""

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    stopping: EarlyStopping
    watch: Stopwatch
    schedule: EdgeSchedule | None = None
    history: list[Epoch] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)  # weights of the best epoch

    @property
    def epoch(self) -> int:
        """Epochs done."""
        return len(self.history)

    def keep_best(self) -> None:
        """Remember the present weights."""
        self.best = {
            name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()
        }

    def to_checkpoint(self) -> Checkpoint:
        """The state as tensors and plain values."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.items()}
        for number, values in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": value for name, value in values.items()}
        tensors["random"] = torch.get_rng_state()
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
                self.schedule.restore(facts["decisions"])
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
