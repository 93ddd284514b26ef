"""What must be kept for a run to go on exactly: the state of training, and its checkpoints.

A checkpoint is one safetensors file, the plain state in its header, with a digest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.files import write_atomically
from fastgat.train.adaptive import EdgeSchedule
from fastgat.train.early_stopping import EarlyStopping
from fastgat.train.record import FORMAT, Epoch
from fastgat.train.stopwatch import Stopwatch

KEPT = 2  # the newest, and the one before in case the newest is damaged
PATTERN = "checkpoint-*.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """Everything that decides how training goes on."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


@dataclass
class TrainingState:
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


def save_checkpoint(folder: Path, epoch: int, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, whole or not at all, then remove those that are too old."""
    save_tensors(folder / f"checkpoint-{epoch:08d}.safetensors", checkpoint)
    remove_checkpoints(folder, keep=KEPT)


def remove_checkpoints(folder: Path, *, keep: int = 0) -> None:
    """Remove all but the newest."""
    for old in sorted(folder.glob(PATTERN), reverse=True)[keep:]:
        with contextlib.suppress(OSError):
            old.unlink()


def newest_checkpoint(folder: Path) -> tuple[Checkpoint | None, list[str]]:
    """The newest checkpoint that is whole, and a sentence about each that is not."""
    trouble: list[str] = []
    for path in sorted(folder.glob(PATTERN), reverse=True):
        try:
            return load_tensors(path), trouble
        except DamagedError as error:
            trouble.append(f"{error}; going back to the one before, if there is one")
    return None, trouble


class DamagedError(InputError):
    """A file of tensors that is cut short or was changed."""


def save_tensors(path: Path, checkpoint: Checkpoint) -> None:
    """Write tensors with plain facts beside them."""
    from safetensors.torch import save

    # Copies in one piece: safetensors refuses those that share memory, as tied parameters do.
    tensors = {
        name: tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
        for name, tensor in checkpoint.tensors.items()
    }
    facts = json.dumps(checkpoint.facts)
    header = {"fastgat_format": str(FORMAT), "facts": facts, "digest": _digest(tensors, facts)}
    with write_atomically(path) as temporary:
        temporary.write_bytes(save(tensors, metadata=header))


def load_tensors(path: Path) -> Checkpoint:
    """Read what `save_tensors` wrote; refuse a damaged file, or one of another version."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedError(f"{path} is damaged ({_first_line(error)})") from None
    version, facts = header.get("fastgat_format"), header.get("facts")
    if version is None:
        raise DamagedError(f"{path} is damaged (its header is not of fastgat)")
    if version != str(FORMAT):
        raise InputError(
            f"{path} has format {version!r}, but this version of fastgat "
            f"reads {FORMAT}; train again in another folder"
        )
    if facts is None or header.get("digest") != _digest(tensors, facts):
        raise DamagedError(f"{path} is damaged (its digest does not fit)")
    return Checkpoint(tensors, json.loads(facts))


def _digest(tensors: dict[str, Tensor], facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for part in _bytes_of(tensors):
        digest.update(part)
    return digest.hexdigest()


def _bytes_of(tensors: dict[str, Tensor]) -> Iterator[bytes | memoryview]:
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        yield f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode()
        yield tensor.reshape(-1).view(torch.uint8).numpy().data  # NumPy has no bfloat16


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
