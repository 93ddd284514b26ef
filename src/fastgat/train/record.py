"""RunRecord: what a training run was, and what came of it; one JSON file.

What it says of the task and the machine is gathered here too. Reading a record needs no torch.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fastgat import _core
from fastgat._version import __version__
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.files import existing_file, write_atomically
from fastgat.machine import processor_name

FORMAT = 1  # of the files in a run's folder; another one is refused
RECORD_FILE = "record.json"


@dataclass(frozen=True)
class Epoch:
    """One line of a run's history; scores are micro-F1."""

    epoch: int  # from 1
    loss: float
    train_f1: float
    validation_loss: float
    validation_f1: float
    seconds: float
    num_edges: int  # trained on


@dataclass(frozen=True)
class RunRecord:
    """A finished run. Everything in it is plain: numbers, text, lists and dictionaries."""

    label: str  # how tables and pictures call it
    task: dict[str, Any]  # name, num_nodes, num_edges, num_features, num_classes, ...
    model: dict[str, Any]  # name, num_parameters and settings
    config: dict[str, Any]  # TrainConfig.to_json()
    edges: dict[str, Any]  # trained_on, evaluated_on, before, draws, lost_nodes
    history: list[Epoch]
    best_epoch: int
    stopped: str  # "epochs" or "patience"
    scores: dict[str, float]  # train, validation, test: micro-F1; test_macro_f1
    seconds: dict[str, float]  # by phase; `inference` is one forward pass, outside of the total
    peak_bytes: int | None  # of the process while training
    resident_bytes_before: int | None  # what it held before
    environment: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)  # of adaptive density
    command: str | None = None
    pictures: dict[str, Any] = field(default_factory=dict)  # what fastgat.report adds
    format: int = FORMAT

    @property
    def total_seconds(self) -> float:
        """The whole run: resistances, sampling, training and evaluation."""
        return sum(value for name, value in self.seconds.items() if name != "inference")

    @property
    def seconds_per_epoch(self) -> float:
        """Median, so that a disturbed epoch does not count."""
        ordered = sorted(epoch.seconds for epoch in self.history)
        return ordered[len(ordered) // 2] if ordered else math.nan

    @property
    def memory_bytes(self) -> int | None:
        """What training took, beyond what the process held before: the task, torch itself."""
        if self.peak_bytes is None or self.resident_bytes_before is None:
            return None
        return max(self.peak_bytes - self.resident_bytes_before, 0)

    def write(self, path: Path) -> None:
        """Write the record, whole or not at all."""
        facts = dataclasses.asdict(self)
        text = json.dumps(_without_nan(facts), indent=1, allow_nan=False)
        with write_atomically(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: str | Path) -> RunRecord:
        """The record in a file, or in the folder of a run."""
        file = Path(path)
        file = file / RECORD_FILE if file.is_dir() else file
        facts = read_json(file)
        if facts.get("format") != FORMAT:
            raise InputError(
                f"{file} has format {facts.get('format')!r}, but this version of fastgat reads "
                f"{FORMAT}; train again"
            )
        try:
            facts["history"] = [Epoch(**epoch) for epoch in facts["history"]]
            return cls(**facts)
        except (KeyError, TypeError) as error:
            raise InputError(f"{file} is not the record of a run: {error}") from None


def read_json(file: Path) -> dict[str, Any]:
    """A JSON object from a file, or one sentence about what is wrong with it."""
    try:
        facts = json.loads(existing_file(file).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: {error}") from None
    if not isinstance(facts, dict):
        raise InputError(f"{file} is not an object in JSON, as fastgat writes it")
    return facts


def describe_task(task: NodeTask) -> dict[str, Any]:
    """Sizes, and how the nodes are dealt out."""
    masks = {} if task.split is None else task.split.masks()
    return {
        "name": task.name,
        "num_nodes": task.num_nodes,
        "num_edges": task.graph.num_edges,
        "num_features": task.num_features,
        "num_classes": task.num_classes,
        "class_names": None if task.class_names is None else list(task.class_names),
        "is_multi_label": task.is_multi_label,
        "num_graphs": task.num_graphs,
        **{name: int(np.count_nonzero(mask)) for name, mask in masks.items()},
    }


def describe_environment() -> dict[str, Any]:
    """Versions and the machine: what times depend on."""
    import torch

    return {
        "fastgat": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "core_threads": _core.num_threads(),
        "vector_bits": 8 * _core.vector_bytes,
    }


def fingerprint(task: NodeTask) -> int:
    """A number that changes with the graphs, the features, the labels or the split."""
    arrays: list[Any] = [task.graph.source, task.graph.target, task.labels]
    arrays += [array for array in (task.graph.stored_weight, task.part) if array is not None]
    features: Any = task.features
    arrays += [features.indptr, features.indices, features.data] if task.is_sparse else [features]
    arrays += [] if task.split is None else task.split.masks().values()
    number = 0
    for array in arrays:
        number = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, number)
    return number


def _without_nan(value: Any) -> Any:
    """JSON has neither infinity nor NaN: null stands for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    return value
