"""How a task reaches a model: features, arcs and nodes as tensors, and the steps of an epoch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import SortedArcs
from fastgat.nn.sparse_features import csr_tensor
from fastgat.sparsify import ArcSampler, GuidedSparsifier, SparsifiedGraph, subgraph
from fastgat.sparsify.draws import draw_graph
from fastgat.spectral import Cache
from fastgat.train.adaptive import EdgeCount, edge_order
from fastgat.train.config import TrainConfig
from fastgat.train.schedule import AdaptiveSchedule, Edges, EdgeSchedule, GuidedSchedule
from fastgat.train.stopwatch import Stopwatch, TimedDraws

FEWEST_ORDERED = 20_000  # edges; below, everything lies in the caches anyhow
MOST_ORDERED = 5_000_000  # beyond, finding the order takes longer than it saves


@dataclass(frozen=True, eq=False)
class Nodes:
    """Features and labels of a task as tensors, and its three sets of nodes."""

    x: Tensor  # dense or torch.sparse_csr
    labels: Tensor
    sets: dict[str, Tensor]  # node numbers

    def to(self, device: torch.device) -> Nodes:
        """The same on a device."""
        if device.type == "cpu":
            return self
        sets = {name: nodes.to(device) for name, nodes in self.sets.items()}
        return Nodes(self.x.to(device), self.labels.to(device), sets)


@dataclass(frozen=True, eq=False)
class Arcs:
    """Edges as a model takes them."""

    edges: Any  # SortedArcs, or edge_index
    weight: Tensor | None  # one per arc, where weights are a prior
    num_edges: int

    @classmethod
    def of(cls, graph: Graph, *, plain: bool = False, prior: bool = False) -> Arcs:
        """Both directions of every edge.

        Args:
            graph: the undirected graph.
            plain: as edge_index, for models that take no sorted arcs.
            prior: with the weights of the edges, where the graph has any.
        """
        structure = SortedArcs.from_graph(graph)
        # None also where a draw kept no edge.
        of_arcs = graph.adjacency.weight if prior and graph.is_weighted else None
        weight = None if of_arcs is None else torch.from_numpy(of_arcs.astype(np.float32))
        edges = structure.edge_index() if plain else structure
        return cls(edges, weight, graph.num_edges)

    def to(self, device: torch.device) -> Arcs:
        """The same on a device; only edge_index goes to another one than the CPU."""
        if device.type == "cpu":
            return self
        weight = None if self.weight is None else self.weight.to(device)
        return Arcs(self.edges.to(device), weight, self.num_edges)


@dataclass(frozen=True)
class InputFormat:
    """What a model takes, and where it lies."""

    sorted_arcs: bool  # else edge_index
    sparse_features: bool  # as torch.sparse_csr; else dense
    draws: bool  # draws its own graphs while training
    device: torch.device

    def nodes(self, task: NodeTask, order: NDArray[np.int64] | None = None) -> Nodes:
        """Features, labels and sets of a task, its nodes in another order if one is given."""
        split = task.split if task.split is None or order is None else task.split.take(order)
        masks = {} if split is None else split.masks()
        sets = {name: torch.from_numpy(np.flatnonzero(masks[name])) for name in masks}
        labels = task.labels if order is None else task.labels[order]
        x = feature_tensor(task, dense=not self.sparse_features, order=order)
        return Nodes(x, torch.from_numpy(labels), sets).to(self.device)

    def arcs(self, graph: Graph, config: TrainConfig) -> Arcs:
        """The arcs of a graph."""
        plain = not self.sorted_arcs or self.device.type != "cpu"
        return Arcs.of(graph, plain=plain, prior=config.edge_weight == "prior").to(self.device)


@dataclass(frozen=True, eq=False)
class Step:
    """One forward pass; the loss and the scores are over the nodes of `sets`."""

    x: Tensor
    arcs: Arcs
    labels: Tensor
    sets: dict[str, Tensor]
    sampler: ArcSampler | None = None  # for models that draw their own graphs


class Loader(Protocol):
    """Gives the steps of training and of evaluation."""

    @property
    def schedule(self) -> EdgeSchedule | None:
        """Which edges are in use, where that changes."""

    @property
    def edges(self) -> Edges | None:
        """Those in use at first, where a schedule chooses them; None: all, or those of one draw."""

    @property
    def num_edges(self) -> int:
        """Edges trained on."""

    @property
    def num_edges_before(self) -> int:
        """Edges of the same graphs before sparsifying."""

    def training(self) -> Iterator[Step]:
        """The steps of one epoch; `sets` has `train`."""

    def evaluation(self) -> Iterator[Step]:
        """Steps that cover validation and test, and training where that costs nothing."""

    def use_edges(self, edges: Edges) -> None:
        """Go on with edges that the schedule has chosen."""

    def predict(self, probabilities: Callable[[Step], Tensor]) -> NDArray[np.float32]:
        """Class probabilities of all nodes trained on, on whole graphs, by the task's numbers."""

    @property
    def judges_whole(self) -> bool:
        """Whether evaluation is on whole graphs."""

    def judge_whole(self, whole: bool) -> None:
        """Evaluate on whole graphs, or on what is trained on, where there is a choice."""

    def sparse_graph(self) -> SparsifiedGraph | None:
        """A sparse graph trained on, if there is one graph and it was sparsified."""


