"""Graphs are sorted once, seen when they change, and let go when nobody holds them."""

import copy
import gc
import io
import pickle
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from torch_geometric import EdgeIndex

from attention_layers import ARCS, CHANNELS, LAYERS, NODES, features, seeded
from fastgat.graph import Graph
from fastgat.nn import SortedArcs, arcs, operator

every_layer = pytest.mark.parametrize("name", LAYERS)


def make(name: str, **options: Any) -> nn.Module:
    return seeded(LAYERS[name], **options)


def fresh(layer: nn.Module, x: Any, arcs: Tensor, **values: Any) -> Tensor:
    """The result for a tensor nobody has seen before."""
    return layer(x, arcs.clone(), **values)


class Counter:
    def __init__(self) -> None:
        self.calls = 0


@pytest.fixture
def sorts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter]:
    """Counts how often arcs are sorted."""
    counter, original = Counter(), arcs.sort_arcs

    def counted(*args: Any, **options: Any) -> Any:
        counter.calls += 1
        return original(*args, **options)

    monkeypatch.setattr("fastgat.nn.arcs.sort_arcs", counted)
    monkeypatch.setattr("fastgat.nn.edge_index.sort_arcs", counted)
    return counter


@every_layer
def test_an_edge_index_is_sorted_once(name: str, sorts: Counter) -> None:
    layer, arcs, x = make(name), ARCS.clone(), features(NODES, CHANNELS)
    first = layer(x, arcs)
    first.sum().backward()
    assert sorts.calls == 1
    assert torch.equal(layer(x, arcs), first)
    make(name)(x, arcs)  # another layer finds it too
    assert sorts.calls == 1
    layer(x, arcs, edge_weight=torch.ones(ARCS.size(1)))  # with values per arc: another form
    layer(x, arcs, edge_weight=torch.ones(ARCS.size(1))).sum().backward()
    assert sorts.calls == 2


def test_edge_index_of_pyg_is_sorted_once(sorts: Counter) -> None:
    layer, x = make("GATConv"), features(NODES, CHANNELS)
    arcs = EdgeIndex(ARCS.clone(), sparse_size=(NODES, NODES))
    for _ in range(3):
        torch.testing.assert_close(layer(x, arcs), fresh(layer, x, ARCS))
    assert sorts.calls == 1 + 3


@every_layer
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8], ids=str)
def test_a_narrow_edge_index_is_sorted_once(name: str, dtype: torch.dtype, sorts: Counter) -> None:
    layer, x = make(name), features(NODES, CHANNELS)
    arcs, expected = ARCS.to(dtype), layer(x, ARCS)
    for given in (arcs, EdgeIndex(ARCS.int(), sparse_size=(NODES, NODES))):
        sorts.calls = 0
        for _ in range(3):
            assert torch.equal(layer(x, given), expected)
            layer(x, given, edge_weight=torch.ones(ARCS.size(1)))
        assert sorts.calls == 2  # without and with values per arc
    arcs[0, 0] = 5
    assert torch.equal(layer(x, arcs), layer(x, arcs.long()))


CHANGES: dict[str, Callable[[Tensor], object]] = {
    "an entry": lambda arcs: arcs[0, 0].fill_(5),
    "a row": lambda arcs: arcs[1].copy_(arcs[1].flip(0)),
    "copy": lambda arcs: arcs.copy_(arcs.flip(1).flip(0)),
    "resize": lambda arcs: arcs.resize_(2, 4),
    "set": lambda arcs: arcs.set_(ARCS.flip(0)),
    "data": lambda arcs: setattr(arcs, "data", ARCS.flip(0)),
    "shorter data": lambda arcs: setattr(arcs, "data", ARCS[:, :4]),
}


@every_layer
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_place_is_seen(name: str, change: str) -> None:
    layer, arcs, x = make(name), ARCS.clone(), features(NODES, CHANNELS)
    before = layer(x, arcs)
    CHANGES[change](arcs)
    after = layer(x, arcs)
    assert torch.equal(after, fresh(layer, x, arcs))
    assert not torch.allclose(after, before)


def test_a_change_in_place_is_checked() -> None:
    layer, arcs, x = make("GATConv"), ARCS.clone(), features(NODES, CHANNELS)
    layer(x, arcs)
    arcs[0, 3] = NODES
    with pytest.raises(ValueError, match="names node 9 in row 0"):
        layer(x, arcs)


def test_a_smaller_graph_is_checked_anew() -> None:
    layer, arcs = make("GATConv"), ARCS.clone()
    layer(features(NODES, CHANNELS), arcs)
    with pytest.raises(ValueError, match="names node 7 in row 0"):
        layer(features(6, CHANNELS), arcs)


