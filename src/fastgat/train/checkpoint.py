"""Checkpoints: one safetensors file each, plain facts in its header, with a digest."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fastgat.check import InputError
from fastgat.files import write_atomically
from fastgat.train.record import FORMAT

KEPT = 2  # the newest, and the one before in case the newest is damaged
PATTERN = "checkpoint-*.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """Everything that decides how training goes on, as `TrainingState` gives and takes it."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def save_checkpoint(folder: Path, epoch: int, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, whole or not at all, then remove those that are too old.

    Args:
        folder: of the run.
        epoch: the last one that was done.
        checkpoint: the state after it.
    """
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
