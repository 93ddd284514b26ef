"""RunRecord: what a training run was, and what came of it; one JSON file.

What it says of the task and the machine is gathered here too. Reading a record needs no torch.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
import statistics
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat import _core
from fastgat._version import __version__
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.files import existing_file, write_atomically
from fastgat.machine import processor_name
from fastgat.train.summary import as_html, summary_line

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
    """A finished run. All that is written of it is plain: numbers, text, lists, dictionaries."""

    label: str  # how tables and pictures call it
    task: dict[str, Any]  # name, num_nodes, num_edges, num_features, num_classes, ...
    model: dict[str, Any]  # name, num_parameters and settings
    config: dict[str, Any]  # TrainConfig.to_json()
    edges: dict[str, Any]  # trained_on, evaluated_on, before, draws, lost_nodes, graph
    history: list[Epoch]
    best_epoch: int
    stopped: str  # "epochs" or "patience"
    scores: dict[str, float]  # train, validation, test: micro-F1; test_macro_f1
    seconds: dict[str, float]  # by phase; `inference` is one forward pass, outside of the total
    peak_bytes: int | None  # of the process while training, or of `measured_apart`'s
    resident_bytes_before: int | None  # what it held before
    environment: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)  # which edges were used when
    command: str | None = None
    pictures: dict[str, Any] = field(default_factory=dict)  # what fastgat.report adds
    class_scores: list[dict[str, Any]] = field(default_factory=list)  # of the test nodes
    measured_apart: bool = False  # memory is that of a short run in a process of its own
    format: int = FORMAT
    # The edges of the best epoch, where a schedule chose them. Not in the file: a folder keeps
    # them beside it.
    kept_edges: NDArray[np.int64] | None = field(default=None, compare=False)

    @property
    def total_seconds(self) -> float:
        """The whole run: resistances, sampling, training and evaluation."""
        return sum(value for name, value in self.seconds.items() if name != "inference")

    @property
    def seconds_per_epoch(self) -> float:
        """Median, so that a disturbed epoch does not count."""
        seconds = [epoch.seconds for epoch in self.history]
        return statistics.median(seconds) if seconds else math.nan

    @property
    def memory_bytes(self) -> int | None:
        """What training took, beyond what the process held before: the task, torch itself."""
        if self.peak_bytes is None or self.resident_bytes_before is None:
            return None
        return max(self.peak_bytes - self.resident_bytes_before, 0)

    def __repr__(self) -> str:
        """Scores, epochs, seconds and edges on one line; `dataclasses.asdict` has everything."""
        return summary_line(self)

    def _repr_html_(self) -> str:
        """For notebooks: the same in a table, and the learning curve."""
        return as_html(self)

    def write(self, path: Path) -> None:
        """Write the record, whole or not at all."""
        facts = dataclasses.asdict(self)
        del facts["kept_edges"]
        text = json.dumps(without_nan(facts), indent=1, allow_nan=False)
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
        "feature_names": None if task.feature_names is None else list(task.feature_names),
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


def describe_data(task: NodeTask) -> dict[str, Any]:
    """`describe_task`, and what tells these data from others of the same sizes."""
    return {**describe_task(task), "fingerprint": fingerprint(task)}


def fingerprint(task: NodeTask) -> dict[str, int]:
    """A number for the graph, the features, the labels and the split; it changes with each."""
    features = task.features
    masks = {} if task.split is None else task.split.masks()
    sparse: Any = features  # or dense
    parts: dict[str, list[Any]] = {
        "features": [sparse.indptr, sparse.indices, sparse.data] if task.is_sparse else [features],
        "labels": [task.labels],
        "split": list(masks.values()),
    }
    others = {name: _checksum(arrays) for name, arrays in parts.items()}
    return {"graph": graph_fingerprint(task), **others}


def graph_fingerprint(task: NodeTask) -> int:
    """A number for the graph of a task alone."""
    graph = task.graph
    weight, size = graph.stored_weight, np.array(task.num_nodes)
    return _checksum([size, graph.source, graph.target, weight, task.part])


def _checksum(arrays: list[Any]) -> int:
    number = 0
    for array in (array for array in arrays if array is not None):
        number = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, number)
    return number


def describe_change(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """That the graph, the features, the labels or the split have changed; None if nothing has.

    Both are what the config of a run says of its task: sizes, names and `fingerprint`. Names of
    features and classes count.
    """
    one, other = before["fingerprint"], now["fingerprint"]
    if not isinstance(one, dict):
        return "the files may have changed (the run is of an older version of fastgat)"
    names = {"features": "feature_names", "labels": "class_names"}
    changed = [part for part in other if one.get(part) != other[part]]
    changed += [part for part, key in names.items() if before.get(key) != now[key]]
    told = [f"the {part}" for part in other if part in changed]
    if not told:
        return None
    have = "has" if told in (["the graph"], ["the split"]) else "have"
    return f"{' and '.join(filter(None, [', '.join(told[:-1]), told[-1]]))} {have} changed"


def runs_inside(folder: Path) -> list[Path]:
    """Folders of finished runs in a folder of several seeds or methods."""
    found = {*folder.glob(f"*/{RECORD_FILE}"), *folder.glob(f"*/*/{RECORD_FILE}")}
    return sorted(file.parent for file in found)


def no_run(folder: Path) -> str:
    """That a folder holds no run, and which folders inside do."""
    inside = [str(run.relative_to(folder)) for run in runs_inside(folder)]
    if not inside:
        return f"{folder} holds no run"
    shown = ", ".join(inside[:4]) + ", ..." * (len(inside) > 4)
    return f"{folder} holds no run itself, but folders inside do: give one of {shown}"


def without_nan(value: Any) -> Any:
    """JSON has neither infinity nor NaN: null stands for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(inner) for inner in value]
    return value
