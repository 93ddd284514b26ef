"""Batches of graphs: training on some graphs, for others, as in the paper's inductive setting."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.sparsify import (
    ArcSampler,
    GuidedSparsifier,
    PreparedSparsifier,
    SparsifiedGraph,
    subgraph,
)
from fastgat.sparsify.draws import draw_graph, whole_arcs
from fastgat.spectral import Cache
from fastgat.train.config import TrainConfig
from fastgat.train.loader import InputFormat, Step
from fastgat.train.schedule import Edges, EdgeSchedule, GuidedSchedule
from fastgat.train.stopwatch import Stopwatch, TimedDraws

if TYPE_CHECKING:
    from fastgat.sparsify.contract import DrawnArcs


class ManyGraphsLoader:
    """Steps on batches of the training graphs, each sparsified; the others stay whole."""

    edges: None = None  # all of them at first, where a schedule chooses
    judges_whole = True

    def __init__(
        self,
        task: NodeTask,
        config: TrainConfig,
        input_format: InputFormat,
        watch: Stopwatch,
        cache: Cache = None,
    ) -> None:
        """Sparsify the training graphs, if the config asks for it.

        Args:
            task: on several graphs.
            config: says how to sparsify.
            input_format: what the model takes.
            watch: is told what resistances and draws take.
            cache: where resistances are kept, as `effective_resistances` takes it.
        """
        self.schedule: EdgeSchedule | None = None
        self._config, self._format, self._watch = config, input_format, watch
        self._cache = cache
        parts = task.graphs()
        trained = {
            number: part
            for number, part in enumerate(parts)
            if part.split is not None and part.split.train.any()
        }
        self._whole = [
            (input_format.nodes(part), input_format.arcs(part.graph, config))
            for part in parts
            if part.split is not None and (part.split.validation | part.split.test).any()
        ]
        self._tasks = list(trained.values())
        self._graphs: list[Graph] = [part.graph for part in self._tasks]
        self._samplers: list[ArcSampler] = []
        if config.sparsifier is not None:
            self._check_edges(list(trained))
            if isinstance(config.sparsifier, GuidedSparsifier):
                self.schedule = GuidedSchedule(config.sparsifier, self._choose)
            else:
                self._sparsify()

    @property
    def num_edges(self) -> int:
        """Edges of the training graphs."""
        return sum(graph.num_edges for graph in self._graphs)

    @property
    def num_edges_before(self) -> int:
        """Edges of the training graphs, whole."""
        return sum(task.graph.num_edges for task in self._tasks)

    def training(self) -> Iterator[Step]:
        """Batches in an order that torch's generator gives."""
        order = torch.randperm(len(self._tasks)).tolist()
        size = self._config.batch_size
        for begin in range(0, len(order), size):
            chosen = order[begin : begin + size]
            nodes = self._format.nodes(join_tasks([self._tasks[i] for i in chosen]))
            arcs = self._format.arcs(join_graphs([self._graphs[i] for i in chosen]), self._config)
            start = np.cumsum([0, *(self._tasks[i].num_nodes for i in chosen)])
            masks = [self._tasks[i].split for i in chosen]
            train = np.concatenate(
                [
                    first + np.flatnonzero(split.train)
                    for first, split in zip(start, masks, strict=False)
                    if split is not None
                ]
            )
            sampler = None
            if self._samplers and self._format.draws:
                sampler = JoinedDraws([self._samplers[i] for i in chosen])
            sets = {"train": torch.from_numpy(train).to(self._format.device)}
            yield Step(nodes.x, arcs, nodes.labels, sets, sampler)

    def evaluation(self) -> Iterator[Step]:
        """Every graph with nodes for validation or test, whole."""
        for nodes, arcs in self._whole:
            sets = {name: chosen for name, chosen in nodes.sets.items() if name != "train"}
            yield Step(nodes.x, arcs, nodes.labels, sets)

    def use_edges(self, edges: Edges) -> None:
        """Go on with these edges, numbered over the training graphs side by side."""
        first = np.cumsum([0, *(task.graph.num_edges for task in self._tasks)])
        with self._watch.phase("sampling"):
            bounds = np.searchsorted(edges, first)
            self._graphs = [
                subgraph(task.graph, edges[begin:end] - start)
                for task, start, begin, end in zip(
                    self._tasks, first, bounds, bounds[1:], strict=False
                )
            ]

    def predict(self, probabilities: Callable[[Step], Tensor]) -> NDArray[np.float32]:
        """What the model says of the nodes of every training graph, on whole graphs."""
        found = []
        for task in self._tasks:
            nodes, arcs = self._format.nodes(task), self._format.arcs(task.graph, self._config)
            found.append(probabilities(Step(nodes.x, arcs, nodes.labels, {})).cpu().numpy())
        return np.concatenate(found).astype(np.float32, copy=False)

    def judge_whole(self, whole: bool) -> None:
        """There is no choice: the graphs that are judged are never sparsified."""

    def sparse_graph(self) -> SparsifiedGraph | None:
        """None: no single graph stands for all."""
        return None

    def _check_edges(self, numbers: list[int]) -> None:
        for number, task in zip(numbers, self._tasks, strict=True):
            if task.graph.num_edges == 0:
                raise InputError(f"graph {number} of the task has no edges: nothing to sparsify")

    def _sparsify(self) -> None:
        for task in self._tasks:
            with self._watch.phase("resistances"):
                prepared = self._config.prepare(task, self._cache)
            self._samplers.append(TimedDraws(prepared, self._watch))
        seeds = part_seeds(self._config.seed, len(self._tasks))
        self._graphs = [draws.draw(seed) for draws, seed in zip(self._samplers, seeds, strict=True)]

    def _choose(self, sparsifier: GuidedSparsifier, predictions: NDArray[np.float32]) -> Edges:
        config = dataclasses.replace(self._config, sparsifier=sparsifier)
        seeds = part_seeds(config.seed, len(self._tasks))
        chosen, first_edge, first_node = [], 0, 0
        with self._watch.phase("sampling"):
            for task, seed in zip(self._tasks, seeds, strict=True):
                last_node = first_node + task.num_nodes
                prepared = config.prepare(task, self._cache, predictions[first_node:last_node])
                chosen.append(draw_graph(prepared, seed).edge_id + first_edge)
                first_edge, first_node = first_edge + task.graph.num_edges, last_node
        return np.concatenate(chosen)


