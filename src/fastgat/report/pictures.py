"""What a report draws of a run's graph, counted after training from the folder of the run.

degrees        bins (lower bounds), before, after: nodes by number of neighbours
resistances    bins (edges), before, after: edges by effective resistance
certificate    the measured spectral bounds of the sparse graph
panel          what else the sparse graph keeps: components, degrees, clustering, homophily
neighbourhood  a node and those around it, with the attention on their edges
confusion      of the test nodes: nodes and right by class, confused (true, predicted, nodes)
baselines      what needs no graph, where it was trained beside the run

The run's record is complete without them, and stays as it is if collecting them fails.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.graph import Graph
from fastgat.nn import FastGAT
from fastgat.report.figures.resistances import WIDE_RATIO
from fastgat.report.neighbourhood import neighbourhood_picture
from fastgat.sparsify import SparsifiedGraph, graph_panel
from fastgat.spectral import Cache, certify, effective_resistances
from fastgat.train.baselines import Baseline
from fastgat.train.config import TrainConfig
from fastgat.train.judged_graph import sparse_graph
from fastgat.train.loader import Arcs, feature_tensor
from fastgat.train.predict import TrainedModel
from fastgat.train.record import RECORD_FILE, RunRecord, fingerprint
from fastgat.train.run_folder import RunFolder

RESISTANCE_BINS = 40
MOST_CONFUSIONS = 200
BASELINES = "baselines"
CERTIFIED = (
    "lower",
    "upper",
    "lower_nonzero",
    "epsilon",
    "isolated",
    "lost",
    "num_components",
    "num_components_before",
)
MOST_EDGES = 5_000_000  # beyond, resistances and attention for a picture cost too much
MOST_CERTIFIED = 400_000  # a certificate takes some tens of solves


def add_pictures(
    folder: str | Path,
    task: NodeTask,
    *,
    config: TrainConfig | None = None,
    cache: Cache = None,
) -> RunRecord:
    """Add to the record of a finished run what a report draws, and give the record back.

    The sparse graph and the model are made again from the folder. A record that has pictures stays
    as it is.

    Args:
        folder: of the run.
        task: what the run was trained for.
        config: of the run, where the folder makes none: for a sparsifier that is not fastgat's.
        cache: where resistances are kept, as `effective_resistances` takes it.
    """
    run = RunFolder(Path(folder))
    record = run.record()
    if record.pictures.keys() - {BASELINES}:
        return record
    if run.config()["task"]["fingerprint"] != fingerprint(task):
        raise InputError(f"the run in {folder} was trained for another task; give the same one")
    config = run.train_config(config)
    ours = record.model["name"] == FastGAT.__name__  # no other can be made again
    model = TrainedModel.load(folder, config).model if ours else None
    sparse = None
    if config.sparsifier is not None and task.part is None:
        sparse = sparse_graph(config, task, record, predict=_never, cache=cache)
    pictures = make_pictures(
        task, sparse, model, seed=config.seed, prior=config.edge_weight == "prior", cache=cache
    )
    if model is not None and not task.is_multi_label and task.split is not None:
        judged_on = sparse if record.edges["evaluated_on"] != "full" else None
        predicted = _predict(model, task, judged_on, prior=config.edge_weight == "prior")
        pictures["confusion"] = count_confusions(predicted, task)
    record = dataclasses.replace(record, pictures={**record.pictures, **pictures})
    record.write(run.path / RECORD_FILE)
    return record


def _never() -> NDArray[np.float32]:
    """The task is the run's own, whose edges are known."""
    raise AssertionError


def add_baselines(folder: str | Path, baselines: Sequence[Baseline]) -> RunRecord:
    """Keep what needs no graph in the record of a run on the same task and split.

    A page about the run shows it among the baselines.
    """
    run = RunFolder(Path(folder))
    record = run.record()
    kept = {BASELINES: [dataclasses.asdict(baseline) for baseline in baselines]}
    record = dataclasses.replace(record, pictures={**record.pictures, **kept})
    record.write(run.path / RECORD_FILE)
    return record


