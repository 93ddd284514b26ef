"""Which nodes a model is trained, chosen and judged on."""

from __future__ import annotations

import numbers
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat.check import InputError, check_count, check_seed
from fastgat.data.archive import open_zip, read_arrays
from fastgat.files import existing_file, naming

Shares = tuple[float, float, float]  # of training, validation and test

PAPER_SHARES = (0.1, 0.2, 0.7)
OWN_SHARES = (0.6, 0.2, 0.2)  # where nobody says: what most people use
REDDIT_SHARES = (0.65, 0.1, 0.25)
PPI_GRAPHS = (20, 2, 2)
# What tables say of a node's role.
ROLE_WORDS = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing"),
}
_NO_ROLE = ("", "none", "nan", "na", "unlabeled", "unlabelled")
MASK_NAMES = {
    "train": ("train_mask", "train"),
    "validation": ("val_mask", "validation", "val", "valid"),
    "test": ("test_mask", "test"),
}
_MAX_BYTES = 2**32


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """Three masks over the nodes; no node is in two of them.

    >>> Split.from_indices(5, train=[0, 3], validation=[1], test=[4])
    Split(train=2, validation=1, test=1)
    """

    train: NDArray[np.bool_]
    validation: NDArray[np.bool_]
    test: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Refuse masks that do not fit together."""
        for name, mask in self.masks().items():
            if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.ndim != 1:
                raise InputError(f"{name} must be a vector of booleans; use Split.from_indices")
            if mask.size != self.train.size:
                raise InputError(
                    f"{name} has {mask.size} nodes, but train has {self.train.size}: one per node"
                )
        total = sum(mask.astype(np.int8) for mask in self.masks().values())
        if np.any(np.asarray(total) > 1):
            node = int(np.argmax(np.asarray(total) > 1))
            raise InputError(f"node {node} is in two of train, validation and test; keep one")

    @classmethod
    def from_indices(
        cls, num_nodes: int, train: ArrayLike, validation: ArrayLike, test: ArrayLike
    ) -> Split:
        """The split of three lists of nodes.

        Args:
            num_nodes: of the graph; those in no list are left out of the split.
            train: nodes to learn from.
            validation: nodes to choose a model by.
            test: nodes to judge it by.
        """
        given = {"train": train, "validation": validation, "test": test}
        return cls(*(_mask(name, nodes, num_nodes) for name, nodes in given.items()))

    @property
    def num_nodes(self) -> int:
        """Nodes of the graph, in the split or not."""
        return int(self.train.size)

    def masks(self) -> dict[str, NDArray[np.bool_]]:
        """The three masks by name."""
        return {"train": self.train, "validation": self.validation, "test": self.test}

    def take(self, nodes: NDArray[Any]) -> Split:
        """The split of some of the nodes."""
        return Split(self.train[nodes], self.validation[nodes], self.test[nodes])

    def __repr__(self) -> str:
        """How many nodes are in each."""
        sizes = (f"{name}={np.count_nonzero(mask)}" for name, mask in self.masks().items())
        return f"Split({', '.join(sizes)})"


def random_split(
    nodes: int | NDArray[np.bool_],
    shares: Shares = PAPER_SHARES,
    *,
    seed: int = 0,
) -> Split:
    """Deal nodes out at random: by default the paper's 10 % training, 20 % validation, 70 % test.

    They are shuffled; the first `round(share * count)` are for training, the next for validation,
    and all others, if the shares sum to 1, for test. Classes are not balanced: the paper does not
    say that its were.

    Args:
        nodes: their number, or a mask of those to deal out (say, the labelled ones).
        shares: of training, validation and test.
        seed: of `numpy.random.default_rng`, which shuffles them.

    >>> random_split(100, seed=3)
    Split(train=10, validation=20, test=70)
    """
    chosen = _chosen_nodes(nodes)
    _check_shares(shares)
    order = np.random.default_rng(check_seed(seed)).permutation(np.flatnonzero(chosen))
    ends = [round(sum(shares[: role + 1]) * order.size) for role in range(3)]
    train, validation, test, _ = np.split(order, ends)
    return Split.from_indices(chosen.size, train, validation, test)


def _chosen_nodes(nodes: object) -> NDArray[np.bool_]:
    if isinstance(nodes, numbers.Integral):
        return np.ones(check_count("nodes", nodes), bool)
    mask = np.asarray(nodes)
    if mask.ndim != 1 or mask.dtype != bool:
        raise InputError(
            f"nodes has shape {mask.shape} and dtype {mask.dtype}, but needs the number of nodes, "
            "or one boolean for each"
        )
    return mask


def stratified_split(
    labels: NDArray[Any], shares: Shares = OWN_SHARES, *, seed: int = 0
) -> tuple[Split, bool]:
    """Deal the labelled nodes out at random, each class by the same shares.

    A class of at least three nodes has some in every role that has a share; smaller classes are
    dealt out together. Returns the split and whether it is by class: labels of several columns are
    dealt out by `random_split`.

    Args:
        labels: one class per node, -1 where unknown; or rows of 0 and 1.
        shares: of training, validation and test.
        seed: of `numpy.random.default_rng`, which shuffles the nodes.

    >>> stratified_split(np.array([0] * 10 + [1] * 5 + [-1]), seed=3)
    (Split(train=9, validation=3, test=3), True)
    """
    if labels.ndim == 2:
        return random_split(labels.shape[0], shares, seed=seed), False
    _check_shares(shares)
    rng = np.random.default_rng(check_seed(seed))
    roles: list[list[NDArray[Any]]] = [[], [], []]
    kinds, counts = np.unique(labels[labels >= 0], return_counts=True)
    rare = kinds[counts < np.count_nonzero(shares)]  # too few for every role: together
    groups = [labels == kind for kind in kinds if kind not in rare] + [np.isin(labels, rare)]
    for group in groups:
        nodes = rng.permutation(np.flatnonzero(group))
        for role, some in zip(roles, np.split(nodes, _ends(nodes.size, shares))[:3], strict=True):
            role.append(some)
    empty = np.zeros(0, np.int64)
    return Split.from_indices(labels.size, *(np.concatenate([empty, *r]) for r in roles)), True


def _ends(count: int, shares: Shares) -> list[int]:
    """Where the roles of `count` shuffled nodes end; those with a share get one if they can."""
    sizes = np.diff([0, *(round(sum(shares[: role + 1]) * count) for role in range(3))])
    wanted = np.array([share > 0 for share in shares])
    while count >= wanted.sum() and (lacking := np.flatnonzero(wanted & (sizes == 0))).size:
        sizes[np.argmax(sizes)] -= 1
        sizes[lacking[0]] += 1
    return [int(end) for end in np.cumsum(sizes)]


def is_role_word(word: object) -> bool:
    """Whether a word says what a node is for, or that it is for nothing."""
    text = _role_word(word)
    return text in _NO_ROLE or any(text in known for known in ROLE_WORDS.values())


def _role_word(word: object) -> str:
    return "" if word is None else str(word).strip().lower()


def split_from_words(words: NDArray[Any], labelled: NDArray[np.bool_]) -> Split:
    """The split of a column that says train, validation (or val, valid, dev) or test.

    Args:
        words: one per node; a missing one leaves the node out.
        labelled: which nodes have a label; the others are left out.
    """
    masks = {role: np.zeros(words.size, bool) for role in ROLE_WORDS}
    for node, word in enumerate(words.tolist()):
        text = _role_word(word)
        if text in _NO_ROLE:
            continue
        role = next((name for name, known in ROLE_WORDS.items() if text in known), None)
        if role is None:
            raise InputError(f"split {word!r} of node {node} must be train, validation or test")
        masks[role][node] = labelled[node]
    return Split(masks["train"], masks["validation"], masks["test"])


def read_split(path: str | os.PathLike[str], num_nodes: int) -> Split:
    """The split of an `.npz` file with three masks, named as in PyG or as here.

    Args:
        path: the file.
        num_nodes: of the graph.
    """
    file = existing_file(path)
    if file.suffix.lower() != ".npz":
        raise InputError(
            f"split={path} must be an .npz file of masks; a table says it in a column split of the "
            "labels"
        )
    with naming(file):
        with open_zip(file, _MAX_BYTES) as archive:
            present = {name.removesuffix(".npy") for name in archive.namelist()}
        masks = []
        for role, names in MASK_NAMES.items():
            found = [name for name in names if name in present]
            if not found:
                have = ", ".join(sorted(present)) or "(none)"
                raise InputError(f"has arrays {have}, but needs {names[0]} for {role}")
            mask = read_arrays(file, found[0], max_bytes=_MAX_BYTES)[0]
            is_mask = mask.dtype == bool or (
                mask.dtype.kind in "iu" and np.isin(mask, (0, 1)).all()
            )
            if mask.shape != (num_nodes,) or not is_mask:
                raise InputError(f"{found[0]} must be one boolean for each of {num_nodes} nodes")
            masks.append(mask.astype(bool))
        return Split(*masks)


def parse_shares(text: str) -> Shares:
    """The shares of training, validation and test that a text gives in percent.

    >>> parse_shares("60/20/20")
    (0.6, 0.2, 0.2)
    """
    parts = text.replace(",", "/").replace(":", "/").split("/")
    try:
        train, validation, test = (float(part) for part in parts)
    except ValueError:
        raise InputError(f"shares={text!r} must be three numbers such as 60/20/20") from None
    whole = 100.0 if max(train, validation, test) > 1 else 1.0
    shares = (train / whole, validation / whole, test / whole)
    _check_shares(shares)
    return shares


def _check_shares(shares: Shares) -> None:
    good = len(shares) == 3 and min(shares) >= 0 and sum(shares) <= 1 + 1e-9
    if not good:
        raise InputError(f"shares={shares} must be three parts of at most 1 in all")


def split_by_part(part: NDArray[Any], counts: tuple[int, int, int] = PPI_GRAPHS) -> Split:
    """Whole graphs in order: the first `counts[0]` for training, then validation, then test."""
    if part.size and int(part.max()) >= sum(counts):
        raise InputError(f"part names graph {int(part.max())}, but the split has {sum(counts)}")
    ends = np.cumsum(counts)
    return Split(part < ends[0], (part >= ends[0]) & (part < ends[1]), part >= ends[1])


def _mask(name: str, nodes: ArrayLike, num_nodes: int) -> NDArray[np.bool_]:
    index = np.asarray(nodes)
    mask = np.zeros(num_nodes, bool)
    if index.size == 0:
        return mask
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise InputError(f"{name} has dtype {index.dtype}, but needs a list of node numbers")
    if index.min() < 0 or index.max() >= num_nodes:
        node = int(index[np.argmax((index < 0) | (index >= num_nodes))])
        raise InputError(f"{name} names node {node}, but num_nodes={num_nodes}")
    mask[index] = True
    return mask
