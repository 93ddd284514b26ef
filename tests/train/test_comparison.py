"""As many edges, chosen otherwise."""

import pytest

from fastgat import EffectiveResistanceSparsifier, load_dataset
from fastgat.data import NodeTask
from fastgat.graph.gallery import path
from fastgat.train.comparison import OTHER_EDGES, number_kept


@pytest.mark.parametrize("kind", OTHER_EDGES)
@pytest.mark.parametrize("epsilon", [0.5, 0.9])
@pytest.mark.parametrize("sampling", ["independent", "replacement"])
def test_one_graph(kind: str, epsilon: float, sampling: str) -> None:
    task = load_dataset("digits")
    model = EffectiveResistanceSparsifier(epsilon, sampling)
    kept = number_kept(model, task, 5)
    assert kept == model.sparsify(task.graph, 5).num_edges
    other = OTHER_EDGES[kind](keep=kept)
    counts = [other.sparsify(task.graph, seed).num_edges for seed in range(20)]
    assert sum(counts) / 20 == pytest.approx(kept, rel=0.01)


def test_many_graphs_keep_a_share_of_those_for_training() -> None:
    task = load_dataset("ppi-like", num_nodes=1200, num_edges=12_000)
    model = EffectiveResistanceSparsifier(epsilon=0.7)
    graphs = [part.graph for part in task.graphs()[:20]]
    kept = sum(model.sparsify(graph, 3).num_edges for graph in graphs)
    assert number_kept(model, task, 3) == kept / sum(graph.num_edges for graph in graphs)


def test_a_draw_without_edges_asks_for_one() -> None:
    graph = path(3)
    task = NodeTask(graph, [[1.0]] * 3, [0, 1, 0], 2)
    model = EffectiveResistanceSparsifier(keep=1)
    drawn = {model.sparsify(graph, seed).num_edges for seed in range(40)}
    assert 0 in drawn
    assert {number_kept(model, task, seed) for seed in range(40)} == {max(1, k) for k in drawn}