@every_layer
def test_a_new_tensor_at_an_old_address_is_new(name: str) -> None:
    layer, x = make(name), features(NODES, CHANNELS)
    memory = np.empty(tuple(ARCS.shape), np.int64)
    for k in range(20):
        expected = (ARCS + k) % NODES
        memory[...] = expected.numpy()
        arcs = torch.from_numpy(memory)  # same address, same version, another tensor
        assert torch.equal(layer(x, arcs), layer(x, expected))
        del arcs


@every_layer
def test_nothing_is_kept_of_a_tensor_that_is_gone(name: str) -> None:
    layer, arcs, x = make(name), ARCS.clone(), features(NODES, CHANNELS)
    gc.collect()
    before = len(operator._cache)
    out = layer(x, arcs)
    assert len(operator._cache) == before + 1
    del arcs
    gc.collect()
    assert len(operator._cache) == before
    out.sum().backward()  # which needs what was sorted, not the tensor


@every_layer
def test_a_structure_that_is_gone_leaves_nothing(name: str) -> None:
    layer, x = make(name), features(NODES, CHANNELS)
    structure = SortedArcs.from_edge_index(ARCS, NODES)
    out = layer(x, structure)
    expected = torch.autograd.grad(layer(x, structure).sum(), layer.parameters(), allow_unused=True)
    seen, other = weakref.ref(structure), weakref.ref(structure.by_target.other)
    del structure
    gc.collect()
    assert seen() is None
    found = torch.autograd.grad(out.sum(), layer.parameters(), allow_unused=True)  # still works
    assert all(a is b or torch.equal(a, b) for a, b in zip(found, expected, strict=True))
    del out
    gc.collect()
    assert other() is None


@every_layer
def test_an_edge_index_may_change_before_backward(name: str) -> None:
    """What was sorted is a copy: backward differentiates what forward computed."""
    layer, arcs, x = make(name), ARCS.clone(), features(NODES, CHANNELS)
    parameters = list(layer.parameters())
    expected = torch.autograd.grad(fresh(layer, x, arcs).sum(), parameters, allow_unused=True)
    out = layer(x, arcs)
    arcs[0, 0] = 4
    found = torch.autograd.grad(out.sum(), parameters, allow_unused=True)
    assert all(a is b or torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def copies(thing: Any) -> list[Any]:
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return [
        copy.copy(thing),
        copy.deepcopy(thing),
        pickle.loads(pickle.dumps(thing)),
        torch.load(buffer, weights_only=False),
    ]


def structures() -> dict[str, SortedArcs]:
    graph = Graph.from_edges([0, 0, 1, 2, 3, 5], [1, 2, 2, 3, 4, 6], num_nodes=NODES)
    return {
        "edge_index": SortedArcs.from_edge_index(ARCS, NODES),
        "graph": SortedArcs.from_graph(graph),
    }


@pytest.mark.parametrize("kind", ["edge_index", "graph"])
def test_copies_of_a_structure(kind: str) -> None:
    structure, layer, x = structures()[kind], make("GATConv"), features(NODES, CHANNELS)
    unused = len(pickle.dumps(structure))
    expected = layer(x, structure)
    weight = features(structure.edge_index().size(1)).abs()
    weighted = layer(x, structure, edge_weight=weight)
    assert len(pickle.dumps(structure)) == unused  # what was sorted does not travel
    for other in copies(structure):
        assert repr(other) == repr(structure)
        assert other.is_symmetric == structure.is_symmetric
        assert torch.equal(other.edge_index(), structure.edge_index())
        assert torch.equal(layer(x, other), expected)
        assert torch.equal(layer(x, other, edge_weight=weight), weighted)


@every_layer
def test_copies_of_a_layer_that_was_called(name: str) -> None:
    layer, arcs, x = make(name), ARCS.clone(), features(NODES, CHANNELS)
    unused = len(pickle.dumps(layer))
    expected = layer(x, arcs)
    expected.sum().backward()
    layer.zero_grad()
    assert len(pickle.dumps(layer)) == unused
    for other in copies(layer):
        assert torch.equal(other(x, arcs), expected)


class Calls(torch.utils.data.Dataset):
    """A layer and a graph that are called in the process of a worker."""

    def __init__(self, layer: nn.Module, graph: Any, x: Tensor) -> None:
        self.layer, self.graph, self.x = layer, graph, x

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Tensor:
        with torch.no_grad():
            return self.layer(self.x + index, self.graph)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["edge_index", "structure", "graph"])
def test_workers_of_a_data_loader(kind: str) -> None:
    """Spawned: everything is pickled, and nothing of the caches comes along."""
    graph: Any = (
        ARCS.clone()
        if kind == "edge_index"
        else structures()[kind.replace("structure", "edge_index")]
    )
    calls = Calls(make("GATConv"), graph, features(NODES, CHANNELS))
    expected = [calls[0], calls[1]]
    loader = DataLoader(calls, batch_size=None, num_workers=1, multiprocessing_context="spawn")
    for found, value in zip(loader, expected, strict=True):
        torch.testing.assert_close(found, value)


