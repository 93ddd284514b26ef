"""What a report draws: counts that add up, on any graph, plain enough for JSON; and how they are
added to the record of a finished run, which they can never harm."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch

import fastgat as fg
from fastgat import (
    EffectiveResistanceSparsifier,
    Graph,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
    _core,
    fit,
)
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete, path, star, two_components
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT
from fastgat.pyg import PyGGAT
from fastgat.report import add_pictures, pictures, write_report
from fastgat.report.pictures import (
    count_degrees,
    count_resistances,
    make_pictures,
)
from fastgat.sparsify import subgraph
from fastgat.spectral import resistance
from fastgat.train import AdaptiveDensity, RunRecord, TrainConfig, TrainedModel
from fastgat.train.plan import number_kept

RESISTANCE = EffectiveResistanceSparsifier(epsilon=0.9)
ALL = {"degrees", "resistances", "neighbourhood", "certificate", "panel", "confusion"}


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
    pictures = make_pictures(task, sparse, FastGAT(3, 4, 2, heads=2), seed=3)
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
    exact = resistance.effective_resistances(graph, seed=3)
    assert np.isfinite(resistances["bins"]).all()
    assert 0 <= resistances["bins"][0] <= exact.min() and resistances["bins"][-1] >= exact.max()
    assert (np.diff(resistances["bins"]) > 0).all()
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


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """These graphs are too small for two."""
    threads, core_threads = torch.get_num_threads(), _core.num_threads()
    torch.set_num_threads(1)
    _core.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    _core.set_num_threads(core_threads)


@pytest.fixture(scope="module")
def ppi() -> NodeTask:
    return fg.load_dataset("ppi-like", num_nodes=720, num_edges=3600, num_classes=12, seed=5)


def test_pictures_are_added_to_the_record(run: Callable[..., Path], blocks: NodeTask) -> None:
    folder = run(sparsifier=RESISTANCE)
    before = RunRecord.read(folder)
    record = add_pictures(folder, blocks)
    assert set(record.pictures) == ALL
    assert replace(record, pictures={}) == before
    assert RunRecord.read(folder).pictures == json.loads(
        json.dumps(record.pictures).replace("Infinity", "null")
    )
    sparse = RESISTANCE.sparsify(blocks.graph, seed=7)
    assert sum(record.pictures["resistances"]["after"]) == sparse.num_edges
    assert record.pictures["degrees"] == count_degrees(blocks.graph, sparse)


def test_what_is_there_is_not_made_again(run: Callable[..., Path], blocks: NodeTask) -> None:
    folder = run(sparsifier=RESISTANCE)
    add_pictures(folder, blocks)
    file = folder / "record.json"
    kept = file.read_bytes(), file.stat().st_mtime_ns
    assert set(add_pictures(folder, blocks).pictures) == ALL
    assert (file.read_bytes(), file.stat().st_mtime_ns) == kept


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_a_run_whose_pictures_fail_keeps_its_result(
    error: type[BaseException],
    run: Callable[..., Path],
    blocks: NodeTask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = run(sparsifier=RESISTANCE)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail(*_: Any, **__: Any) -> None:
        raise error

    with monkeypatch.context() as patched, pytest.raises(error):
        patched.setattr(pictures, "certify", fail)
        add_pictures(folder, blocks)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    model = FastGAT(32, 4, 4, heads=2, dropout=0.3)
    config = TrainConfig(epochs=2, seed=7, sparsifier=RESISTANCE)
    assert fit(model, blocks, config, folder=folder, resume=True) == RunRecord.read(folder)
    assert TrainedModel.load(folder).predict(blocks).predicted.shape == (200,)
    assert write_report([folder], folder / "page.html").exists()
    assert set(add_pictures(folder, blocks).pictures) == ALL


def test_resistances_are_computed_once(
    run: Callable[..., Path], blocks: NodeTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training, its pictures, as many edges chosen otherwise, and predicting: one estimate."""
    solved = []

    class Counted(resistance.SketchSolver):
        def __init__(self, graph: Graph, **options: Any) -> None:
            solved.append(graph)
            super().__init__(graph, **options)

    monkeypatch.setattr(resistance, "SketchSolver", Counted)
    config = TrainConfig(epochs=1, seed=7, sparsifier=RESISTANCE)
    cached = {"cache": tmp_path / "cache"}
    counts = []
    for options in (cached, {"cache": None}):
        folder = tmp_path / f"run{len(counts)}"
        model = FastGAT(32, 4, 4, heads=2)
        fit(model, blocks, config, folder=folder, **options)
        add_pictures(folder, blocks, **options)
        number_kept(RESISTANCE, blocks, 7, **options)
        TrainedModel.load(folder).predict(blocks, **options)
        counts.append(len(solved))
    assert counts[0] == 1
    assert counts[1] > 2  # without a cache nothing is kept


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, ALL - {"certificate", "panel"}),
        ({"sparsifier": KNeighborSparsifier(2)}, ALL),
        ({"sparsifier": RESISTANCE, "evaluate_on": "full"}, ALL),
        ({"sparsifier": RESISTANCE, "adaptive": AdaptiveDensity(every=2, step=0.05)}, ALL),
    ],
    ids=["full", "neighbours", "evaluated on all", "adaptive"],
)
def test_pictures_are_of_the_graph_trained_on(
    options: dict[str, Any], found: set[str], run: Callable[..., Path], blocks: NodeTask
) -> None:
    record = add_pictures(run(epochs=9, **options), blocks)
    assert set(record.pictures) == found
    assert sum(record.pictures["resistances"]["after"]) == record.edges["trained_on"]
    confusion = record.pictures["confusion"]
    assert sum(confusion["nodes"]) == record.task["test"]
    right = sum(confusion["nodes"]) - sum(number for *_, number in confusion["confused"])
    assert sum(confusion["right"]) == right == round(record.scores["test"] * record.task["test"])
    assert confusion["nodes"] == [one["num_nodes"] for one in record.class_scores]


