"""The network: its layers, its draws, and what it refuses."""

import pytest
import torch

import fastgat as fg
from fastgat.graph.generators import block_model
from fastgat.nn import FastGAT, SortedArcs, SparseFeatures

NODES = 120


@pytest.fixture
def graph() -> fg.Graph:
    return block_model(NODES, 2400, num_communities=3, seed=9)[0]


@pytest.fixture
def x() -> torch.Tensor:
    generator = torch.Generator().manual_seed(5)
    return (torch.rand(NODES, 11, generator=generator) < 0.3).float()


@pytest.mark.parametrize("attention", ["gat", "gatv2", "cosine", "gaan"])
def test_sparse_features_give_the_same(attention: str, graph: fg.Graph, x: torch.Tensor) -> None:
    model = FastGAT(11, 4, 3, heads=2, attention=attention).eval()
    structure = SortedArcs.from_graph(graph)
    torch.testing.assert_close(model(x, structure), model(x.to_sparse_csr(), structure))


def test_sparse_features_are_skipped_past_the_first_layer(graph: fg.Graph, x: torch.Tensor) -> None:
    model = FastGAT(11, 11, 3, heads=1, skip=True).eval()  # as wide as the features
    structure = SortedArcs.from_graph(graph)
    first, last = model.layers
    expected = last(torch.nn.functional.elu(first(x, structure) + x), structure)
    torch.testing.assert_close(model(x, structure), expected)
    torch.testing.assert_close(model(x.to_sparse_csr(), structure), expected)


def test_const_is_its_layers_in_order(graph: fg.Graph, x: torch.Tensor) -> None:
    model = FastGAT(11, 4, 3, heads=2, num_layers=3, dropout=0.0, skip=True)
    edge_index = SortedArcs.from_graph(graph).edge_index()
    first, middle, last = model.layers
    hidden = torch.nn.functional.elu(first(x, edge_index))
    hidden = torch.nn.functional.elu(middle(hidden, edge_index) + hidden)
    torch.testing.assert_close(model(x, edge_index), last(hidden, edge_index))


@pytest.mark.parametrize("sampling", ["replacement", "independent"])
@pytest.mark.parametrize("resample", ["layer", "head"])
def test_training_draws_a_fresh_graph_per_call(
    resample: str, sampling: str, graph: fg.Graph, x: torch.Tensor
) -> None:
    sampler = fg.EffectiveResistanceSparsifier(keep=0.3, sampling=sampling).prepare(graph)
    model = FastGAT(11, 4, 3, heads=2, dropout=0.0, sampler=sampler, resample=resample)
    torch.manual_seed(3)
    one, two = model(x), model(x)
    assert not torch.equal(one, two)
    torch.manual_seed(3)
    assert torch.equal(model(x), one)
    one.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    full = SortedArcs.from_graph(graph)
    model.eval()
    assert torch.equal(model(x, full), model(x, full))


@pytest.mark.parametrize(("resample", "draws"), [("layer", 2), ("head", 3)])
def test_draws_go_where_the_features_are(
    resample: str, draws: int, graph: fg.Graph, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = fg.UniformSparsifier(keep=0.3).prepare(graph)
    model = FastGAT(11, 4, 3, heads=2, dropout=0.0, sampler=sampler, resample=resample)
    asked: list[torch.device] = []

    def note(arcs: SortedArcs, device: torch.device) -> SortedArcs:
        asked.append(device)
        return arcs

    monkeypatch.setattr(SortedArcs, "to", note)
    sparse = x.to_sparse_csr()
    for features in (x, sparse, SparseFeatures.of(sparse)):
        asked.clear()
        model(features)
        assert asked == [x.device] * draws


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("resample", ["layer", "head"])
def test_graphs_are_drawn_for_a_gpu(resample: str, graph: fg.Graph, x: torch.Tensor) -> None:
    sampler = fg.UniformSparsifier(keep=0.3).prepare(graph)
    model = FastGAT(11, 4, 3, heads=2, dropout=0.0, sampler=sampler, resample=resample)
    torch.manual_seed(3)
    expected = model(x)
    torch.manual_seed(3)
    torch.testing.assert_close(model.cuda()(x.cuda()).cpu(), expected)


def test_per_head_draws_differ(graph: fg.Graph, x: torch.Tensor) -> None:
    sampler = fg.EffectiveResistanceSparsifier(keep=0.2, sampling="independent").prepare(graph)
    model = FastGAT(11, 4, 3, heads=2, dropout=0.0, sampler=sampler, resample="head")
    layer = model.layers[0]
    with torch.no_grad():  # both heads alike, so that only their graphs can tell them apart
        layer.lin.weight[4:] = layer.lin.weight[:4]
        layer.att_src[:, 1], layer.att_dst[:, 1] = layer.att_src[:, 0], layer.att_dst[:, 0]
    seen = []
    layer.register_forward_hook(lambda module, inputs, out: seen.append(out))
    model(x)
    one, other = seen[0].view(NODES, 2, 4).unbind(1)
    assert not torch.allclose(one, other)


def test_refusals(graph: fg.Graph, x: torch.Tensor) -> None:
    with pytest.raises(fg.InputError, match='resample="head" draws graphs while training'):
        FastGAT(11, 4, 2, resample="head")(x)
    with pytest.raises(fg.InputError, match="attention"):
        FastGAT(3, 4, 2, attention="gta")
    with pytest.raises(fg.InputError, match="heads=0 must be a whole number of at least 1"):
        FastGAT(3, 4, 2, heads=0)
    with pytest.raises(fg.InputError, match="edge_index=None"):
        FastGAT(11, 4, 2)(x)
    sampler = fg.UniformSparsifier(keep=0.3).prepare(graph)
    with pytest.raises(fg.InputError, match="x is a list, but must be a tensor"):
        FastGAT(11, 4, 2, sampler=sampler, resample="layer")([[1.0]])


def test_a_call_may_bring_its_own_sampler(graph: fg.Graph, x: torch.Tensor) -> None:
    kept, given = (fg.UniformSparsifier(keep=keep).prepare(graph) for keep in (0.2, 0.6))
    model = FastGAT(11, 4, 3, heads=2, dropout=0.0, sampler=kept, resample="layer")
    bare = FastGAT(11, 4, 3, heads=2, dropout=0.0, resample="layer")
    bare.load_state_dict(model.state_dict())
    outputs = []
    for network in (model, bare):
        torch.manual_seed(3)
        outputs.append(network(x, sampler=given))
    assert torch.equal(*outputs)
    torch.manual_seed(3)
    assert not torch.equal(model(x), outputs[0])
    assert model.sampler is kept
