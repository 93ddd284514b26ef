"""What a record says of the task, the model and the machine."""

from __future__ import annotations

import json
import os
import platform
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fastgat import _core
from fastgat._version import __version__
from fastgat.data import NodeTask


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


def describe_model(model: torch.nn.Module) -> dict[str, Any]:
    """Its name, its size and, if it tells them in plain values, the arguments it was made with."""
    count = sum(parameter.numel() for parameter in model.parameters())
    told = getattr(model, "settings", None)
    settings = dict(told) if isinstance(told, dict) and _can_be_kept(told) else {}
    return {"name": type(model).__name__, "num_parameters": count, "settings": settings}


def _can_be_kept(settings: dict[Any, Any]) -> bool:
    """Whether JSON gives them back; what another module calls settings is its own affair."""
    try:
        return bool(json.loads(json.dumps(settings)) == settings)
    except (TypeError, ValueError):
        return False


def describe_environment() -> dict[str, Any]:
    """Versions and the machine: what times depend on."""
    return {
        "fastgat": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
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


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
