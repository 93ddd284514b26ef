"""Edges by agreement of predictions: the formula, its factors, and what is refused."""

import numpy as np
import pytest

import fastgat as fg
from fastgat import GuidedSparsifier, InputError
from fastgat.graph.generators import block_model
from fastgat.sparsify import edge_agreement, edge_similarity
from fastgat.sparsify.similarity import LEAST

GRAPH, COMMUNITY = block_model(300, 3000, num_communities=4, seed=5)
RNG = np.random.default_rng(11)
LOGITS = RNG.normal(size=(300, 4)) + 3 * np.eye(4)[COMMUNITY]
PREDICTIONS = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)


def test_agreement_is_the_cosine_of_the_rows() -> None:
    one, other = PREDICTIONS[GRAPH.source], PREDICTIONS[GRAPH.target]
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    expected = (one * other).sum(1) / lengths
    np.testing.assert_allclose(edge_agreement(GRAPH, PREDICTIONS), expected, rtol=1e-5)


def test_it_ranks_by_agreement_not_by_how_sure_the_model_is() -> None:
    graph = fg.Graph.from_edges([0, 0], [1, 2])
    unsure = np.array([[0.6, 0.4], [0.6, 0.4], [0.99, 0.01]])
    like_me, sure = edge_agreement(graph, unsure)
    assert like_me > sure


@pytest.mark.parametrize("times", [(), ("similarity",), ("leverage",), ("similarity", "leverage")])
def test_scores_are_products(times: tuple[str, ...]) -> None:
    features = RNG.random((300, 6))
    sparsifier = GuidedSparsifier(keep=0.3, times=times)
    score = sparsifier.score(GRAPH, features=features, predictions=PREDICTIONS)
    expected = LEAST + edge_agreement(GRAPH, PREDICTIONS)
    if "similarity" in times:
        expected *= LEAST + edge_similarity(GRAPH, features)
    if "leverage" in times:
        expected *= fg.effective_resistances(GRAPH)
    np.testing.assert_allclose(score, expected, rtol=1e-12)


def test_edges_within_communities_stay() -> None:
    sparse = GuidedSparsifier(keep=0.3).sparsify(GRAPH, predictions=PREDICTIONS)
    same = COMMUNITY[GRAPH.source] == COMMUNITY[GRAPH.target]
    assert same[sparse.edge_id].mean() > same.mean() + 0.1
    assert sparse.num_edges == pytest.approx(0.3 * GRAPH.num_edges, rel=0.05)
    assert sparse.num_lost == 0


def test_refusals() -> None:
    with pytest.raises(InputError, match="GuidedSparsifier needs predictions"):
        GuidedSparsifier().prepare(GRAPH)
    with pytest.raises(InputError, match=r"predictions has shape \(5, 4\)"):
        GuidedSparsifier().prepare(GRAPH, predictions=PREDICTIONS[:5])
    with pytest.raises(InputError, match="predictions must be probabilities"):
        GuidedSparsifier().prepare(GRAPH, predictions=LOGITS)
    with pytest.raises(InputError, match="predictions must be probabilities"):
        GuidedSparsifier().prepare(GRAPH, predictions=np.full((300, 4), np.nan))
    with pytest.raises(InputError, match="predictions are not looked at by UniformSparsifier"):
        fg.UniformSparsifier().prepare(GRAPH, predictions=PREDICTIONS)
    with pytest.raises(InputError, match="warm_up=0"):
        GuidedSparsifier(warm_up=0)
    with pytest.raises(InputError, match="refresh=0"):
        GuidedSparsifier(refresh=0)
    with pytest.raises(InputError, match="times='degree' must be one of"):
        GuidedSparsifier(times="degree")
    assert GuidedSparsifier(times="leverage").times == ("leverage",)