class OneGraphLoader:
    """Every epoch is one step on the whole graph, or on what was kept of it."""

    def __init__(
        self,
        task: NodeTask,
        config: TrainConfig,
        input_format: InputFormat,
        watch: Stopwatch,
        cache: Cache = None,
    ) -> None:
        """Sparsify, if the config asks for it.

        Args:
            task: on one graph.
            config: says how to sparsify.
            input_format: what the model takes.
            watch: is told what resistances and draws take.
            cache: where resistances are kept, as `effective_resistances` takes it.
        """
        self.schedule: EdgeSchedule | None = None
        self.edges: Edges | None = None
        self._task, self._graph, self._cache = task, task.graph, cache
        self._config, self._format, self._watch = config, input_format, watch
        self._sparse: SparsifiedGraph | None = None
        self._sampler: ArcSampler | None = None
        self._whole: Arcs | None = None  # every arc, where they are needed again
        if isinstance(config.sparsifier, GuidedSparsifier):
            self._begin_guided(config.sparsifier)
        elif config.adaptive is not None:
            self._begin_adaptive()
        elif config.sparsifier is not None:
            with watch.phase("resistances"):
                prepared = config.prepare(task, cache)
            self._sampler = TimedDraws(prepared, watch)
            self._sparse = self._sampler.draw(config.seed)
        self._number_nodes()
        self._use(self._sparse or self._graph)

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
        sampler = self._sampler if self._format.draws else None
        yield Step(nodes.x, self._trained, nodes.labels, sets, sampler)

    def evaluation(self) -> Iterator[Step]:
        """One step for all sets."""
        nodes = self._nodes
        yield Step(nodes.x, self._evaluated, nodes.labels, nodes.sets)

    def use_edges(self, edges: Edges) -> None:
        """Sort the arcs of these edges; of those that stay for good, number the nodes anew."""
        with self._watch.phase("sampling"):
            self._sparse = subgraph(self._graph, edges)
            if self._is_settled:
                self._whole = None
                self._number_nodes()
            self._use(self._sparse)

    def predict(self, probabilities: Callable[[Step], Tensor]) -> NDArray[np.float32]:
        """What the model says of every node, on the whole graph."""
        nodes = self._nodes
        found = probabilities(Step(nodes.x, self._whole_arcs(), nodes.labels, {})).cpu().numpy()
        if self._node_order is None:
            return np.asarray(found, np.float32)
        given = np.empty_like(found, np.float32)
        given[self._node_order] = found
        return given

    @property
    def judges_whole(self) -> bool:
        """Whether evaluation is on every edge."""
        return self._evaluated is self._whole

    def judge_whole(self, whole: bool) -> None:
        """Evaluate on every edge, or on those trained on."""
        self._evaluated = self._whole_arcs() if whole else self._trained

    def sparse_graph(self) -> SparsifiedGraph | None:
        """The graph trained on; a draw of the same kind, where the model makes its own."""
        return self._sparse

    def _begin_adaptive(self) -> None:
        config, graph = self._config, self._graph
        assert config.adaptive is not None
        with self._watch.phase("resistances"):
            score = config.score(self._task, self._cache)
        with self._watch.phase("sampling"):
            count = EdgeCount.of(config.adaptive, graph, score)
            schedule = AdaptiveSchedule(count, edge_order(score, config.seed))
            self.schedule, self.edges = schedule, schedule.edges
            self._sparse = subgraph(graph, schedule.edges)

    def _begin_guided(self, sparsifier: GuidedSparsifier) -> None:
        """All edges at first; nothing is known yet that would make one likelier than another."""
        count = None
        if self._config.adaptive is not None:
            alike = np.ones(self._graph.num_edges)
            count = EdgeCount.of(self._config.adaptive, self._graph, alike)
        self.schedule = GuidedSchedule(sparsifier, self._choose, count)

    def _choose(self, sparsifier: GuidedSparsifier, predictions: NDArray[np.float32]) -> Edges:
        config = dataclasses.replace(self._config, sparsifier=sparsifier)
        with self._watch.phase("sampling"):
            prepared = config.prepare(self._task, self._cache, predictions)
            return draw_graph(prepared, config.seed).edge_id

    @property
    def _is_settled(self) -> bool:
        """Whether the sparse graph at hand, if there is one, is all that is needed from now on."""
        config, schedule = self._config, self.schedule
        if config.evaluate_on == "full" or self._sparse is None:
            return False
        once = isinstance(schedule, GuidedSchedule) and schedule.sparsifier.refresh is None
        return config.adaptive is None and (schedule is None or once)

    def _number_nodes(self) -> None:
        """Number nodes for the graph that most time is spent on."""
        order = None
        # Models that draw graphs get them in the graph's own numbers.
        may = self._config.node_order == "close" and not self._format.draws
        if may and self._format.sorted_arcs:
            order = close_order(self._sparse if self._sparse and self._is_settled else self._graph)
        self._node_order = order
        self._nodes = self._format.nodes(self._task, order)

    def _arcs(self, graph: Graph) -> Arcs:
        return self._format.arcs(renumber(graph, self._node_order), self._config)

    def _whole_arcs(self) -> Arcs:
        if self._whole is None:
            self._whole = self._arcs(self._graph)
        return self._whole

    def _use(self, graph: Graph) -> None:
        self._trained = self._whole_arcs() if graph is self._graph else self._arcs(graph)
        self.judge_whole(self._config.evaluate_on == "full")


