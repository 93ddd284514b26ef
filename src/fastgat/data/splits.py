"""Which nodes a model is trained, chosen and judged on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgat.check import InputError, check_seed

PAPER_SHARES = (0.1, 0.2, 0.7)
REDDIT_SHARES = (0.65, 0.1, 0.25)
PPI_GRAPHS = (20, 2, 2)
PLANETOID_VALIDATION = 500  # the nodes after those for training


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
    shares: tuple[float, float, float] = PAPER_SHARES,
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
    chosen = np.ones(nodes, bool) if isinstance(nodes, int) else np.asarray(nodes, bool)
    if len(shares) != 3 or min(shares) < 0 or sum(shares) > 1 + 1e-9:
        raise InputError(f"shares={shares} must be three parts of at most 1 in all")
    order = np.random.default_rng(check_seed(seed)).permutation(np.flatnonzero(chosen))
    ends = [round(sum(shares[: part + 1]) * order.size) for part in range(3)]
    train, validation, test, _ = np.split(order, ends)
    return Split.from_indices(chosen.size, train, validation, test)


def split_by_part(part: NDArray[Any], counts: tuple[int, int, int] = PPI_GRAPHS) -> Split:
    """Whole graphs in order: the first `counts[0]` for training, then validation, then test."""
    if part.size and int(part.max()) >= sum(counts):
        raise InputError(f"part names graph {int(part.max())}, but the split has {sum(counts)}")
    ends = np.cumsum(counts)
    return Split(part < ends[0], (part >= ends[0]) & (part < ends[1]), part >= ends[1])


def planetoid_split(num_nodes: int, num_train: int, test: NDArray[Any]) -> Split:
    """Planetoid's public split: the first nodes, the 500 after them, and the listed test nodes."""
    end = num_train + PLANETOID_VALIDATION
    return Split.from_indices(num_nodes, np.arange(num_train), np.arange(num_train, end), test)


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
