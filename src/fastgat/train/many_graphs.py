"""Training on some graphs, for others: batches of graphs, as in the paper's inductive setting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph
from fastgat.train.batches import join_graphs, join_tasks
from fastgat.train.config import TrainConfig
from fastgat.train.feed import Form, Step
from fastgat.train.joined_draws import JoinedDraws, part_seeds
from fastgat.train.stopwatch import Stopwatch, TimedDraws


class ManyGraphs:
    """Steps on batches of the training graphs, each sparsified; the others stay whole."""

    schedule: None = None

    def __init__(self, task: NodeTask, config: TrainConfig, form: Form, watch: Stopwatch) -> None:
        """Sparsify the training graphs, if the config asks for it."""
        self._config, self._form, self._watch = config, form, watch
        parts = task.graphs()
        trained = {
            number: part
            for number, part in enumerate(parts)
            if part.split is not None and part.split.train.any()
        }
        self._whole = [
            (form.nodes(part), form.arcs(part.graph, config))
            for part in parts
            if part.split is not None and (part.split.validation | part.split.test).any()
        ]
        self._tasks = list(trained.values())
        self._graphs: list[Graph] = [part.graph for part in self._tasks]
        self._samplers: list[PreparedSparsifier] = []
        if config.sparsifier is not None:
            self._sparsify(config, list(trained))

    @property
    def num_edges(self) -> int:
        """Edges of the training graphs."""
        return sum(graph.num_edges for graph in self._graphs)

    @property
    def num_edges_before(self) -> int:
        """Edges of the training graphs, whole."""
        return sum(task.graph.num_edges for task in self._tasks)

    def _sparsify(self, config: TrainConfig, numbers: list[int]) -> None:
        assert config.sparsifier is not None
        for number, graph in zip(numbers, self._graphs, strict=True):
            if graph.num_edges == 0:
                raise InputError(f"graph {number} of the task has no edges: nothing to sparsify")
            with self._watch.phase("resistances"):
                prepared = config.sparsifier.prepare(graph, seed=config.seed)
            self._samplers.append(TimedDraws(prepared, self._watch))
        seeds = part_seeds(config.seed, len(numbers))
        self._graphs = [draws.draw(seed) for draws, seed in zip(self._samplers, seeds, strict=True)]

    def training(self) -> Iterator[Step]:
        """Batches in an order that torch's generator gives."""
        order = torch.randperm(len(self._tasks)).tolist()
        size = self._config.batch_size
        for begin in range(0, len(order), size):
            chosen = order[begin : begin + size]
            nodes = self._form.nodes(join_tasks([self._tasks[i] for i in chosen]))
            arcs = self._form.arcs(join_graphs([self._graphs[i] for i in chosen]), self._config)
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
            if self._samplers and self._form.draws:
                sampler = JoinedDraws([self._samplers[i] for i in chosen])
            sets = {"train": torch.from_numpy(train).to(self._form.device)}
            yield Step(nodes.x, arcs, nodes.labels, sets, sampler)

    def evaluation(self) -> Iterator[Step]:
        """Every graph with nodes for validation or test, whole."""
        for nodes, arcs in self._whole:
            sets = {name: chosen for name, chosen in nodes.sets.items() if name != "train"}
            yield Step(nodes.x, arcs, nodes.labels, sets)

    def follow_schedule(self) -> None:
        """There is none: `check_trainable` refuses it."""
        raise AssertionError

    def sparse_graph(self) -> SparsifiedGraph | None:
        """There are many."""
        return None
