"""As many edges, chosen otherwise."""

import pytest

from fastgat import DegreeSparsifier, EffectiveResistanceSparsifier, UniformSparsifier, load_dataset
from fastgat.sparsify.sampling import ScoreSparsifier
from fastgat.train.equal_edges import as_many_edges


@pytest.mark.parametrize("kind", [UniformSparsifier, DegreeSparsifier])
@pytest.mark.parametrize("epsilon", [0.5, 0.9])
def test_one_graph(kind: type[ScoreSparsifier], epsilon: float) -> None:
    task = load_dataset("digits")
    model = EffectiveResistanceSparsifier(epsilon=epsilon)
    ours = model.sparsify(task.graph, 5)
    other = as_many_edges(kind, model, task, 5)
    assert type(other) is kind and other.keep == ours.num_edges
    counts = [other.sparsify(task.graph, seed).num_edges for seed in range(20)]
    assert sum(counts) / 20 == pytest.approx(ours.num_edges, rel=0.01)


def test_many_graphs_keep_a_share_of_those_for_training() -> None:
    task = load_dataset("ppi-like", num_nodes=1200, num_edges=12_000)
    other = as_many_edges(UniformSparsifier, EffectiveResistanceSparsifier(epsilon=0.7), task, 3)
    graphs = [part.graph for part in task.graphs()[:20]]
    kept = sum(EffectiveResistanceSparsifier(epsilon=0.7).sparsify(g, 3).num_edges for g in graphs)
    assert other.keep == pytest.approx(kept / sum(graph.num_edges for graph in graphs))
