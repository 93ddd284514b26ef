"""A trained model, loaded from the folder of its run, at work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import FastGAT
from fastgat.sparsify import SparsifiedGraph
from fastgat.spectral import Cache
from fastgat.train.adaptive import first_edges
from fastgat.train.config import TrainConfig
from fastgat.train.loader import Arcs, feature_tensor
from fastgat.train.objective import Objective
from fastgat.train.run_folder import RunFolder


@dataclass(frozen=True)
class Prediction:
    """What a model says of every node."""

    nodes: NDArray[Any]  # numbers, or names where the graph has them
    predicted: NDArray[np.int64]  # one class, or a row of 0 and 1
    probability: NDArray[np.float32]  # nodes x classes
    class_names: tuple[str, ...]

    def columns(self) -> dict[str, Any]:
        """As a table: `node`, the class or one column per label, and probabilities."""
        table: dict[str, Any] = {"node": self.nodes}
        if self.predicted.ndim == 1:
            table["class"] = np.array(self.class_names)[self.predicted]
        else:
            for number, name in enumerate(self.class_names):
                table[f"has {name}"] = self.predicted[:, number]
        for number, name in enumerate(self.class_names):
            table[f"probability of {name}"] = self.probability[:, number]
        return table


@dataclass(frozen=True)
class Attention:
    """The coefficient of every arc, layer and head."""

    layer: NDArray[np.int32]
    head: NDArray[np.int32]
    source: NDArray[Any]
    target: NDArray[Any]
    coefficient: NDArray[np.float32]

    def columns(self) -> dict[str, Any]:
        """As a table."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """The best weights of a run, and what is needed to use them."""

    model: FastGAT
    config: TrainConfig
    task: dict[str, Any]  # what the run's record says of its task
    source: dict[str, Any] | None  # how that task can be loaded again
    edge_share: float  # of the run's edges, those it came to be trained on
    whole: bool  # judged on whole graphs

    @classmethod
    def load(cls, folder: str | Path, config: TrainConfig | None = None) -> TrainedModel:
        """The model of a finished run.

        `config` is needed only where the run's own cannot be read from the folder, since its
        sparsifier is not one of fastgat's; it must be the same.
        """
        run = RunFolder(Path(folder))
        record = run.record()
        begun_with = run.config()
        described = begun_with["model"]
        if described["name"] != FastGAT.__name__:
            raise InputError(
                f"{folder} holds a {described['name']}, but only a FastGAT can be made again"
            )
        try:
            model = FastGAT(**described["settings"])
        except TypeError as error:
            raise InputError(f"the config in {folder} makes no FastGAT: {error}") from None
        run.load_weights(model)
        config = run.train_config(config)
        edges = record.edges
        return cls(
            model.eval(),
            config,
            begun_with["task"],
            begun_with["source"],
            edge_share=edges["trained_on"] / max(edges["before"], 1),
            whole=edges["evaluated_on"] == "full",
        )

    @property
    def num_classes(self) -> int:
        """Classes that the model tells apart."""
        return int(self.task["num_classes"])

    @torch.no_grad()
    def predict(self, task: NodeTask, *, cache: Cache = None) -> Prediction:
        """What the model says of the nodes of a task, labelled or not.

        `cache` is where resistances are kept, as `effective_resistances` takes it.
        """
        objective = Objective(bool(self.task["is_multi_label"]))
        logits = self.model(*self._inputs(task, cache))
        return Prediction(
            _names(task),
            objective.predict(logits).numpy(),
            objective.probabilities(logits).numpy(),
            self._class_names(),
        )

    @torch.no_grad()
    def attention(self, task: NodeTask, *, cache: Cache = None) -> Attention:
        """The coefficients in every layer; each arc has one per head. `cache` as in `predict`."""
        found: list[tuple[int, Any, Any]] = []

        def look(number: int) -> Any:
            def pre(module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
                return args, {**kwargs, "return_attention_weights": True}

            def post(module: torch.nn.Module, args: Any, out: Any) -> Any:
                found.append((number, *out[1]))
                return out[0]

            return pre, post

        handles = []
        for number, layer in enumerate(self.model.layers):
            pre, post = look(number)
            handles.append(layer.register_forward_pre_hook(pre, with_kwargs=True))
            handles.append(layer.register_forward_hook(post))
        try:
            self.model(*self._inputs(task, cache))
        finally:
            for handle in handles:
                handle.remove()
        return _stack(found, _names(task))

    def _inputs(self, task: NodeTask, cache: Cache) -> tuple[Any, Any, Any]:
        if task.num_features != self.task["num_features"]:
            raise InputError(
                f"the graph has {task.num_features} features, but the model was trained on "
                f"{self.task['num_features']}: they must be the same, in the same order"
            )
        graph = self._graph(task, cache)
        arcs = Arcs.of(graph, prior=self.config.edge_weight == "prior")
        return feature_tensor(task), arcs.edges, arcs.weight

    def _graph(self, task: NodeTask, cache: Cache) -> Graph:
        """Whole or sparse, as the run was judged."""
        if self.whole or task.part is not None or task.graph.num_edges == 0:
            return task.graph
        return sparse_graph(self.config, task.graph, self.edge_share, cache)

    def _class_names(self) -> tuple[str, ...]:
        names = self.task["class_names"]
        return tuple(map(str, range(self.num_classes)) if names is None else names)


def sparse_graph(
    config: TrainConfig, graph: Graph, edge_share: float, cache: Cache = None
) -> SparsifiedGraph:
    """The graph that a run with a sparsifier trains on, made again.

    Args:
        config: of the run.
        graph: whole; the run's own, or another.
        edge_share: of the edges, those that adaptive density had come to.
        cache: where resistances are kept, as `effective_resistances` takes it.
    """
    if config.adaptive is None:
        return config.prepare(graph, cache).draw(config.seed)
    count = round(edge_share * graph.num_edges)
    return first_edges(graph, config.score(graph, cache), config.seed, count)


def _names(task: NodeTask) -> NDArray[Any]:
    return np.arange(task.num_nodes) if task.graph.names is None else task.graph.names


def _stack(found: list[tuple[int, Any, Any]], names: NDArray[Any]) -> Attention:
    parts: list[tuple[Any, ...]] = []
    for layer, ends, alpha in found:
        arcs, heads = alpha.shape
        source, target = names[ends[0].numpy()], names[ends[1].numpy()]
        for head in range(heads):
            where = np.full(arcs, layer, np.int32), np.full(arcs, head, np.int32)
            parts.append((*where, source, target, alpha[:, head].numpy()))
    return Attention(*(np.concatenate(column) for column in zip(*parts, strict=True)))
