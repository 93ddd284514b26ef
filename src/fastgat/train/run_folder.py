"""The folder of a run: config, log, checkpoints, and at the end record and weights."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from fastgat.check import InputError
from fastgat.files import hold_folder, reason, remove_unfinished, write_atomically
from fastgat.train.checkpoint import (
    PATTERN,
    Checkpoint,
    load_tensors,
    newest_checkpoint,
    remove_checkpoints,
    save_checkpoint,
    save_tensors,
)
from fastgat.train.config import TrainConfig
from fastgat.train.record import (
    FORMAT,
    RECORD_FILE,
    Epoch,
    RunRecord,
    describe_change,
    no_run,
    read_json,
)

CONFIG_FILE, LOG_FILE, WEIGHTS_FILE = "config.json", "log.jsonl", "weights.safetensors"
EDGES_FILE = "edges.safetensors"


class RunFolder:
    """Where a run keeps what it needs to go on, and leaves what came of it."""

    def __init__(self, path: Path) -> None:
        """Use a folder, which need not exist yet."""
        self.path = path
        self._log: Any = None

    @property
    def has_run(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / CONFIG_FILE).exists()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out, in this process or another; the system lets go if this one dies."""
        refusal = (
            f"{self.path} is in use by another run; wait for its end, or choose another folder"
        )
        with contextlib.ExitStack() as stack:
            with self._writing():
                stack.enter_context(hold_folder(self.path, refusal))
            yield

    def begin(self, config: dict[str, Any]) -> None:
        """Begin a run in a folder without one, which must be held."""
        if self.has_run:
            raise InputError(
                f"{self.path} holds a run; resume it, remove it, or choose another folder"
            )
        for part in (*sorted(self.path.glob(PATTERN)), self.path / RECORD_FILE):
            if part.exists():  # it would be taken for a part of the new run
                raise InputError(
                    f"{self.path} holds {part.name}, but no {CONFIG_FILE}: parts of a run; "
                    "remove them, or choose another folder"
                )
        remove_unfinished(self.path)  # of a run that was killed as it began
        with write_atomically(self.path / CONFIG_FILE) as temporary:
            text = json.dumps({"format": FORMAT, **config}, indent=1)
            temporary.write_text(text + "\n", encoding="utf-8")

    def config(self) -> dict[str, Any]:
        """What the run was begun with."""
        facts = read_json(self.path / CONFIG_FILE)
        if facts.pop("format", None) != FORMAT:
            raise InputError(
                f"{self.path} is a run of another version of fastgat; train again in another folder"
            )
        return facts

    def train_config(self, given: TrainConfig | None = None) -> TrainConfig:
        """How the run was trained: as its file says, or `given` again, which must be the same."""
        if given is None:
            return TrainConfig.from_json(self.config()["train"])
        self.check_same({**self.config(), "train": given.to_json()})
        return given

    def check_same(self, config: dict[str, Any]) -> None:
        """Refuse a run that was begun with another config."""
        begun_with, given = self.config(), json.loads(json.dumps(config))
        same_source = begun_with.get("source") == given["source"]
        change = describe_change(begun_with["task"], given["task"]) if same_source else None
        if change is not None:
            raise InputError(
                f"{self.path} cannot be resumed: {change} since it was begun; bring back what it "
                "was begun with, or choose another folder"
            )
        found = difference(begun_with, given)
        if found is not None:
            where, before, now = found
            raise InputError(
                f"{self.path} holds a run with {where}={before!r}, not {now!r}; "
                "resume with the options it was begun with, or choose another folder"
            )

    def go_on(self) -> tuple[Checkpoint | None, list[str]]:
        """The checkpoint to go on from, and a sentence about each that is damaged."""
        return newest_checkpoint(self.path)

    def clean(self) -> None:
        """Remove what only a run that was killed leaves: files half written, or needed no more."""
        remove_unfinished(self.path)
        if self.finished() is not None:
            remove_checkpoints(self.path)

    def finished(self) -> RunRecord | None:
        """The record, if the run has come to its end."""
        file = self.path / RECORD_FILE
        if not file.exists():
            return None
        record = RunRecord.read(file)
        if not (self.path / EDGES_FILE).exists():
            return record
        kept = load_tensors(self.path / EDGES_FILE).tensors["kept"]
        return dataclasses.replace(record, kept_edges=kept.numpy())

    def record(self) -> RunRecord:
        """The record of a finished run; it is written last."""
        record = self.finished()
        if record is None:
            unfinished = f"{self.path} is not finished: resume it"
            raise InputError(unfinished if self.has_run else no_run(self.path))
        return record

    def save(self, epoch: int, checkpoint: Checkpoint) -> None:
        """Save what is needed to go on."""
        save_checkpoint(self.path, epoch, checkpoint)

    @contextlib.contextmanager
    def log(self, history: list[Epoch]) -> Iterator[None]:
        """Keep a log of this history and of the epochs that follow."""
        lines = "".join(_line(epoch) for epoch in history)
        with write_atomically(self.path / LOG_FILE) as temporary:
            temporary.write_text(lines, encoding="utf-8")
        with self._writing():
            # Unbuffered: what a full disk refuses is not tried again when the log is closed.
            self._log = (self.path / LOG_FILE).open("ab", buffering=0)
        with self._log:
            yield

    def note(self, epoch: Epoch) -> None:
        """One more line in the log."""
        with self._writing():
            self._log.write(_line(epoch).encode())

    def finish(self, record: RunRecord, weights: Checkpoint) -> None:
        """Leave the weights and the record; the record's presence says that all is there."""
        save_tensors(self.path / WEIGHTS_FILE, weights)
        if record.kept_edges is not None:
            kept = Checkpoint({"kept": torch.tensor(record.kept_edges)}, {})
            save_tensors(self.path / EDGES_FILE, kept)
        record.write(self.path / RECORD_FILE)
        remove_checkpoints(self.path)

    def weights(self) -> Checkpoint:
        """The best weights of a finished run."""
        self.record()
        return load_tensors(self.path / WEIGHTS_FILE)

    def load_weights(self, model: torch.nn.Module) -> None:
        """Put the best weights of a finished run into a model like the one that was trained."""
        try:
            model.load_state_dict(self.weights().tensors)
        except RuntimeError as error:
            why = " ".join(str(error).split())
            raise InputError(f"the weights in {self.path} are of another model: {why}") from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot write to {self.path}: {reason(error)}") from None


def difference(
    before: dict[str, Any], now: dict[str, Any], prefix: str = ""
) -> tuple[str, Any, Any] | None:
    """The first entry in which two configs differ: its name and both values.

    Args:
        before: one config, dictionaries within it included.
        now: the other.
        prefix: begins the name.

    >>> difference({"train": {"epochs": 3}}, {"train": {"epochs": 4}})
    ('train.epochs', 3, 4)
    """
    for key in sorted({*before, *now}):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            inner = difference(old, new, f"{prefix}{key}.")
            if inner is not None:
                return inner
        elif old != new:
            return f"{prefix}{key}", old, new
    return None


def _line(epoch: Epoch) -> str:
    return json.dumps(dataclasses.asdict(epoch)) + "\n"
