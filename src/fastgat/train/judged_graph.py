"""The graph that a trained model predicts on: whole or sparse, as its run was judged."""

from __future__ import annotations

from dataclasses import replace

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.sparsify import GuidedSparsifier, SparsifiedGraph, subgraph
from fastgat.sparsify.draws import draw_graph
from fastgat.spectral import Cache
from fastgat.train.adaptive import first_edges
from fastgat.train.config import TrainConfig
from fastgat.train.record import RunRecord, graph_fingerprint
from fastgat.train.schedule import Predict


def judged_graph(
    config: TrainConfig,
    task: NodeTask,
    record: RunRecord | None,
    *,
    predict: Predict,
    cache: Cache = None,
) -> Graph:
    """The graph to predict on.

    Args:
        config: of the run.
        task: the run's own, or another.
        record: of the run, where it is at hand.
        predict: what the model says of the task on the whole graph, for edges that go by that.
        cache: where resistances are kept, as `effective_resistances` takes it.
    """
    if record is not None:
        full = record.edges["evaluated_on"] == "full"
    elif config.sparsifier is not None and config.evaluate_on == "better":
        raise InputError("evaluate_on='better' was decided by fit: give its record too")
    else:
        full = config.sparsifier is None or config.evaluate_on == "full"
    if full or task.part is not None or task.graph.num_edges == 0:
        return task.graph
    return sparse_graph(config, task, record, predict=predict, cache=cache)


def sparse_graph(
    config: TrainConfig,
    task: NodeTask,
    record: RunRecord | None,
    *,
    predict: Predict,
    cache: Cache = None,
) -> SparsifiedGraph:
    """The sparse graph of a run, made again, or one of the same kind for another task.

    Edges that a schedule chose are the record's own. For another graph a guided sparsifier goes by
    what the trained model says there, on the whole graph. Arguments as in `judged_graph`.
    """
    share = 1.0
    if record is not None:
        if record.kept_edges is not None and record.edges["graph"] == graph_fingerprint(task):
            return subgraph(task.graph, record.kept_edges)
        share = record.edges["trained_on"] / max(record.edges["before"], 1)
    elif config.adaptive is not None:
        raise InputError("config.adaptive chose the number of edges: give the record of fit too")
    if isinstance(config.sparsifier, GuidedSparsifier):
        if config.adaptive is not None:
            sparsifier = replace(config.sparsifier, epsilon=None, keep=share)
            config = replace(config, sparsifier=sparsifier, adaptive=None)
        return draw_graph(config.prepare(task, cache, predict()), config.seed)
    if config.adaptive is None:
        return draw_graph(config.prepare(task, cache), config.seed)
    count = round(share * task.graph.num_edges)
    return first_edges(task.graph, config.score(task, cache), config.seed, count)