def test_the_attention_of_others_is_not_drawn(run: Callable[..., Path], blocks: NodeTask) -> None:
    record = add_pictures(run(network=PyGGAT, sparsifier=RESISTANCE), blocks)
    assert set(record.pictures) == ALL - {"neighbourhood", "confusion"}


def test_pictures_of_many_graphs(run: Callable[..., Path], ppi: NodeTask) -> None:
    record = add_pictures(run(ppi, epochs=1, sparsifier=UniformSparsifier(keep=0.5)), ppi)
    assert set(record.pictures) == {"degrees", "resistances"}
    assert sum(record.pictures["resistances"]["before"]) == ppi.graph.num_edges


def test_the_picture_has_the_prior_in_it(run: Callable[..., Path], blocks: NodeTask) -> None:
    """A drawn width is the attention that the trained model pays, weights of the draw included."""
    folder = run(sparsifier=RESISTANCE, edge_weight="prior")
    drawn = add_pictures(folder, blocks).pictures["neighbourhood"]
    model = TrainedModel.load(folder).model
    sparse = RESISTANCE.sparsify(blocks.graph, seed=7)
    index = torch.from_numpy(np.array([[*sparse.source, *sparse.target],
                                       [*sparse.target, *sparse.source]]))  # fmt: skip
    weight = torch.from_numpy(np.tile(sparse.weight, 2)).float()
    with torch.no_grad():
        _, (ends, alpha) = model.eval().layers[0](
            torch.from_numpy(blocks.features), index, edge_weight=weight,
            return_attention_weights=True,
        )  # fmt: skip
    paid = {(int(i), int(j)): float(a) for i, j, a in zip(*ends, alpha.mean(dim=1), strict=True)}
    ids = [node["id"] for node in drawn["nodes"]]
    assert drawn["after"]
    for i, j, width in drawn["after"]:
        both = paid[ids[i], ids[j]] + paid[ids[j], ids[i]]
        assert width == pytest.approx(0.5 * both, abs=1e-5)


