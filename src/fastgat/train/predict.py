"""A trained model, loaded from the folder of its run, at work; what it says as tables in files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data import NodeTask, Split
from fastgat.files import write_atomically
from fastgat.nn import FastGAT
from fastgat.spectral import Cache
from fastgat.train.config import TrainConfig
from fastgat.train.judged_graph import judged_graph
from fastgat.train.loader import Arcs, feature_tensor
from fastgat.train.objective import Objective
from fastgat.train.record import RunRecord, describe_change, describe_data, describe_task
from fastgat.train.run_folder import RunFolder

TABLE_SUFFIXES = (".parquet", ".csv")


@dataclass(frozen=True)
class Prediction:
    """What a model says of every node."""

    nodes: NDArray[Any]  # numbers, or names where the graph has them
    predicted: NDArray[np.int64]  # one class, or a row of 0 and 1
    probability: NDArray[np.float32]  # nodes x classes
    class_names: tuple[str, ...]
    labels: NDArray[np.int64] | None = None  # true ones, -1 where unknown; None: nobody knows
    split: NDArray[np.str_] | None = None  # train, validation, test or nothing
    unknown_classes: tuple[str, ...] = ()  # of labels that the model never saw; numbered last

    @classmethod
    def of(
        cls, task: NodeTask, objective: Objective, logits: torch.Tensor, names: tuple[str, ...]
    ) -> Prediction:
        """What class scores say, beside what is known of the nodes.

        The task may number its classes otherwise than the model, or have others: they are matched
        by name.

        Args:
            task: Whose nodes.
            objective: Tells one class per node from several labels.
            logits: Scores, nodes x classes.
            names: Of the model's classes.
        """
        known = not task.is_multi_label and task.labelled.any()
        labels, unknown = _numbered_as(names, task) if known else (None, ())
        return cls(
            _names(task),
            objective.predict(logits).numpy(),
            objective.probabilities(logits).numpy(),
            names,
            labels,
            None if task.split is None else _parts(task.split),
            unknown,
        )

    def columns(self) -> dict[str, Any]:
        """As a table: `node`, the class or one column per label, and probabilities.

        Of nodes with one class: how sure the model is of it, and the true class where it is known.
        Classes are text here, their names, also where these are numbers: to compare with the
        labels of a task, take `predicted`.
        """
        table: dict[str, Any] = {"node": self.nodes}
        if self.predicted.ndim == 1:
            names = np.array(self.class_names + self.unknown_classes)
            table["class"] = names[self.predicted]
            table["confidence"] = self.probability.max(axis=1)
            if self.labels is not None:
                known = self.labels >= 0
                table["true class"] = np.where(known, names[np.where(known, self.labels, 0)], "")
        else:
            for number, name in enumerate(self.class_names):
                table[f"has {name}"] = self.predicted[:, number]
        if self.split is not None:
            table["split"] = self.split
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
    folder: Path  # of the run
    record: RunRecord

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
        task, source = begun_with["task"], begun_with["source"]
        return cls(model.eval(), config, task, source, Path(folder), record)

    @property
    def num_classes(self) -> int:
        """Classes that the model tells apart."""
        return int(self.task["num_classes"])

    def check_unchanged(self, task: NodeTask) -> None:
        """Refuse a task read again from the run's files, if these are no longer the same.

        Columns of features may have changed their order: they are found by name.
        """
        change = describe_change(self.task, describe_data(in_order(task, self.task)))
        if change is not None:
            raise InputError(
                f"{change} since the run in {self.folder} was trained; train again, or predict for "
                "the files as they are with --on"
            )

    @torch.no_grad()
    def predict(self, task: NodeTask, *, cache: Cache = None) -> Prediction:
        """What the model says of the nodes of a task, labelled or not.

        `cache` is where resistances are kept, as `effective_resistances` takes it.
        """
        objective = Objective(bool(self.task["is_multi_label"]))
        logits = self.model(*self._inputs(task, cache))
        return Prediction.of(task, objective, logits, class_names(self.task))

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
        task = in_order(task, self.task)
        if task.num_features != self.task["num_features"]:
            raise InputError(
                f"the graph has {task.num_features} features, but the model was trained on "
                f"{self.task['num_features']}: they must be the same, in the same order"
            )
        x, prior = feature_tensor(task), self.config.edge_weight == "prior"

        def predict() -> NDArray[np.float32]:
            whole = Arcs.of(task.graph, prior=prior)
            objective = Objective(bool(self.task["is_multi_label"]))
            return objective.probabilities(self.model(x, whole.edges, whole.weight)).numpy()

        graph = judged_graph(self.config, task, self.record, predict=predict, cache=cache)
        arcs = Arcs.of(graph, prior=prior)
        return x, arcs.edges, arcs.weight


def in_order(task: NodeTask, learnt: dict[str, Any]) -> NodeTask:
    """The task with its features in the order that a model was trained on, by their names.

    `learnt` is what the record of the model's run says of its task.
    """
    names = learnt.get("feature_names")
    if names is None or task.feature_names is None or task.feature_names == tuple(names):
        return task
    place = {name: number for number, name in enumerate(task.feature_names)}
    absent = [name for name in names if name not in place]
    strange = sorted(set(place) - set(names))
    if absent or strange:
        parts = [f"lacks {', '.join(map(repr, absent[:3]))}"] * bool(absent)
        parts += [f"has {', '.join(map(repr, strange[:3]))} besides"] * bool(strange)
        raise InputError(
            f"the graph's features are not those of the run: it {' and '.join(parts)}; "
            f"give the {len(names)} columns that the run was trained on"
        )
    order = [place[name] for name in names]
    return replace(task, features=task.features[:, order], feature_names=tuple(names))


def class_names(task: NodeTask | dict[str, Any]) -> tuple[str, ...]:
    """Of a task, or of what a record says of one: its names, or else its numbers."""
    facts = describe_task(task) if isinstance(task, NodeTask) else task
    return tuple(facts["class_names"] or map(str, range(facts["num_classes"])))


def check_table(path: Path) -> None:
    """Refuse a file whose suffix names no format."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise InputError(f"{path} must end in {' or '.join(TABLE_SUFFIXES)}")


def write_table(path: Path, columns: dict[str, Any]) -> None:
    """Write columns, such as `Prediction.columns()`, whole or not at all."""
    import pyarrow as pa

    check_table(path)
    table = pa.table(columns)
    with write_atomically(path) as temporary:
        if path.suffix.lower() == ".csv":
            from pyarrow import csv

            csv.write_csv(table, temporary)
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary)


def _parts(split: Split) -> NDArray[np.str_]:
    """What each node is for, as a word."""
    words = np.full(split.num_nodes, "", "U10")
    for name, mask in split.masks().items():
        words[mask] = name
    return words


def _numbered_as(
    names: tuple[str, ...], task: NodeTask
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The labels of a task with classes numbered as in `names`, and classes not among them.

    These come after the others; those that no node has are left out.
    """
    own = class_names(task)
    if own == names:
        return task.labels, ()
    shown = [own[number] for number in np.unique(task.labels[task.labelled])]
    unknown = tuple(name for name in shown if name not in names)
    number = {name: place for place, name in enumerate(names + unknown)}
    place = np.array([*(number.get(name, -1) for name in own), -1])
    return place[task.labels], unknown  # the last place is that of -1


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