@every_layer
def test_tensors_of_inference_mode(name: str) -> None:
    layer, x = make(name), features(NODES, CHANNELS)
    expected = layer(x, ARCS)
    with torch.inference_mode():
        arcs = ARCS.clone()
        structure = SortedArcs.from_edge_index(ARCS, NODES)
        assert torch.equal(layer(x, arcs), expected)
        arcs[0, 0] = 5  # leaves no trace in a version
        assert torch.equal(layer(x, arcs), layer(x, arcs.clone()))
        arcs[0, 0] = ARCS[0, 0]
    for graph in (arcs, structure):  # and outside of it, in training
        layer.zero_grad()
        out = layer(x, graph)
        assert torch.equal(out, expected)
        out.sum().backward()


def assert_equal_results(layer: nn.Module, x: Any, graphs: list[Any], **values: Any) -> None:
    results = []
    for graph in graphs:
        out = layer(x, graph, **values)
        layer.zero_grad()
        out.backward(features(*out.shape, seed=73))
        results.append([out, *(p.grad for p in layer.parameters() if p.grad is not None)])
    for other in results[1:]:
        for found, expected in zip(other, results[0], strict=True):
            torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


@every_layer
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])
@pytest.mark.parametrize("weighted", [True, False])
def test_structures_stand_for_their_edge_index(
    name: str, loops: bool, flow: str, weighted: bool
) -> None:
    layer, x = make(name, add_self_loops=loops, flow=flow), features(NODES, CHANNELS)
    for structure in structures().values():
        arcs = structure.edge_index()
        values = {"edge_weight": features(arcs.size(1), seed=79).abs()} if weighted else {}
        again = SortedArcs.from_edge_index(arcs, NODES)
        assert_equal_results(layer, x, [arcs.clone(), structure, again], **values)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])
@pytest.mark.parametrize(("sources", "targets"), [(9, 5), (5, 9)])
def test_two_sides(name: str, loops: bool, flow: str, sources: int, targets: int) -> None:
    layer = make(name, add_self_loops=loops, flow=flow)
    arcs = torch.stack([ARCS[0] % sources, ARCS[1] % targets])
    sizes = (sources, targets)
    if flow == "target_to_source":
        arcs = arcs.flip(0)
        sizes = (targets, sources)
    structure = SortedArcs.from_edge_index(arcs, *sizes)
    x = (features(sources, CHANNELS), features(targets, CHANNELS, seed=83))
    for values in ({}, {"edge_weight": features(arcs.size(1), seed=79).abs()}):
        assert_equal_results(layer, x, [arcs, structure], **values)


@every_layer
@pytest.mark.parametrize("graph", ["symmetric", "near", "cycle", "repeats"])
def test_symmetric_graphs_are_not_mistaken(name: str, graph: str) -> None:
    """A symmetric graph is stored once: what is only nearly so must not be."""
    both = torch.cat([ARCS, ARCS.flip(0)], dim=1).unique(dim=1)
    cycle = torch.arange(NODES)
    arcs = {
        "symmetric": both,
        "near": both[:, 1:],
        "cycle": torch.stack([cycle, (cycle + 1) % NODES]),
        "repeats": torch.cat([both, both[:, :1]], dim=1),
    }[graph]
    layer, x = make(name).double(), features(NODES, CHANNELS).double().requires_grad_()
    ends = arcs[:, torch.randperm(arcs.size(1))].contiguous()
    assert SortedArcs.from_edge_index(ends, NODES).is_symmetric == (graph == "symmetric")
    weight = torch.ones(ends.size(1), dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: layer(x, ends), (x,), fast_mode=True)
    torch.testing.assert_close(layer(x, ends, edge_weight=weight), layer(x, arcs))


@every_layer
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8, torch.int16], ids=str)
def test_other_whole_numbers(name: str, dtype: torch.dtype) -> None:
    layer, x = make(name), features(NODES, CHANNELS)
    assert_equal_results(layer, x, [ARCS, ARCS.to(dtype)])


def test_graphs_of_numpy_memory() -> None:
    """A tensor on memory that NumPy owns, in any stride."""
    layer, x = make("GATConv"), features(NODES, CHANNELS)
    strided = np.zeros((ARCS.size(1), 4), np.int64)
    strided[:, ::2] = ARCS.numpy().T
    arcs = torch.from_numpy(strided)[:, ::2].t()
    assert not arcs.is_contiguous()
    assert torch.equal(layer(x, arcs), layer(x, ARCS))
