"""Similarity of the ends of edges, by definition; and what becomes of it in training."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

import fastgat as fg
from fastgat import InputError, _core
from fastgat.graph.generators import block_model
from fastgat.sparsify import SimilaritySparsifier, edge_similarity
from fastgat.train.inference import predict_with
from fastgat.train.predict import TrainedModel

GRAPH = block_model(300, 3000, 3, seed=3)[0]
RNG = np.random.default_rng(5)
DENSE = RNG.standard_normal((300, 70)).astype(np.float32)
WORDS = sp.random_array((300, 40), density=0.15, rng=RNG, format="csr", dtype=np.float32)


def cosine(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(length > 0, length, 1)
    return np.clip((unit[GRAPH.source] * unit[GRAPH.target]).sum(axis=1), 0, 1)


def test_dense_features_by_their_cosine_about_the_mean() -> None:
    expected = cosine(DENSE - DENSE.mean(axis=0, dtype=np.float64))
    np.testing.assert_allclose(edge_similarity(GRAPH, DENSE), expected, atol=1e-6)
    np.testing.assert_allclose(edge_similarity(GRAPH, DENSE.astype(float)), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_sparse_features_by_their_cosine_with_rare_words_counting_more(kind: str) -> None:
    words = WORDS.toarray().astype(np.float64)
    rarity = np.log(301 / (1 + (words != 0).sum(axis=0)))
    found = edge_similarity(GRAPH, WORDS.asformat(kind))
    np.testing.assert_allclose(found, cosine(words * rarity), atol=1e-6)


def test_neighbourhoods_by_what_they_share() -> None:
    rows = np.split(GRAPH.adjacency.neighbor, GRAPH.adjacency.offset[1:-1])
    around = [set(row) for row in rows]
    expected = [
        len(around[u] & around[v]) / len(around[u] | around[v])
        for u, v in zip(GRAPH.source, GRAPH.target, strict=True)
    ]
    np.testing.assert_allclose(edge_similarity(GRAPH), expected, atol=1e-15)


@pytest.mark.parametrize("features", [None, DENSE, WORDS], ids=["none", "dense", "sparse"])
def test_the_same_bits_for_any_number_of_threads(features: object) -> None:
    graph = block_model(3000, 60_000, 5, seed=3)[0]
    if features is not None:
        features = sp.vstack([WORDS] * 10) if sp.issparse(features) else np.tile(DENSE, (10, 1))
    before, found = _core.num_threads(), []
    try:
        for threads in (1, 2):
            _core.set_num_threads(threads)
            found.append(edge_similarity(graph, features))
    finally:
        _core.set_num_threads(before)
    np.testing.assert_array_equal(*found)


def test_nodes_without_features_are_like_nobody() -> None:
    empty = edge_similarity(GRAPH, sp.csr_array((300, 5), dtype=np.float32))
    constant = edge_similarity(GRAPH, np.ones((300, 5), np.float32))
    assert not empty.any() and not constant.any()
    assert SimilaritySparsifier(keep=0.5).sparsify(GRAPH, features=np.ones((300, 5))).num_edges > 0


def test_refusals() -> None:
    with pytest.raises(
        InputError, match=r"features has shape \(5, .*\), but the graph has 300 nodes"
    ):
        edge_similarity(GRAPH, np.ones((5, 2)))
    with pytest.raises(InputError, match="features are not looked at by DegreeSparsifier"):
        fg.DegreeSparsifier(keep=0.5).prepare(GRAPH, features=DENSE)


def test_training_gives_it_the_features_and_never_a_label() -> None:
    task = fg.load_dataset("synthetic", num_nodes=300, seed=3)
    sparsifier = SimilaritySparsifier(keep=0.4)
    config = fg.TrainConfig(sparsifier=sparsifier, epochs=2, seed=3)
    shuffled = fg.NodeTask(
        task.graph, task.features, RNG.permutation(task.labels), task.num_classes, task.split
    )
    drawn = [config.prepare(one).draw(3).edge_id for one in (task, shuffled)]
    np.testing.assert_array_equal(*drawn)
    alone = sparsifier.prepare(task.graph, seed=3, features=task.features).draw(3)
    np.testing.assert_array_equal(drawn[0], alone.edge_id)
    model = fg.nn.FastGAT(task.num_features, 4, task.num_classes, heads=2)
    record = fg.fit(model, task, config)
    assert record.edges["trained_on"] == alone.num_edges


def test_a_run_is_made_again_from_its_record(tmp_path) -> None:
    task = fg.load_dataset("synthetic", num_nodes=200, seed=3)
    config = fg.TrainConfig(sparsifier=SimilaritySparsifier(keep=0.4), epochs=2)
    assert fg.TrainConfig.from_json(config.to_json()) == config
    model = fg.nn.FastGAT(task.num_features, 4, task.num_classes, heads=2)
    fg.fit(model, task, config, folder=tmp_path / "run")
    again = TrainedModel.load(tmp_path / "run").predict(task)
    np.testing.assert_array_equal(again.probability, predict_with(model, task, config).probability)
