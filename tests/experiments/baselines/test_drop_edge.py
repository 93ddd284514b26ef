import pytest
import torch

from experiments.baselines import DropEdge, baseline_plan
from fastgat.check import InputError
from fastgat.data import NodeTask
from fastgat.nn import FastGAT, SortedArcs
from fastgat.sparsify import UniformSparsifier


def arcs(structure: SortedArcs) -> set[tuple[int, int]]:
    return set(zip(*structure.edge_index().tolist(), strict=True))


def model_for(task: NodeTask, keep: float) -> DropEdge:
    sampler = UniformSparsifier(keep=keep, sampling="independent").prepare(task.graph)
    return DropEdge(task.num_features, 4, task.num_classes, heads=2, sampler=sampler)


def test_draws_are_symmetric_fresh_and_of_the_share(synthetic: NodeTask) -> None:
    torch.manual_seed(7)
    model = model_for(synthetic, 0.3)
    whole = arcs(SortedArcs.from_graph(synthetic.graph))
    draws = []
    for _ in range(20):
        graphs = model._graphs(None, model.sampler, torch.device("cpu"))
        assert len(graphs) == 2 and graphs[0] is graphs[1]  # one draw for both layers
        draws.append(arcs(graphs[0]))
    for drawn in draws:
        assert drawn <= whole
        assert drawn == {(target, source) for source, target in drawn}
    assert len({frozenset(drawn) for drawn in draws}) == 20
    trials = 20 * len(whole) / 2
    error = (0.3 * 0.7 / trials) ** 0.5
    assert abs(sum(map(len, draws)) / 2 / trials - 0.3) < 4 * error


def test_evaluation_is_a_gats_on_all_edges(synthetic: NodeTask) -> None:
    model = model_for(synthetic, 0.3).eval()
    plain = FastGAT(synthetic.num_features, 4, synthetic.num_classes, heads=2).eval()
    plain.load_state_dict(model.state_dict())
    structure, x = SortedArcs.from_graph(synthetic.graph), torch.from_numpy(synthetic.features)
    assert torch.equal(model(x, structure), plain(x, structure))


def test_learns_and_says_what_it_drew(synthetic: NodeTask) -> None:
    record = baseline_plan(synthetic, "DropEdge", seed=3, epochs=60).run(synthetic)
    assert record.scores["test"] > 0.6
    assert record.model["name"] == "DropEdge"
    assert record.config["sparsifier"]["keep"] == 0.5
    assert record.edges["evaluated_on"] == "full"


def test_needs_a_sampler() -> None:
    with pytest.raises(InputError, match="sampler=None"):
        DropEdge(3, 4, 2)(torch.ones(2, 3))
