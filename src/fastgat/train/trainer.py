"""Trainer: the steps of an epoch, its evaluation, and what came of all epochs."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat import _core
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.machine import forget_peak, peak_bytes, resident_bytes
from fastgat.spectral import Cache
from fastgat.train.checkpoint import Checkpoint
from fastgat.train.config import TrainConfig
from fastgat.train.graph_batches import ManyGraphsLoader
from fastgat.train.loader import Loader, OneGraphLoader, Step
from fastgat.train.objective import Counts, Objective
from fastgat.train.record import (
    Epoch,
    RunRecord,
    describe_environment,
    describe_task,
    graph_fingerprint,
)
from fastgat.train.schedule import EdgeSchedule
from fastgat.train.state import EarlyStopping, TrainingState
from fastgat.train.stopwatch import Stopwatch
from fastgat.train.trainable import as_trainable, describe_model

INFERENCES = 3  # forward passes of which the median is reported

OnEpoch = Callable[[Epoch], object]


class Trainer:
    """A model, a task and a config, put together."""

    def __init__(
        self,
        model: torch.nn.Module,
        task: NodeTask,
        config: TrainConfig,
        *,
        cache: Cache = None,
    ) -> None:
        """Look at what the model takes.

        Args:
            model: any module that `as_trainable` takes.
            task: what it is to learn.
            config: how.
            cache: where resistances are kept, as `effective_resistances` takes it.
        """
        self.model, self.task, self.config = model, task, config
        self.trainable = as_trainable(model)
        self.objective = Objective.of(task)
        self.watch = Stopwatch()
        self.loader: Loader
        self.state: TrainingState
        self._cache = cache

    def prepare(self, checkpoint: Checkpoint | None = None) -> None:
        """Seed torch's generator and sparsify; go on from a checkpoint if there is one."""
        torch.manual_seed(self.config.seed)
        gc.collect()
        _core.release_memory()  # what an earlier run left for reuse is not this one's
        self.resident_before = resident_bytes()
        forget_peak()
        config, input_format = self.config, self.trainable.input_format
        kind = OneGraphLoader if self.task.part is None else ManyGraphsLoader
        with self.watch.phase("preparation"):
            self.loader = kind(self.task, config, input_format, self.watch, self._cache)
        optimizer = torch.optim.Adam(
            self.model.parameters(), config.learning_rate, weight_decay=config.weight_decay,
            fused=input_format.device.type in ("cpu", "cuda"),
        )  # fmt: skip
        stopping = EarlyStopping(config.patience)
        self.state = TrainingState(
            self.model, optimizer, stopping, self.watch, self.loader.schedule,
            edges=self.loader.edges,
        )  # fmt: skip
        if checkpoint is not None:
            self.state.restore(checkpoint)
            if self.state.edges is not None:
                self.loader.use_edges(self.state.edges)

    def train(self, on_epoch: OnEpoch | None) -> None:
        """Run epochs until patience or their number ends."""
        state, config = self.state, self.config
        while state.epoch < config.epochs and not state.stopping.is_over(state.epoch):
            epoch = self._run_epoch(state.epoch + 1)
            state.history.append(epoch)
            if state.stopping.after_epoch(epoch.epoch, epoch.validation_f1, epoch.validation_loss):
                state.keep_best()
            if state.schedule is not None:
                self._follow(state.schedule)
            if on_epoch is not None:
                on_epoch(epoch)

    def _follow(self, schedule: EdgeSchedule) -> None:
        """Ask the schedule after an epoch; go on with other edges, if it says so."""
        state = self.state
        was_warming_up = schedule.is_warming_up
        if was_warming_up:
            state.stopping.last_progress = state.epoch  # patience begins after it
        edges = schedule.after_epoch(state.history, self._predict)
        if edges is None:
            return
        state.edges = edges
        if was_warming_up:
            state.begin_anew(rewind=schedule.rewinds)
        self.loader.use_edges(edges)

    def record(self, **described: Any) -> RunRecord:
        """Put the best weights into the model and tell what came of the run.

        `described` are fields of the record that the trainer does not know, such as the label.
        """
        state = self.state
        peak = peak_bytes()
        self.model.load_state_dict(state.best)
        if state.best_edges is not None:
            self.loader.use_edges(state.best_edges)
        if self.config.evaluate_on == "better":
            self._judge_on_the_better()
        scores, class_scores = self._final_scores()
        stopped = "patience" if state.stopping.is_over(state.epoch) else "epochs"
        return RunRecord(
            task=describe_task(self.task),
            model=describe_model(self.model),
            config=self.config.to_json(),
            edges=self._describe_edges(),
            history=state.history,
            best_epoch=state.stopping.best_epoch,
            stopped=stopped,
            scores=scores,
            class_scores=class_scores,
            seconds={**self.watch.seconds, "inference": self._time_inference()},
            peak_bytes=peak,
            resident_bytes_before=self.resident_before,
            environment=describe_environment(),
            decisions=[] if state.schedule is None else state.schedule.to_json(),
            kept_edges=state.best_edges,
            **described,
        )

    def _run_epoch(self, number: int) -> Epoch:
        begin = time.perf_counter()
        num_edges = self.loader.num_edges
        loss, counts = self._train_steps()
        self._check_finite("loss", loss, number)
        with self.watch.phase("evaluation"):
            losses, found = self._evaluate(("train", "validation"))  # the test is for the end
        # The step itself may have spoilt the weights.
        self._check_finite("validation loss", losses["validation"], number)
        return Epoch(
            epoch=number,
            loss=loss,
            train_f1=found.get("train", counts).micro_f1,
            validation_loss=losses["validation"],
            validation_f1=found["validation"].micro_f1,
            seconds=time.perf_counter() - begin,
            num_edges=num_edges,
        )

    def _check_finite(self, name: str, loss: float, epoch: int) -> None:
        if not math.isfinite(loss):
            raise InputError(
                f"the {name} is {loss} in epoch {epoch}: use a smaller learning_rate than "
                f"{self.config.learning_rate}, or scale the features"
            )

    def _train_steps(self) -> tuple[float, Counts]:
        """One epoch of steps; its mean loss and the counts of its outputs."""
        self.model.train()
        optimizer, watch = self.state.optimizer, self.watch
        losses, counts = [], Counts()
        steps = self.loader.training()
        while True:
            with watch.phase("sampling"):
                step = next(steps, None)
            if step is None:
                break
            for nodes in self._node_batches(step.sets["train"]):
                optimizer.zero_grad()
                with watch.phase("forward"):
                    logits, labels = self._forward_nodes(step, nodes), step.labels[nodes]
                    loss = self.objective.loss(logits, labels) + self.trainable.penalty()
                with watch.phase("backward"):
                    loss.backward()  # type: ignore[no-untyped-call]
                with watch.phase("optimiser"):
                    optimizer.step()
                losses.append((float(loss.detach()), nodes.numel()))
                if self.task.part is not None:  # else evaluation counts them, without dropout
                    counts += self.objective.counts(logits.detach(), labels)
        total = sum(number for _, number in losses)
        mean = sum(value * number for value, number in losses) / total
        return mean, counts

    def _node_batches(self, nodes: Tensor) -> Sequence[Tensor]:
        """The training nodes at once, or shuffled in batches for models that say so."""
        size = self.trainable.batch_size
        return [nodes] if size is None else torch.split(nodes[torch.randperm(len(nodes))], size)

    @torch.no_grad()
    def _evaluate(self, names: Sequence[str]) -> tuple[dict[str, float], dict[str, Counts]]:
        """Mean loss and counts of sets of nodes."""
        self.model.eval()
        sums: dict[str, list[tuple[Tensor, int]]] = {}
        counts: dict[str, Counts] = {}
        for step in self.loader.evaluation():
            wanted = {name: step.sets[name] for name in names if name in step.sets}
            wanted = {name: nodes for name, nodes in wanted.items() if nodes.numel()}
            if not wanted:
                continue
            all_logits = self._forward(step)
            for name, nodes in wanted.items():
                logits, labels = all_logits[nodes], step.labels[nodes]
                loss = self.objective.loss(logits, labels)
                sums.setdefault(name, []).append((loss, nodes.numel()))
                counted = self.objective.counts(logits, labels)
                counts[name] = counts.get(name, Counts()) + counted
        losses = {
            name: float(sum(value * number for value, number in parts))
            / sum(number for _, number in parts)
            for name, parts in sums.items()
        }
        return losses, counts

    @torch.no_grad()
    def _final_scores(self) -> tuple[dict[str, float], list[dict[str, Any]]]:
        """Micro-F1 of every set; of the test nodes macro-F1, and the scores of each class."""
        self.model.eval()
        found: dict[str, list[tuple[Tensor, Tensor]]] = {}
        for step in self.loader.evaluation():
            predicted = self.objective.predict(self._forward(step))
            for name, nodes in step.sets.items():
                found.setdefault(name, []).append((predicted[nodes], step.labels[nodes]))
        scores, of_classes = {}, []
        for name, pairs in found.items():
            of_set, labels = (torch.cat(parts) for parts in zip(*pairs, strict=True))
            if labels.numel():
                scores[name], macro = self.objective.f1(of_set, labels)
                if name == "test":
                    scores["test_macro_f1"] = macro
                    number = self.task.num_classes
                    of_classes = self.objective.class_scores(of_set, labels, number)
        if "train" not in scores:
            best = self.state.stopping.best_epoch
            scores["train"] = self.state.history[best - 1].train_f1
        return scores, of_classes

    def _judge_on_the_better(self) -> None:
        """Judge on the whole graph from now on, if validation nodes say that it is the better."""
        sparse = self._evaluate(["validation"])[1]["validation"].micro_f1
        self.loader.judge_whole(True)
        if self._evaluate(["validation"])[1]["validation"].micro_f1 <= sparse:
            self.loader.judge_whole(False)

    @torch.no_grad()
    def _predict(self) -> NDArray[np.float32]:
        """Class probabilities on the whole graphs that are trained on: no label is looked at."""
        self.model.eval()

        def probabilities(step: Step) -> Tensor:
            return self.objective.probabilities(self._forward(step))

        with self.watch.phase("sampling"):
            return self.loader.predict(probabilities)

    @torch.no_grad()
    def _time_inference(self) -> float:
        """Seconds of a forward pass over everything that is evaluated, a median."""
        times = []
        for _ in range(INFERENCES):
            begin = time.perf_counter()
            for step in self.loader.evaluation():
                self._forward(step)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    def _forward(self, step: Step) -> Tensor:
        """Class scores of all nodes of a step."""
        logits = self.trainable.forward(step)
        needed = step.labels.size(0), self.task.num_classes
        if logits.shape != needed:
            raise InputError(
                f"the model gives scores of shape {tuple(logits.shape)}, "
                f"but the task needs {needed}"
            )
        return logits

    def _forward_nodes(self, step: Step, nodes: Tensor) -> Tensor:
        """Scores of some nodes; a model may know how to compute no others."""
        alone = self.trainable.forward_nodes(step, nodes)
        return self._forward(step)[nodes] if alone is None else alone

    def _describe_edges(self) -> dict[str, Any]:
        sparse = self.loader.sparse_graph()
        return {
            "trained_on": self.loader.num_edges,
            "before": self.loader.num_edges_before,
            "evaluated_on": "full" if self.loader.judges_whole else "sparse",
            "draws": None if sparse is None else sparse.num_draws,
            "lost_nodes": None if sparse is None else sparse.num_lost,
            # Tells whether edges that a schedule kept are of the graph at hand.
            "graph": None if self.state.best_edges is None else graph_fingerprint(self.task),
        }