def test_pictures_do_not_depend_on_whether_features_are_sparse(tmp_path: Path) -> None:
    graph = GRAPHS["blocks"]
    dense = task_on(graph)
    known = np.flatnonzero(dense.labels >= 0)
    split = Split.from_indices(300, known[:50], known[50:60], [])
    runs = []
    for name, features in (("d", dense.features), ("s", scipy.sparse.csr_array(dense.features))):
        task = NodeTask(graph, features, dense.labels, 2, split)
        torch.manual_seed(7)
        model = FastGAT(3, 4, 2, heads=2, dropout=0.0)
        fit(model, task, TrainConfig(epochs=1), folder=tmp_path / name)
        runs.append(add_pictures(tmp_path / name, task).pictures["neighbourhood"])
    for one, other in zip(runs[0]["before"], runs[1]["before"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([], [], num_nodes=2),
        Graph.from_edges([0], [1]),
        Graph.from_edges([0], [1], [1e8]),
        Graph.from_edges([0, 0, 0], [1, 2, 3], [1e-8, 1.0, 1e8]),
    ],
    ids=["no edges", "edge", "heavy", "star"],
)
def test_graphs_that_are_hardly_there(graph: Graph, columns: int, tmp_path: Path) -> None:
    count = graph.num_nodes
    features = np.random.default_rng(5).random((count, columns), np.float32)
    split = Split.from_indices(count, [0], [1], list(range(2, count)))
    task = NodeTask(graph, features, np.zeros(count, int), 2, split)
    configs = [TrainConfig(epochs=1)]
    if graph.num_edges:  # a draw may keep no edge: the seeds find some
        configs += [
            TrainConfig(epochs=1, sparsifier=kind, edge_weight=edge_weight, seed=seed)
            for kind in (
                EffectiveResistanceSparsifier(keep=1),
                EffectiveResistanceSparsifier(keep=1, sampling="replacement"),
            )
            for edge_weight in ("ignore", "prior")
            for seed in (0, 3)
        ]
    for number, config in enumerate(configs):
        folder = tmp_path / str(number)
        fit(FastGAT(columns, 4, 2, heads=2), task, config, folder=folder)
        record = add_pictures(folder, task)
        assert sum(record.pictures["degrees"]["after"]) == count
    write_report([folder], tmp_path / "page.html")


def test_another_task_is_refused(run: Callable[..., Path], blocks: NodeTask) -> None:
    folder = run()
    other = replace(blocks, labels=blocks.labels[::-1].copy(), split=blocks.split)
    with pytest.raises(InputError) as caught:
        add_pictures(folder, other)
    assert str(caught.value) == (
        f"the run in {folder} was trained for another task; give the same one"
    )


def test_a_run_that_is_not_finished_is_refused(run: Callable[..., Path], blocks: NodeTask) -> None:
    folder = run()
    (folder / "record.json").unlink()
    with pytest.raises(InputError, match="is not finished: resume it"):
        add_pictures(folder, blocks)


@dataclass(frozen=True)
class FirstEdges:
    """A sparsifier from outside."""

    count: int = 500

    def prepare(self, graph: Graph, **_: Any) -> Any:
        return FirstEdgesDraws(graph, self.count)


@dataclass(frozen=True, eq=False)
class FirstEdgesDraws:
    graph: Graph
    count: int

    def draw(self, seed: int = 0) -> Any:
        return subgraph(self.graph, np.arange(self.count))


def test_a_sparsifier_from_outside_needs_its_config(
    run: Callable[..., Path], blocks: NodeTask
) -> None:
    folder = run(sparsifier=FirstEdges())
    with pytest.raises(InputError, match="give the same config again"):
        add_pictures(folder, blocks)
    config = TrainConfig(epochs=2, seed=7, sparsifier=FirstEdges())
    record = add_pictures(folder, blocks, config=config)
    assert sum(record.pictures["resistances"]["after"]) == 500
