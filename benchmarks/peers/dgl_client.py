"""Our end of the pipe to DGL's process."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from peers.node_data import NodeData, edge_index

FOLDER = Path(__file__).parents[1]
ANSWER = "answer: "


class DGL:
    """A model or layer in DGL's process, on our arrays and weights."""

    def __init__(self, python: str, arrays: dict[str, Any]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "task.npz"
        np.savez(path, **arrays)
        environment = os.environ | {"DGLBACKEND": "pytorch"}
        if "OMP_WAIT_POLICY" not in environment:
            environment.setdefault("GOMP_SPINCOUNT", "0")  # as fastgat sets it in our own process
        self.process = subprocess.Popen(
            [python, "-m", "peers.dgl_worker", str(path)],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    @classmethod
    def of_model(cls, python: str, data: NodeData, model: torch.nn.Module) -> DGL:
        features = data.features
        arrays = {
            "value": features.data,
            "column": features.indices,
            "offset": features.indptr,
            "num_features": features.shape[1],
            "num_classes": data.num_classes,
            "label": data.label.numpy(),
            "train": data.train.numpy(),
        }
        return cls(python, arrays | _graph(data) | _weights("", model))

    @classmethod
    def of_layer(cls, python: str, data: NodeData, layer: torch.nn.Module, x: Tensor) -> DGL:
        arrays = {"x": x.detach().numpy()}
        return cls(python, arrays | _graph(data) | _weights("layer.", layer))

    def outputs(self) -> Tensor:
        return torch.from_numpy(np.load(self._ask("outputs")))

    def version(self) -> str:
        return self._ask("version")

    def turn(self, what: str) -> float:
        return float(self._ask(what))

    def _ask(self, what: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith(ANSWER):
                return line.removeprefix(ANSWER).strip()
        raise RuntimeError(f"DGL's process ended without an answer to {what!r}: see above")

    def __enter__(self) -> DGL:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def _graph(data: NodeData) -> dict[str, Any]:
    source, target = edge_index(data.graph).numpy()
    return {"num_nodes": data.graph.num_nodes, "source": source, "target": target}


def _weights(prefix: str, module: torch.nn.Module) -> dict[str, Any]:
    return {prefix + name: value.numpy() for name, value in module.state_dict().items()}
