"""Training on one graph: every epoch is one step on all of it, or on what was kept of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph
from fastgat.sparsify.contract import subgraph
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.train.adaptive import EdgeSchedule, edge_order
from fastgat.train.batches import Arcs
from fastgat.train.config import TrainConfig
from fastgat.train.feed import Form, Step
from fastgat.train.node_order import close_order, renumber
from fastgat.train.stopwatch import Stopwatch, TimedDraws


class OneGraph:
    """Feeds one graph."""

    def __init__(self, task: NodeTask, config: TrainConfig, form: Form, watch: Stopwatch) -> None:
        """Sparsify, if the config asks for it."""
        self.schedule: EdgeSchedule | None = None
        self._config, self._form, self._watch = config, form, watch
        self._graph = task.graph
        self._sparse: SparsifiedGraph | None = None
        self._order: NDArray[np.int64] | None = None
        self._sampler: PreparedSparsifier | None = None
        if config.adaptive is not None:
            self._begin_schedule()
        elif config.sparsifier is not None:
            with watch.phase("resistances"):
                prepared = config.sparsifier.prepare(task.graph, seed=config.seed)
            self._sampler = TimedDraws(prepared, watch)
            self._sparse = self._sampler.draw(config.seed)
        self._node_order = self._choose_order()
        self._nodes = form.nodes(task, self._node_order)
        self._use(self._sparse or self._graph)
        if config.evaluate_on == "full" and self._sparse is not None:
            self._evaluated = self._arcs(self._graph)

    @property
    def num_edges(self) -> int:
        """Edges trained on."""
        return self._trained.num_edges

    @property
    def num_edges_before(self) -> int:
        """Edges of the whole graph."""
        return self._graph.num_edges

    def training(self) -> Iterator[Step]:
        """The one step."""
        nodes = self._nodes
        sets = {"train": nodes.sets["train"]}
        yield Step(nodes.x, self._trained, nodes.labels, sets, self._sampler)

    def evaluation(self) -> Iterator[Step]:
        """One step for all sets."""
        nodes = self._nodes
        yield Step(nodes.x, self._evaluated, nodes.labels, nodes.sets)

    def follow_schedule(self) -> None:
        """The first edges of the order."""
        assert self.schedule is not None and self._order is not None
        with self._watch.phase("sampling"):
            self._sparse = subgraph(self._graph, self._order[: self.schedule.num_edges])
            evaluated = self._evaluated
            self._use(self._sparse)
            if self._config.evaluate_on == "full":
                self._evaluated = evaluated

    def sparse_graph(self) -> SparsifiedGraph | None:
        """The graph trained on; a draw of the same kind, where the model makes its own."""
        return self._sparse

    def _begin_schedule(self) -> None:
        config, graph = self._config, self._graph
        assert config.adaptive is not None and isinstance(config.sparsifier, ScoreSparsifier)
        with self._watch.phase("resistances"):
            score = config.sparsifier.score(graph, seed=config.seed)
        with self._watch.phase("sampling"):
            self.schedule = EdgeSchedule.of(config.adaptive, graph, score)
            self._order = edge_order(score, config.seed)
            self._sparse = subgraph(graph, self._order[: self.schedule.num_edges])

    def _choose_order(self) -> NDArray[np.int64] | None:
        """The order for the graph that most time is spent on."""
        if self._config.node_order == "given" or not self._form.native:
            return None
        if self._form.draws:  # which come in the graph's own numbers
            return None
        settled = self._config.evaluate_on == "sparse" and self.schedule is None
        return close_order(self._sparse if self._sparse and settled else self._graph)

    def _arcs(self, graph: Graph) -> Arcs:
        return self._form.arcs(renumber(graph, self._node_order), self._config)

    def _use(self, graph: Graph) -> None:
        self._trained = self._evaluated = self._arcs(graph)
