"""Proposition 1 and Lemma 1, corrected."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.theorems.attention import random_attention, sparsify_attention
from experiments.theorems.lemma_1 import lemma_1, lemma_1_in_the_proof, random_case
from experiments.theorems.matrices import adjacency, reweight, symmetric_laplacian, walk
from experiments.theorems.proposition_1 import layer_agreement, proposition_1
from fastgat.check import InputError
from fastgat.graph import Graph
from fastgat.graph.gallery import barbell, complete, star, wheel


@pytest.mark.parametrize("seed", [3, 17, 101])
@pytest.mark.parametrize("graph", [complete(12), star(9), wheel(8), barbell(5, 2)], ids=repr)
def test_attention_is_a_convolution(graph: Graph, seed: int) -> None:
    check = proposition_1(random_attention(graph, seed=seed))
    assert check.verdict == "holds"
    assert check.printed_error > 0.1
    assert check.as_printed().verdict == "fails"


@pytest.mark.parametrize("seed", [3, 17])
def test_the_layer_computes_it(seed: int) -> None:
    attention = random_attention(complete(30), seed=seed)
    sparse = sparsify_attention(attention, 0.5, seed=seed)
    assert layer_agreement(attention).verdict == "holds"
    assert layer_agreement(attention, sparse).verdict == "holds"


def test_the_two_laplacians_are_similar_by_the_degrees() -> None:
    attention = random_attention(wheel(8), seed=3)
    gamma = adjacency(attention.graph, attention.loop)
    root = np.sqrt(attention.degree)
    random_walk = np.eye(gamma.shape[0]) - walk(gamma)
    assert np.allclose(symmetric_laplacian(gamma), root[:, None] * random_walk / root)


@pytest.mark.parametrize("seed", [3, 17, 101])
@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 5.0])
def test_lemma_1(spread: float, seed: int) -> None:
    check = lemma_1(*random_case(20, spread, seed=seed))
    assert check.holds
    assert check.observed > 0 or spread == 0


def test_lemma_1_is_nearly_attained() -> None:
    """One entry, far from the diagonal, between 1 and a large ratio: no better constant is true."""
    assert lemma_1([[0, 1], [0, 0]], [1, 1000]).ratio > 0.99


def test_the_first_line_of_its_proof_is_swapped() -> None:
    a, d = random_case(6, 1.0, seed=3)
    scale = np.diag(1 / d)
    left = a - scale @ a
    assert np.allclose(left, (np.eye(6) - scale) @ a)
    assert not np.allclose(left, a @ (np.eye(6) - scale))


@pytest.mark.parametrize("seed", [3, 17, 101])
def test_lemma_1_where_the_proof_uses_it(seed: int) -> None:
    check = lemma_1_in_the_proof(wheel(12), reweight(wheel(12), 0.3, seed=seed))
    assert check.verdict == "holds"


def test_messages() -> None:
    with pytest.raises(InputError, match=r"matrix has shape \(2, 2\) and diagonal \(3,\)"):
        lemma_1(np.eye(2), np.ones(3))
    with pytest.raises(InputError, match=r"diagonal has 0\.0 as its least entry"):
        lemma_1(np.eye(2), [1, 0])
    with pytest.raises(InputError, match="1 nodes have no edge in the sparse graph"):
        lemma_1_in_the_proof(star(3), Graph.from_edges([0], [1], num_nodes=3))