class JoinedDraws:
    """Draws from every graph with its own density; the results stand side by side."""

    def __init__(self, parts: Sequence[PreparedSparsifier]) -> None:
        """Join prepared sparsifiers, one per graph."""
        self.parts = list(parts)

    @cached_property
    def graph(self) -> Graph:
        """The graphs that are drawn from, as one."""
        return join_graphs([part.graph for part in self.parts])

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """A fresh sparse graph of each."""
        drawn = self._draw_parts(seed)
        whole = join_graphs(drawn)
        first_edge = np.cumsum([0, *(part.graph.num_edges for part in self.parts)])
        ids = [graph.edge_id + first for graph, first in zip(drawn, first_edge, strict=False)]
        return SparsifiedGraph(
            whole.num_nodes, whole.source, whole.target, whole.stored_weight,
            edge_id=np.concatenate(ids),
            num_isolated_before=sum(graph.num_isolated_before for graph in drawn),
        )  # fmt: skip

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """The graph of `draw(seed)` as attention reads it, without weights."""
        return whole_arcs(join_graphs(self._draw_parts(seed)))

    def _draw_parts(self, seed: int) -> list[SparsifiedGraph]:
        seeds = part_seeds(seed, len(self.parts))
        return [part.draw(own) for part, own in zip(self.parts, seeds, strict=True)]


def part_seeds(seed: int, count: int) -> list[int]:
    """A seed for each graph: with the same one, graphs of equal size would lose the same edges."""
    state = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return [int(number) for number in state]


def join_tasks(tasks: Sequence[NodeTask]) -> NodeTask:
    """Several graphs side by side as one; splits are left out."""
    if len(tasks) == 1:
        return tasks[0]
    features: Any
    if tasks[0].is_sparse:
        import scipy.sparse

        parts: Any = [task.features for task in tasks]
        features = scipy.sparse.vstack(parts, format="csr")
    else:
        features = np.concatenate([task.features for task in tasks])
    labels = np.concatenate([task.labels for task in tasks])
    graph = join_graphs([task.graph for task in tasks])
    return NodeTask(graph, features, labels, tasks[0].num_classes)


def join_graphs(graphs: Sequence[Graph]) -> Graph:
    """Several graphs side by side as one."""
    start = np.concatenate([[0], np.cumsum([graph.num_nodes for graph in graphs])])
    weighted = any(graph.is_weighted for graph in graphs)
    return Graph.from_edges(
        np.concatenate([graph.source + first for graph, first in zip(graphs, start, strict=False)]),
        np.concatenate([graph.target + first for graph, first in zip(graphs, start, strict=False)]),
        np.concatenate([graph.weight for graph in graphs]) if weighted else None,
        num_nodes=int(start[-1]),
    )
