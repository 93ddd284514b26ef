"""What a report draws: counts that add up, on any graph, and plain enough for JSON."""

import json
from collections.abc import Callable

import numpy as np
import pytest
import torch

from fastgat import EffectiveResistanceSparsifier, Graph, KNeighborSparsifier, fit
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star, two_components
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT
from fastgat.train import RunRecord, TrainConfig
from fastgat.train.pictures import count_degrees, count_resistances, make_pictures


def weighted(graph: Graph, low: float, high: float) -> Graph:
    weight = np.geomspace(low, high, graph.num_edges)
    return Graph.from_edges(graph.source, graph.target, weight, graph.num_nodes)


GRAPHS = {
    "one node": Graph.from_edges([], [], num_nodes=1),
    "no edges": Graph.from_edges([], [], num_nodes=4),
    "edge": path(2),
    "isolated": Graph.from_edges([0, 1], [1, 2], num_nodes=9),
    "star": star(40),
    "complete": complete(17),
    "components": two_components(),
    "weighted": weighted(complete(12), 0.5, 2.0),
    "extreme": weighted(complete(12), 1e-8, 1e8),
    "blocks": block_model(300, 3000, 5, seed=3)[0],
}
EACH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def task_on(graph: Graph, *, multi: bool = False) -> NodeTask:
    features = np.random.default_rng(5).random((graph.num_nodes, 3), np.float32)
    labels = np.arange(graph.num_nodes) % 3 - 1
    rows = np.random.default_rng(7).integers(0, 2, (graph.num_nodes, 2))
    return NodeTask(graph, features, rows if multi else labels, 2)


@EACH
@pytest.mark.parametrize("multi", [False, True], ids=["single", "multi"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["full", "sparse"])
def test_every_picture_adds_up(graph: Graph, multi: bool, is_sparse: bool) -> None:
    if is_sparse and graph.num_edges == 0:
        pytest.skip("nothing to sparsify")
    sparse = None
    if is_sparse:
        sparse = EffectiveResistanceSparsifier(keep=0.5).sparsify(graph, 7)
    task = task_on(graph, multi=multi)
    model = FastGAT(3, 4, 2, heads=2)
    pictures = make_pictures(model, task, torch.from_numpy(task.features), sparse, 3)
    json.dumps(pictures)
    degrees = pictures["degrees"]
    for name in ("before", "after"):
        assert len(degrees[name]) == len(degrees["bins"])
        assert sum(degrees[name]) == graph.num_nodes
    assert degrees["after"][0] == (graph if sparse is None else sparse).num_isolated
    assert ("certificate" in pictures) == is_sparse
    assert ("resistances" in pictures) == ("neighbourhood" in pictures) == (graph.num_edges > 0)
    if graph.num_edges == 0:
        return
    resistances = pictures["resistances"]
    assert np.isfinite(resistances["bins"]).all() and resistances["bins"][0] == 0
    assert sum(resistances["before"]) == graph.num_edges
    assert sum(resistances["after"]) == (graph if sparse is None else sparse).num_edges
    drawn = pictures["neighbourhood"]
    for node in drawn["nodes"]:
        label = None if multi or task.labels[node["id"]] < 0 else task.labels[node["id"]]
        assert node["class"] == label
        assert node["predicted"] in ((0, 1) if not multi else (None, 0, 1))
        assert np.isfinite([node["x"], node["y"]]).all()
    for name in ("before", "after"):
        for i, j, attention in drawn[name]:
            assert 0 <= i < j < len(drawn["nodes"])
            assert 0 <= attention <= 1
    kept = {(i, j) for i, j, _ in drawn["after"]}
    assert kept <= {(i, j) for i, j, _ in drawn["before"]}


@EACH
def test_degrees_are_counted_in_bins_of_powers_of_two(graph: Graph) -> None:
    counted = count_degrees(graph, None)
    number = np.diff(graph.adjacency.offset)
    upper = [*counted["bins"][1:], np.inf]
    expected = [
        int(np.count_nonzero((number >= low) & (number < high)))
        for low, high in zip(counted["bins"], upper, strict=True)
    ]
    assert counted["before"] == counted["after"] == expected
    assert counted["bins"][-1] <= max(number.max(), 1)


def test_kept_edges_are_counted_by_their_resistance_before() -> None:
    graph = GRAPHS["blocks"]
    sparse = KNeighborSparsifier(2).sparsify(graph, 3)
    counted = count_resistances(graph, sparse, 5)
    assert all(a <= b for a, b in zip(counted["after"], counted["before"], strict=True))


def test_a_run_keeps_its_pictures(
    blocks: NodeTask, model_for: Callable[..., FastGAT], tmp_path
) -> None:
    config = TrainConfig(epochs=2, sparsifier=EffectiveResistanceSparsifier(epsilon=0.9))
    record = fit(model_for(blocks), blocks, config, with_pictures=True)
    assert set(record.pictures) == {"degrees", "resistances", "neighbourhood", "certificate"}
    record.write(tmp_path / "record.json")
    assert RunRecord.read(tmp_path).pictures == json.loads(
        json.dumps(record.pictures).replace("Infinity", "null")
    )


def test_pictures_of_many_graphs(ppi: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    record = fit(model_for(ppi), ppi, TrainConfig(epochs=1), with_pictures=True)
    assert set(record.pictures) == {"degrees", "resistances"}
    assert sum(record.pictures["resistances"]["before"]) == ppi.graph.num_edges


def test_pictures_do_not_depend_on_whether_features_are_sparse(
    model_for: Callable[..., FastGAT],
) -> None:
    import scipy.sparse

    graph = GRAPHS["blocks"]
    dense = task_on(graph)
    known = np.flatnonzero(dense.labels >= 0)
    split = Split.from_indices(300, known[:50], known[50:60], [])
    runs = []
    for features in (dense.features, scipy.sparse.csr_array(dense.features)):
        task = NodeTask(graph, features, dense.labels, 2, split)
        model = model_for(task, dropout=0.0)
        record = fit(model, task, TrainConfig(epochs=1), with_pictures=True)
        runs.append(record.pictures["neighbourhood"])
    for one, other in zip(runs[0]["before"], runs[1]["before"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)
