"""Splits are what they say, the same for the same seed, and never overlap."""

from typing import Any

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.data.planetoid import public_split
from fastgat.data.splits import (
    REDDIT_SHARES,
    Split,
    random_split,
    split_by_part,
)


@pytest.mark.parametrize("num_nodes", [0, 1, 5, 10, 1001])
def test_every_node_is_dealt_out_once(num_nodes: int) -> None:
    split = random_split(num_nodes, seed=11)
    total = sum(mask.astype(int) for mask in split.masks().values())
    assert np.all(total == 1)
    assert np.count_nonzero(split.train) == round(0.1 * num_nodes)


def test_seed_decides() -> None:
    first, again, other = (random_split(500, REDDIT_SHARES, seed=seed) for seed in (3, 3, 5))
    assert repr(first) == "Split(train=325, validation=50, test=125)"
    assert np.array_equal(first.train, again.train)
    assert not np.array_equal(first.train, other.train)


def test_only_chosen_nodes_are_dealt_out() -> None:
    labelled = np.arange(100) % 2 == 0
    split = random_split(labelled, seed=7)
    assert repr(split) == "Split(train=5, validation=10, test=35)"
    assert not (split.train | split.validation | split.test)[~labelled].any()


def test_numbers_of_numpy_are_numbers() -> None:
    assert repr(random_split(np.int64(100), seed=3)) == repr(random_split(100, seed=3))


@pytest.mark.parametrize("nodes", [np.array(100), np.ones((3, 2), bool), np.array([0, 2, 5]), 2.5])
def test_what_is_no_mask_is_refused(nodes: Any) -> None:
    with pytest.raises(InputError, match="needs the number of nodes, or one boolean for each"):
        random_split(nodes)


def test_whole_graphs() -> None:
    split = split_by_part(np.repeat(np.arange(24), 2))
    assert repr(split) == "Split(train=40, validation=4, test=4)"
    with pytest.raises(InputError, match=r"part names graph 24, but the split has 24"):
        split_by_part(np.array([24]))


def test_planetoid() -> None:
    split = public_split(2708, 140, np.arange(1708, 2708))
    assert repr(split) == "Split(train=140, validation=500, test=1000)"
    assert np.flatnonzero(split.validation)[0] == 140


def test_bad_splits_are_refused() -> None:
    with pytest.raises(InputError, match="node 1 is in two of train, validation and test"):
        Split.from_indices(3, [0, 1], [1], [2])
    with pytest.raises(InputError, match="test names node 3, but num_nodes=3"):
        Split.from_indices(3, [0], [1], [3])
    with pytest.raises(InputError, match=r"train has dtype float64, but needs a list"):
        Split.from_indices(3, [0.5], [], [])
    with pytest.raises(InputError, match=r"validation has 2 nodes, but train has 3"):
        Split(np.zeros(3, bool), np.zeros(2, bool), np.zeros(3, bool))
    with pytest.raises(InputError, match=r"train must be a vector of booleans"):
        Split(np.zeros(3), np.zeros(3, bool), np.zeros(3, bool))
    with pytest.raises(InputError, match="must be three parts of at most 1 in all"):
        random_split(10, (0.5, 0.5, 0.5))