def feature_tensor(
    task: NodeTask, *, dense: bool = False, order: NDArray[np.int64] | None = None
) -> Tensor:
    """The features of a task as a tensor.

    Args:
        task: whose features.
        dense: sparse ones as a dense tensor, not as torch.sparse_csr.
        order: of the nodes, if not their own.
    """
    features: Any = task.features if order is None else task.features[order]
    if not task.is_sparse:
        return torch.from_numpy(features)
    if dense:
        return torch.from_numpy(features.toarray())
    parts = features.indptr, features.indices, features.data
    start, column, value = (torch.from_numpy(part) for part in parts)
    return csr_tensor(start, column, value, features.shape)  # NodeTask has checked it


def close_order(graph: Graph) -> NDArray[np.int64] | None:
    """An order of the nodes in which neighbours lie close in memory; None where it does not pay.

    Attention gathers the rows of a node's neighbours; on graphs that outgrow the caches it spends
    its time waiting for them. Numbered by reverse Cuthill-McKee, neighbours have numbers near each
    other. Training may number nodes as it likes: losses and scores are sums over nodes.
    """
    if not FEWEST_ORDERED <= graph.num_edges <= MOST_ORDERED:
        return None
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(graph.to_scipy(), symmetric_mode=True)
    return np.asarray(order, np.int64)


def renumber(graph: Graph, order: NDArray[np.int64] | None) -> Graph:
    """The graph whose node i is the old node `order[i]`; the graph itself if there is no order."""
    if order is None:
        return graph
    place = np.empty(graph.num_nodes, np.int32)
    place[order] = np.arange(graph.num_nodes, dtype=np.int32)
    return Graph.from_edges(
        place[graph.source], place[graph.target], graph.stored_weight, graph.num_nodes
    )
