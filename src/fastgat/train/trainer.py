"""Trainer: the steps of an epoch, its evaluation, and what came of all epochs."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from fastgat import _core
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.memory import forget_peak, peak_bytes, resident_bytes
from fastgat.nn import FastGAT
from fastgat.train.batches import SETS, feature_tensor
from fastgat.train.checkpoint import Checkpoint
from fastgat.train.config import TrainConfig
from fastgat.train.describe import describe_environment, describe_model, describe_task
from fastgat.train.early_stopping import EarlyStopping
from fastgat.train.feed import Feed, Form, Step
from fastgat.train.many_graphs import ManyGraphs
from fastgat.train.objective import Counts, Objective
from fastgat.train.one_graph import OneGraph
from fastgat.train.pictures import make_pictures
from fastgat.train.record import Epoch, RunRecord
from fastgat.train.state import State
from fastgat.train.stopwatch import Stopwatch

INFERENCES = 3  # forward passes of which the median is reported

OnEpoch = Callable[[Epoch], object]


class Trainer:
    """A model, a task and a config, put together."""

    def __init__(self, model: torch.nn.Module, task: NodeTask, config: TrainConfig) -> None:
        """Look at what the model takes."""
        self.model, self.task, self.config = model, task, config
        self.objective = Objective.of(task)
        self.watch = Stopwatch()
        native = isinstance(model, FastGAT)
        sparse = native or getattr(model, "takes_sparse_features", None) is True
        draws = native and model.resample != "const"
        self.form = Form(native, sparse, draws, device_of(model))
        self.feed: Feed
        self.state: State

    def prepare(self, checkpoint: Checkpoint | None = None) -> None:
        """Seed torch's generator and sparsify; go on from a checkpoint if there is one."""
        torch.manual_seed(self.config.seed)
        gc.collect()
        _core.release_memory()  # what an earlier run left for reuse is not this one's
        self.resident_before = resident_bytes()
        forget_peak()
        config = self.config
        kind: type[OneGraph | ManyGraphs] = OneGraph if self.task.part is None else ManyGraphs
        with self.watch.phase("preparation"):
            self.feed = kind(self.task, config, self.form, self.watch)
        optimizer = torch.optim.Adam(
            self.model.parameters(), config.learning_rate, weight_decay=config.weight_decay,
            fused=self.form.device.type in ("cpu", "cuda"),
        )  # fmt: skip
        stopping = EarlyStopping(config.patience)
        self.state = State(self.model, optimizer, stopping, self.watch, self.feed.schedule)
        if checkpoint is not None:
            self.state.restore(checkpoint)
            if self.feed.schedule is not None:
                self.feed.follow_schedule()

    def train(self, on_epoch: OnEpoch | None) -> None:
        """Run epochs until patience or their number ends."""
        state, config = self.state, self.config
        while state.epoch < config.epochs and not state.stopping.is_over(state.epoch):
            epoch = self._run_epoch(state.epoch + 1)
            state.history.append(epoch)
            scores = epoch.validation_f1, epoch.validation_loss
            if state.stopping.after_epoch(epoch.epoch, *scores):
                state.keep_best()
            if state.schedule is not None:
                accuracy = [earlier.train_f1 for earlier in state.history]
                if state.schedule.after_epoch(epoch.epoch, accuracy):
                    self.feed.follow_schedule()
            if on_epoch is not None:
                on_epoch(epoch)

    def _run_epoch(self, number: int) -> Epoch:
        begin = time.perf_counter()
        num_edges = self.feed.num_edges
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
        losses, counts = [], []
        steps = self.feed.training()
        while True:
            with watch.phase("sampling"):
                step = next(steps, None)
            if step is None:
                break
            for nodes in self._node_batches(step.sets["train"]):
                optimizer.zero_grad()
                with watch.phase("forward"):
                    logits, labels = self._forward_nodes(step, nodes), step.labels[nodes]
                    loss = self.objective.loss(logits, labels) + self._penalty()
                with watch.phase("backward"):
                    loss.backward()  # type: ignore[no-untyped-call]
                with watch.phase("optimiser"):
                    optimizer.step()
                losses.append((float(loss.detach()), nodes.numel()))
                if self.task.part is not None:  # else evaluation counts them, without dropout
                    counts.append(self.objective.counts(logits.detach(), labels))
        total = sum(number for _, number in losses)
        mean = sum(value * number for value, number in losses) / total
        return mean, _sum(counts)

    @torch.no_grad()
    def _evaluate(self, names: Sequence[str] = SETS) -> tuple[dict[str, float], dict[str, Counts]]:
        """Mean loss and counts of sets of nodes."""
        self.model.eval()
        sums: dict[str, list[tuple[Tensor, int]]] = {}
        counts: dict[str, list[Counts]] = {}
        for step in self.feed.evaluation():
            wanted = {name: step.sets[name] for name in names if name in step.sets}
            wanted = {name: nodes for name, nodes in wanted.items() if nodes.numel()}
            if not wanted:
                continue
            all_logits = self._forward(step)
            for name, nodes in wanted.items():
                logits, labels = all_logits[nodes], step.labels[nodes]
                sums.setdefault(name, []).append(
                    (self.objective.loss(logits, labels), nodes.numel())
                )
                counts.setdefault(name, []).append(self.objective.counts(logits, labels))
        losses = {
            name: float(sum(value * number for value, number in parts))
            / sum(number for _, number in parts)
            for name, parts in sums.items()
        }
        return losses, {name: _sum(parts) for name, parts in counts.items()}

    def _forward(self, step: Step) -> Tensor:
        """Class scores of all nodes of a step."""
        if isinstance(self.model, FastGAT):
            native: Tensor = self.model(
                step.x, step.arcs.edges, step.arcs.weight, sampler=step.sampler
            )
            return native
        logits: Tensor = self.model(step.x, step.arcs.edges)
        needed = step.labels.size(0), self.task.num_classes
        if logits.shape != needed:
            raise InputError(
                f"the model gives scores of shape {tuple(logits.shape)}, "
                f"but the task needs {needed}"
            )
        return logits

    def _node_batches(self, nodes: Tensor) -> Sequence[Tensor]:
        """The training nodes at once, or shuffled in batches for models that say so."""
        size: int | None = getattr(self.model, "batch_size", None)
        if size is None or not hasattr(self.model, "forward_nodes"):  # then it means other things
            return [nodes]
        return torch.split(nodes[torch.randperm(nodes.numel())], size)

    def _forward_nodes(self, step: Step, nodes: Tensor) -> Tensor:
        """Scores of some nodes; a model may know how to compute no others."""
        forward: Callable[..., Tensor] | None = getattr(self.model, "forward_nodes", None)
        if forward is None:
            return self._forward(step)[nodes]
        return forward(step.x, step.arcs.edges, nodes)

    def _penalty(self) -> Tensor | float:
        """What a model adds to its loss."""
        penalty: Callable[[], Tensor] | object = getattr(self.model, "penalty", None)
        return penalty() if callable(penalty) else 0.0

    def record(self, *, with_pictures: bool = False, **described: Any) -> RunRecord:
        """Put the best weights into the model and tell what came of the run."""
        state = self.state
        peak = peak_bytes()
        self.model.load_state_dict(state.best)
        if state.schedule is not None:  # as many edges as in that epoch
            state.schedule.num_edges = state.history[state.stopping.best_epoch - 1].num_edges
            self.feed.follow_schedule()
        _, counts = self._evaluate()
        scores = {name: found.micro_f1 for name, found in counts.items()}
        if "test" in counts:
            scores["test_macro_f1"] = counts["test"].macro_f1
        if "train" not in scores:
            scores["train"] = state.history[state.stopping.best_epoch - 1].train_f1
        pictures = self._make_pictures() if with_pictures else {}
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
            seconds={**self.watch.seconds, "inference": self._time_inference()},
            peak_bytes=peak,
            resident_bytes_before=self.resident_before,
            environment=describe_environment(),
            decisions=[] if state.schedule is None else state.schedule.to_json(),
            pictures=pictures,
            **described,
        )

    @torch.no_grad()
    def _time_inference(self) -> float:
        """Seconds of a forward pass over everything that is evaluated, a median."""
        times = []
        for _ in range(INFERENCES):
            begin = time.perf_counter()
            for step in self.feed.evaluation():
                self._forward(step)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    def _make_pictures(self) -> dict[str, Any]:
        x = feature_tensor(self.task, dense=not self.form.sparse)
        sparse = self.feed.sparse_graph()
        prior = self.config.edge_weight == "prior"
        return make_pictures(self.model, self.task, x, sparse, self.config.seed, prior=prior)

    def _describe_edges(self) -> dict[str, Any]:
        sparse = self.feed.sparse_graph()
        full = self.config.sparsifier is None or self.config.evaluate_on == "full"
        before = self.feed.num_edges_before
        return {
            "trained_on": self.feed.num_edges,
            "before": before,
            "evaluated_on": "full" if full or self.task.part is not None else "sparse",
            "draws": None if sparse is None else sparse.num_draws,
            "lost_nodes": None if sparse is None else sparse.num_lost,
        }


def _sum(counts: list[Counts]) -> Counts:
    if not counts:
        zero = torch.zeros(1, dtype=torch.long)
        return Counts(zero, zero, zero)
    total = counts[0]
    for more in counts[1:]:
        total = total + more
    return total


def device_of(model: torch.nn.Module) -> torch.device:
    """Where a model's parameters lie."""
    first = next(model.parameters(), None)
    return torch.device("cpu") if first is None else first.device
