"""The training loop: `fit`."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from fastgat.check import InputError, check_count
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.sparsify import EffectiveResistanceSparsifier, ScoreSparsifier
from fastgat.spectral import Cache
from fastgat.train.checkpoint import Checkpoint
from fastgat.train.config import TrainConfig
from fastgat.train.progress import reporting
from fastgat.train.record import Epoch, RunRecord, describe_data
from fastgat.train.run_folder import RunFolder
from fastgat.train.signals import StopRequest
from fastgat.train.trainable import check_trainable, describe_model
from fastgat.train.trainer import OnEpoch, Trainer

if TYPE_CHECKING:
    from torch_geometric.data import Data


def fit(
    model: torch.nn.Module,
    task: NodeTask | Data,
    config: TrainConfig | None = None,
    *,
    folder: str | Path | None = None,
    resume: bool = False,
    checkpoint_every: int = 25,
    label: str | None = None,
    source: dict[str, Any] | None = None,
    command: str | None = None,
    progress: bool = False,
    on_epoch: OnEpoch | None = None,
    cache: Cache = None,
) -> RunRecord:
    """Train a model for a task; afterwards it has the weights of its best epoch.

    Nothing is written unless a `folder` is given, which then holds the run: its config, a log, a
    checkpoint now and then and on Ctrl-C or SIGTERM, and in the end the record and the weights. A
    folder in which another run is at work is refused.

    Args:
        model: a FastGAT, or any module that takes dense features and an `edge_index`. One whose
            `takes_sparse_features` is True gets sparse features as `torch.sparse_csr`. One that
            has a method `penalty()` gets it added to the loss; one with
            `forward_nodes(x, edge_index, nodes)` and a `batch_size` is trained on batches of
            nodes. `fastgat.train.trainable` lists all that a module may say of itself.
        task: what to learn; a PyG `Data` is taken as `NodeTask.from_pyg` reads it.
        config: how to train; the GAT paper's recipe unless told.
        folder: where to keep the run.
        resume: go on with a run that was stopped, as if it had not been; one that was not begun
            is begun, one that is finished gives its record.
        checkpoint_every: epochs from one checkpoint to the next.
        label: what tables call the run; told by the model and the sparsifier if None.
        source: how the task can be loaded again; only kept.
        command: how the run can be repeated; only kept.
        progress: show on stderr how far it is: a bar on a terminal, some lines elsewhere.
        on_epoch: called after every epoch with its line of the history.
        cache: where resistances are kept, as `effective_resistances` takes it: True is the user's
            cache folder, a path is a folder, None computes them anew.

    >>> import fastgat
    >>> task = fastgat.load_dataset("synthetic", num_nodes=200)
    >>> model = fastgat.nn.FastGAT(task.num_features, 8, task.num_classes)
    >>> fit(model, task, TrainConfig(epochs=3)).best_epoch in (1, 2, 3)
    True
    """
    if not isinstance(task, NodeTask):
        task = _read_data(task)
    config = TrainConfig() if config is None else config
    check_count("checkpoint_every", checkpoint_every, 1)
    cautions = check_trainable(model, task, config)
    for caution in cautions:
        warnings.warn(caution, stacklevel=2)
    trainer = Trainer(model, task, config, cache=cache)
    described: dict[str, Any] = {
        "label": label or label_of(model, config),
        "command": command,
        "warnings": cautions,
    }
    if folder is None:
        with torch.random.fork_rng(devices=[]):
            trainer.prepare()
            with reporting(on_epoch, config.epochs, progress=progress) as report:
                trainer.train(report)
            return trainer.record(**described)
    run = RunFolder(Path(folder))
    begun_with = {
        "model": describe_model(model),
        "task": describe_data(task),
        "train": config.to_json(),
        "source": source,
    }
    with run.held():
        checkpoint = None
        if resume and run.has_run:
            run.check_same(begun_with)
            run.clean()
            done = run.finished()
            if done is not None:
                run.load_weights(model)
                return done
            checkpoint = _go_on(run)
        else:
            run.begin(begun_with)
        with torch.random.fork_rng(devices=[]):
            trainer.prepare(checkpoint)
            with reporting(on_epoch, config.epochs, progress=progress) as report:
                _train_in(run, trainer, report, checkpoint_every)
            record = trainer.record(**described)
        run.finish(record, Checkpoint(dict(model.state_dict()), begun_with))
        return record


def _read_data(data: Any) -> NodeTask:
    if hasattr(data, "edge_index"):
        return NodeTask.from_pyg(data)
    way_out = "NodeTask.from_pyg and fastgat.read_task make one"
    if isinstance(data, list | tuple):
        way_out = "Batch.from_data_list of torch_geometric.data joins several graphs to one"
    elif hasattr(data, "to_homogeneous"):
        way_out = "to_homogeneous() makes one graph of several kinds of nodes"
    raise InputError(
        f"task is a {type(data).__name__}, but must be a NodeTask, or a PyG Data with edge_index, "
        f"x and y; {way_out}"
    )


def _go_on(run: RunFolder) -> Checkpoint | None:
    checkpoint, trouble = run.go_on()
    for sentence in trouble:
        warnings.warn(sentence, stacklevel=3)
    if checkpoint is None:
        which = "that can be read" if trouble else "yet"
        warnings.warn(f"{run.path} has no checkpoint {which}: beginning anew", stacklevel=3)
    return checkpoint


def _train_in(run: RunFolder, trainer: Trainer, on_epoch: OnEpoch | None, every: int) -> None:
    with run.log(trainer.state.history), StopRequest() as stop:

        def after_epoch(epoch: Epoch) -> None:
            run.note(epoch)
            if on_epoch is not None:
                on_epoch(epoch)
            if stop.number is not None or epoch.epoch % every == 0:
                run.save(epoch.epoch, trainer.state.to_checkpoint())
            if stop.number is not None:
                stop.end(f"stopped after epoch {epoch.epoch}, which is saved: resume to go on")

        trainer.train(after_epoch)


def label_of(model: torch.nn.Module, config: TrainConfig) -> str:
    """What tables call a run, unless told otherwise: runs of one label differ in the seed alone."""
    name, sparsifier = type(model).__name__, config.sparsifier
    network = _network_options(model)
    if sparsifier is None:
        return ", ".join([name, *network, "full graph"])
    judged = [] if config.evaluate_on == "sparse" else [f"judged on {config.evaluate_on}"]
    weights = [] if config.edge_weight == "ignore" else ["weights as prior"]
    if config.adaptive is not None:
        return ", ".join([name, *network, "adaptive", *judged])
    options = {key: getattr(sparsifier, key, None) for key in ("epsilon", "keep", "neighbors")}
    shown = " ".join([name, *(f"{key}={value}" for key, value in options.items() if value)])
    kind = type(sparsifier)
    parts = [shown, *network]
    if isinstance(sparsifier, ScoreSparsifier):
        own = {field.name: field.default for field in dataclasses.fields(sparsifier)}
        if sparsifier.sampling != own["sampling"]:
            parts.append(sparsifier.sampling)
        if sparsifier.per_node != own["per_node"]:
            parts.append("per node" if sparsifier.per_node else "not per node")
    if kind is not EffectiveResistanceSparsifier:
        parts.append(kind.__name__)
    return ", ".join([*parts, *judged, *weights])


def _network_options(model: torch.nn.Module) -> list[str]:
    """How a FastGAT differs from the paper's."""
    if not isinstance(model, FastGAT):
        return []
    attention, resample = model.settings["attention"], model.resample
    found = [] if attention == "gat" else [str(attention)]
    return found if resample == "const" else [*found, f"drawn per {resample}"]