def make_pictures(
    task: NodeTask,
    sparse: SparsifiedGraph | None,
    model: FastGAT | None = None,
    *,
    seed: int = 0,
    prior: bool = False,
    cache: Cache = None,
) -> dict[str, Any]:
    """All that can be drawn of a task, and of the sparse graph if there is one.

    Args:
        task: what was learnt.
        sparse: the graph that was trained on, unless that is the whole one.
        model: the trained network, if it is to be drawn.
        seed: of the resistances and the certificate.
        prior: whether the network was trained with the weights of edges as a prior.
        cache: where resistances are kept, as `effective_resistances` takes it.
    """
    graph = task.graph
    pictures: dict[str, Any] = {"degrees": count_degrees(graph, sparse)}
    if 0 < graph.num_edges <= MOST_EDGES:
        pictures["resistances"] = count_resistances(graph, sparse, seed, cache)
        if model is not None and task.part is None:
            pictures["neighbourhood"] = neighbourhood_picture(model, task, sparse, prior=prior)
    if sparse is not None and 0 < graph.num_edges <= MOST_EDGES:
        labels = None if task.is_multi_label else task.labels
        pictures["panel"] = dataclasses.asdict(graph_panel(graph, sparse, labels))
    if sparse is not None and 0 < graph.num_edges <= MOST_CERTIFIED:
        with contextlib.suppress(InputError):  # of weights too far apart to be certified
            certificate = certify(graph, sparse, seed=seed)
            pictures["certificate"] = {name: getattr(certificate, name) for name in CERTIFIED}
    return pictures


def count_degrees(graph: Graph, sparse: Graph | None) -> dict[str, list[int]]:
    """Nodes by number of neighbours; bins widen as powers of two."""
    most = int(_num_neighbours(graph).max(initial=0))
    bins = [0, *(2**power for power in range(max(most, 1).bit_length()))]
    edges = np.array([*bins, 2 * bins[-1]])
    after = graph if sparse is None else sparse
    before_after = [np.histogram(_num_neighbours(g), edges)[0].tolist() for g in (graph, after)]
    return {"bins": bins, "before": before_after[0], "after": before_after[1]}


def count_resistances(
    graph: Graph, sparse: SparsifiedGraph | None, seed: int, cache: Cache = None
) -> dict[str, list[float]]:
    """Edges by effective resistance, all of them and those kept.

    Args:
        graph: the whole one.
        sparse: what was kept of it; None if all was.
        seed: of the resistances.
        cache: where they are kept, as `effective_resistances` takes it.
    """
    resistance = effective_resistances(graph, seed=seed, cache=cache)
    kept = resistance if sparse is None else resistance[sparse.edge_id]
    low, high = float(resistance.min()), float(resistance.max())
    if 0 < low < high / WIDE_RATIO:  # of heavy tails, equal bins would show the first alone
        bins = np.geomspace(low, high, RESISTANCE_BINS + 1)
        bins[0], bins[-1] = low, high
    else:
        bins = np.linspace(0, high, RESISTANCE_BINS + 1)
    counts = [np.histogram(values, bins)[0].tolist() for values in (resistance, kept)]
    return {"bins": bins.tolist(), "before": counts[0], "after": counts[1]}


def count_confusions(predicted: NDArray[np.int64], task: NodeTask) -> dict[str, Any]:
    """Test nodes by class, those predicted right, and which classes are taken for which."""
    assert task.split is not None
    known = task.split.test & (task.labels >= 0)
    true, guess = task.labels[known], predicted[known]
    pairs, numbers = np.unique(np.stack([true, guess], axis=1), axis=0, return_counts=True)
    confused = [
        (int(one), int(other), int(number))
        for (one, other), number in zip(pairs, numbers, strict=True)
        if one != other
    ]
    confused.sort(key=lambda found: (-found[2], found[0], found[1]))
    return {
        "nodes": np.bincount(true, minlength=task.num_classes).tolist(),
        "right": np.bincount(true[true == guess], minlength=task.num_classes).tolist(),
        "confused": [list(found) for found in confused[:MOST_CONFUSIONS]],
    }


@torch.no_grad()
def _predict(
    model: FastGAT, task: NodeTask, sparse: Graph | None, *, prior: bool
) -> NDArray[np.int64]:
    arcs = Arcs.of(task.graph if sparse is None else sparse, prior=prior)
    logits: torch.Tensor = model.eval()(feature_tensor(task), arcs.edges, arcs.weight)
    return logits.argmax(dim=1).numpy()


def _num_neighbours(graph: Graph) -> NDArray[np.int64]:
    return np.diff(graph.adjacency.offset)
