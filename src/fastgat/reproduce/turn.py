"""One training that is timed, by epoch and phase."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from fastgat.data import NodeTask
from fastgat.reproduce.attention_time import attention_seconds
from fastgat.reproduce.training import TRAINING
from fastgat.train import Epoch, Plan, RunRecord
from fastgat.train.trainer import Trainer

WARM_UP = 1  # epochs: in the first one memory is new, and networks make what they need once
ONCE = ("preparation", "resistances", "sampling")  # of sampling: the draw that training begins with


@dataclass(frozen=True)
class Turn:
    """What an epoch took on average, the warm-up left out."""

    record: RunRecord
    training_seconds: float  # without evaluation, as the paper times it
    attention_seconds: float  # in our own kernels, those of evaluation included
    phases: dict[str, float]  # per epoch
    once: dict[str, float]  # before the first epoch


def take_turn(plan: Plan, task: NodeTask, epochs: int, device: str) -> Turn:
    """Train for the warm-up and `epochs` more; the plan must say so."""
    assert plan.config.epochs == WARM_UP + epochs and plan.config.patience is None
    trainer = Trainer(plan.make_model(task).to(device), task, plan.config)
    with torch.random.fork_rng(devices=[]), attention_seconds() as attention:
        trainer.prepare()
        once = {name: trainer.watch.seconds[name] for name in ONCE}
        marks: list[tuple[dict[str, float], float]] = []

        def mark(_: Epoch) -> None:
            marks.append((dict(trainer.watch.seconds), attention.total))

        trainer.train(mark)
        record = trainer.record(label=plan.label or "", command="", warnings=[])
    (first, attention_first), (last, attention_last) = marks[WARM_UP - 1], marks[-1]
    phases = {name: (last[name] - first[name]) / epochs for name in (*TRAINING, "evaluation")}
    # Not the sum of its phases: a GPU works on after them, and is waited for at the step's end.
    whole = sum(epoch.seconds for epoch in record.history[WARM_UP:]) / epochs
    return Turn(
        record,
        whole - phases["evaluation"],
        (attention_last - attention_first) / epochs,
        phases,
        once,
    )
