"""What a model says of itself; what is refused before anything is done, or only warned of.

Any module trains, PyG's layers in it or none, on all nodes or on batches of them.
"""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch
import torch_geometric.nn as pyg

import fastgat as fg
from fastgat import EffectiveResistanceSparsifier, Graph, InputError, UniformSparsifier, fit
from fastgat.data import NodeTask, Split
from fastgat.nn import FastGAT
from fastgat.train import AdaptiveDensity, TrainConfig
from fastgat.train.trainable import check_trainable, describe_model

SPARSE = TrainConfig(epochs=1, sparsifier=UniformSparsifier(keep=0.5))
CHANCE = 0.25 + 4 * 0.037  # of `blocks`: four classes, 140 nodes, four standard deviations
FAST = {"learning_rate": 0.02, "weight_decay": 5e-4}


class Linear(torch.nn.Module):
    """A model that looks at features alone."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(in_channels, out_channels)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


def refusal(model: torch.nn.Module, task: NodeTask, config: TrainConfig) -> str:
    """Of fit, since that is what users call."""
    before = torch.get_rng_state()
    with pytest.raises(InputError) as caught:
        fit(model, task, config)
    assert torch.equal(torch.get_rng_state(), before)
    return str(caught.value)


def without(task: NodeTask, **sets: list[int]) -> NodeTask:
    masks = {"train": [0, 1], "validation": [2], "test": [3], **sets}
    return dataclasses.replace(task, split=Split.from_indices(task.num_nodes, **masks))


def test_all_is_well(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    assert check_trainable(model_for(blocks), blocks, TrainConfig()) == []


def test_a_split_is_needed(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = dataclasses.replace(blocks, split=None)
    assert refusal(model_for(task), task, TrainConfig()) == (
        "the task has no split; use random_split, or load it with one"
    )


@pytest.mark.parametrize("name", ["train", "validation"])
def test_no_set_is_empty(name: str, blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = without(blocks, **{name: []})
    assert refusal(model_for(task), task, TrainConfig()) == (
        f"no node is for {name}; give the task another split"
    )


def test_an_empty_test_set_will_do(blocks: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    task = without(blocks, train=list(range(20)), validation=[20], test=[])
    record = fit(model_for(task), task, TrainConfig(epochs=1))
    assert set(record.scores) == {"train", "validation"}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((5, 4, 4), "the model has in_channels=5, but the task needs 32"),
        ((32, 4, 3), "the model has out_channels=3, but the task needs 4"),
    ],
)
def test_channels_fit_the_task(sizes: tuple, message: str, blocks: NodeTask) -> None:
    assert refusal(FastGAT(*sizes), blocks, TrainConfig()) == message


@pytest.mark.parametrize("classes", [3, 5])
def test_scores_of_another_model_fit_the_task(classes: int, blocks: NodeTask) -> None:
    assert refusal(Linear(32, classes), blocks, TrainConfig(epochs=1)) == (
        f"the model gives scores of shape (200, {classes}), but the task needs (200, 4)"
    )


def test_a_model_without_parameters(blocks: NodeTask) -> None:
    assert refusal(torch.nn.Identity(), blocks, TrainConfig()) == (
        "the model Identity has no parameters: there is nothing to train"
    )


@pytest.mark.parametrize("resample", ["layer", "head"])
def test_draws_need_a_sparsifier(
    resample: str, blocks: NodeTask, model_for: Callable[..., FastGAT]
) -> None:
    sampler = UniformSparsifier().prepare(blocks.graph)
    model = model_for(blocks, sampler=sampler, resample=resample)
    assert refusal(model, blocks, TrainConfig()) == (
        f"resample={resample!r} draws graphs while training, but config.sparsifier=None; "
        "give one, or use resample='const'"
    )
    prior = dataclasses.replace(SPARSE, edge_weight="prior")
    assert refusal(model, blocks, prior) == (
        "edge_weight='prior' goes with resample='const', where weights are known"
    )
    adaptive = dataclasses.replace(SPARSE, adaptive=AdaptiveDensity())
    assert refusal(model, blocks, adaptive) == (
        "adaptive chooses the edges itself; use resample='const'"
    )


def test_a_prior_needs_our_model(blocks: NodeTask) -> None:
    prior = dataclasses.replace(SPARSE, edge_weight="prior")
    assert refusal(Linear(32, 4), blocks, prior) == (
        "edge_weight='prior' needs a FastGAT, but model is a Linear; use edge_weight='ignore'"
    )


def test_adaptive_is_for_one_graph(ppi: NodeTask, model_for: Callable[..., FastGAT]) -> None:
    adaptive = dataclasses.replace(SPARSE, adaptive=AdaptiveDensity())
    assert refusal(model_for(ppi), ppi, adaptive) == (
        "adaptive is for tasks on one graph; leave it out"
    )


@pytest.mark.parametrize("names", [None, ("red", "green", "blue", "grey")])
def test_a_class_that_cannot_be_learnt_is_named(
    names: tuple[str, ...] | None, blocks: NodeTask, model_for: Callable[..., FastGAT]
) -> None:
    assert blocks.split is not None
    train = blocks.split.train & (blocks.labels != 2)
    split = dataclasses.replace(blocks.split, train=train)
    task = dataclasses.replace(blocks, split=split, class_names=names)
    shown = "2" if names is None else "2 ('blue')"
    with pytest.warns(UserWarning) as caught:
        record = fit(model_for(task), task, TrainConfig(epochs=1))
    assert record.warnings == [
        f"no training node has class {shown}, so the model cannot learn it; "
        "train on more nodes, or on another split"
    ]
    assert [str(warning.message) for warning in caught] == record.warnings


def test_a_class_that_no_node_has_is_nobodys_fault(blocks: NodeTask) -> None:
    task = dataclasses.replace(blocks, num_classes=9)
    assert check_trainable(FastGAT(32, 4, 9), task, TrainConfig()) == []


def test_unlabelled_nodes_have_no_class(blocks: NodeTask) -> None:
    assert blocks.split is not None
    labels = np.where(blocks.split.test, -1, blocks.labels)
    split = dataclasses.replace(blocks.split, test=np.zeros(200, bool))
    task = dataclasses.replace(blocks, labels=labels, split=split)
    assert check_trainable(FastGAT(32, 4, 4), task, TrainConfig()) == []


def test_a_config_is_a_config(blocks: NodeTask) -> None:
    assert refusal(FastGAT(32, 4, 4), blocks, {"epochs": 3}) == (  # type: ignore[arg-type]
        "config={'epochs': 3} must be a TrainConfig"
    )


def test_a_model_tells_its_settings_if_it_has_any() -> None:
    model = FastGAT(3, 4, 2, heads=2)
    described = describe_model(model)
    assert described["name"] == "FastGAT"
    assert described["settings"] == model.settings
    assert described["num_parameters"] == sum(p.numel() for p in model.parameters())
    json.dumps(described)


def test_lists_are_settings_too() -> None:
    module = torch.nn.Linear(3, 2)
    module.settings = {"num_neighbors": [25, 10], "dropout": 0.5}  # type: ignore[assignment]
    assert describe_model(module)["settings"] == {"num_neighbors": [25, 10], "dropout": 0.5}


def test_what_another_module_calls_settings_is_its_own_affair() -> None:
    module = torch.nn.Linear(3, 2)
    for settings in (object(), {"a": object()}, {3: 4}):
        module.settings = settings  # type: ignore[assignment]
        assert describe_model(module) == {"name": "Linear", "num_parameters": 8, "settings": {}}


class Stack(torch.nn.Module):
    """Two layers of PyG, with a batch norm between them: dense x and edge_index in."""

    def __init__(self, layer: type, in_channels: int, out_channels: int, **options) -> None:
        super().__init__()
        self.first = layer(in_channels, 16, **options)
        self.norm = torch.nn.BatchNorm1d(16)
        self.second = layer(16, out_channels, **options)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        assert x.layout == torch.strided
        return self.second(self.norm(self.first(x, edge_index)).relu(), edge_index)


def weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("layer", "options"),
    [
        (pyg.GCNConv, {}),
        (pyg.GATConv, {}),
        (pyg.GATv2Conv, {"share_weights": True}),
        (fg.nn.GATConv, {}),
    ],
    ids=["gcn", "gat", "gatv2", "ours"],
)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_plain_module_trains(
    layer: type, options: dict, is_sparse: bool, blocks: NodeTask, tmp_path: Path
) -> None:
    task = blocks
    if is_sparse:
        task = dataclasses.replace(blocks, features=scipy.sparse.csr_array(blocks.features))
    torch.manual_seed(5)
    model = Stack(layer, 32, 4, **options)
    config = TrainConfig(epochs=15, sparsifier=EffectiveResistanceSparsifier(epsilon=0.9), **FAST)
    record = fit(model, task, config, folder=tmp_path / "run")
    assert record.scores["test"] > CHANCE
    assert record.model == {
        "name": "Stack",
        "num_parameters": sum(p.numel() for p in model.parameters()),
        "settings": {},
    }
    other = Stack(layer, 32, 4, **options)
    assert fit(other, task, config, folder=tmp_path / "run", resume=True) == record
    assert same(weights(other), weights(model))


def test_a_module_that_learns_its_width_from_the_data(blocks: NodeTask) -> None:
    model = pyg.GCN(-1, 8, num_layers=2, out_channels=4)
    assert fit(model, blocks, TrainConfig(epochs=15, **FAST)).scores["test"] > CHANCE


class Batched(torch.nn.Module):
    """Looks at features alone, at those of a few nodes at a time."""

    def __init__(self, batch_size: int) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.linear = torch.nn.Linear(32, 4)
        self.batch_size = batch_size
        self.seen: list[list[int]] = []

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        return self.linear(x)

    def forward_nodes(
        self, x: torch.Tensor, edge_index: torch.Tensor, nodes: torch.Tensor
    ) -> torch.Tensor:
        self.seen.append(nodes.tolist())
        return self.linear(x[nodes])


def test_a_module_may_be_trained_on_batches_of_nodes(blocks: NodeTask) -> None:
    assert blocks.split is not None
    model = Batched(batch_size=8)
    record = fit(model, blocks, TrainConfig(epochs=2, **FAST))
    assert [len(nodes) for nodes in model.seen] == [8, 8, 4] * 2
    for epoch in (model.seen[:3], model.seen[3:]):
        assert (
            sorted(node for batch in epoch for node in batch)
            == np.flatnonzero(blocks.split.train).tolist()
        )
    assert model.seen[:3] != model.seen[3:]
    assert record.history[1].loss < record.history[0].loss


def test_a_penalty_is_added_to_the_loss(blocks: NodeTask) -> None:
    losses = []
    for penalty in (0.0, 3.0):
        model = Batched(batch_size=20)
        model.penalty = lambda value=penalty: torch.tensor(value)  # type: ignore[assignment]
        losses.append(fit(model, blocks, TrainConfig(epochs=1)).history[0].loss)
    assert losses[1] == pytest.approx(losses[0] + 3)


@pytest.mark.parametrize(("says", "layout"), [(True, torch.sparse_csr), (None, torch.strided)])
def test_a_module_is_given_the_features_it_takes(
    blocks: NodeTask, says: bool | None, layout: torch.layout
) -> None:
    sparse = dataclasses.replace(blocks, features=scipy.sparse.csr_array(blocks.features))
    seen = set()

    class Module(torch.nn.Module):
        takes_sparse_features = says

        def __init__(self) -> None:
            super().__init__()
            self.linear = fg.nn.Linear(32, 4)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            seen.add(x.layout)
            return self.linear(x)

    fit(Module(), sparse, TrainConfig(epochs=1))
    assert seen == {layout}


def test_what_a_module_calls_batch_size_or_penalty_is_its_own_affair(blocks: NodeTask) -> None:
    runs = []
    for given in ({}, {"batch_size": 3, "penalty": 0.5}):
        torch.manual_seed(5)
        model = Stack(pyg.GCNConv, 32, 4)
        for name, value in given.items():
            setattr(model, name, value)
        fit(model, blocks, TrainConfig(epochs=2))
        runs.append(weights(model))
    assert same(*runs)


@pytest.mark.parametrize(
    ("wrap", "kind"),
    [
        (lambda scores: (scores, scores), "tuple"),
        (lambda scores: {"out": scores}, "dict"),
        (lambda scores: None, "NoneType"),
    ],
)
@pytest.mark.parametrize("batched", [False, True])
def test_a_model_must_return_one_tensor(
    wrap: Callable[[torch.Tensor], object], kind: str, batched: bool, blocks: NodeTask
) -> None:
    class Wrapped(Linear):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> object:  # type: ignore[override]
            return wrap(self.linear(x))

    model = Wrapped(32, 4)
    if batched:
        model.forward_nodes = lambda x, edges, nodes: model(x[nodes], edges)
    assert refusal(model, blocks, TrainConfig()) == (
        f"the model Wrapped returns a {kind}, but must return one tensor of class scores; "
        "wrap it in a module that returns that tensor alone"
    )


class PlainGraphs:
    """A sparsifier that forgets where its edges come from."""

    def prepare(self, graph: Graph, **options: object) -> "PlainDraws":
        return PlainDraws(graph)


@dataclasses.dataclass
class PlainDraws:
    graph: Graph

    def draw(self, seed: int = 0) -> Graph:
        return Graph.from_edges(
            self.graph.source[:9], self.graph.target[:9], num_nodes=self.graph.num_nodes
        )


@pytest.mark.parametrize("name", ["blocks", "ppi"])
def test_a_draw_must_say_where_its_edges_come_from(
    name: str, request: pytest.FixtureRequest, model_for: Callable[..., FastGAT]
) -> None:
    task: NodeTask = request.getfixturevalue(name)
    config = TrainConfig(epochs=1, sparsifier=PlainGraphs())  # type: ignore[arg-type]
    assert refusal(model_for(task), task, config) == (
        "draw of PlainDraws returns a Graph, but must return a SparsifiedGraph; "
        "fastgat.sparsify.subgraph(graph, edges) makes one"
    )
