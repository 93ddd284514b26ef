"""The datasets by name, one line each, and how they are loaded."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Literal, get_args

from fastgat.check import InputError, check_choice
from fastgat.data import (
    amazon_coauthor,
    generated,
    github,
    planetoid,
    ppi,
    ppi_rebuilt,
    reddit,
    stored_graphs,
)
from fastgat.data.dataset import Dataset, GeneratedDataset, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import random_split
from fastgat.graph import Graph

SplitKind = Literal["paper", "public"]

CATALOGUE: dict[str, Dataset] = {
    "cora": planetoid.CORA,
    "citeseer": planetoid.CITESEER,
    "pubmed": planetoid.PUBMED,
    "computers": amazon_coauthor.COMPUTERS,
    "photo": amazon_coauthor.PHOTO,
    "cs": amazon_coauthor.CS,
    "physics": amazon_coauthor.PHYSICS,
    "github": github.GITHUB,
    "ppi": ppi.PPI,
    "ppi-rebuilt": ppi_rebuilt.PPI_REBUILT,
    "reddit": reddit.REDDIT,
    "web-google": stored_graphs.WEB_GOOGLE,
    "world-highways": stored_graphs.WORLD_HIGHWAYS,
    "world-highways-weighted": stored_graphs.WORLD_HIGHWAYS_WEIGHTED,
    "digits": generated.DIGITS,
    "synthetic": generated.SYNTHETIC,
    "long-tail": generated.LONG_TAIL,
    "reddit-like": generated.REDDIT_LIKE,
    "ppi-like": generated.PPI_LIKE,
}


def load_graph(name: str, *, download: bool = True) -> Graph:
    """The graph of a dataset, read from the folder `FASTGAT_DATA` names or the user's cache.

    `world-highways-weighted` has weights, 1 / length; every other graph has weights of 1. Files
    that are in neither folder are fetched, if `download` allows it and PyG knows where they are.
    """
    return find_dataset(name).load_graph(download=download)


def load_dataset(
    name: str,
    *,
    split: SplitKind = "paper",
    split_seed: int = 0,
    download: bool = True,
    **sizes: int,
) -> NodeTask:
    """A dataset as a task: its graph, features, labels and split.

    Args:
        name: one of `task_names()`, in any case, with - or _.
        split: "paper" deals the labelled nodes out at random: 10 % for training, 20 % for
            validation, 70 % for test; Reddit 65, 10 and 25 %; the PPI datasets by whole graphs, 20,
            2 and 2. "public" is the one published with Cora, Citeseer, PubMed, PPI or Reddit.
        split_seed: of the random split.
        download: fetch files that are neither in the folder `FASTGAT_DATA` names nor in the cache.
        sizes: `num_nodes`, `num_edges`, `num_features`, `num_classes` and `seed` of the generated
            datasets such as `synthetic`; with `num_nodes` alone the mean degree stays.

    >>> load_dataset("synthetic", num_nodes=200, seed=3)
    NodeTask('synthetic', num_nodes=200, num_edges=1000, num_features=32, num_classes=4,
             Split(train=20, validation=40, test=140))
    """
    key = find_key(name, task_names())
    check_choice("split", split, get_args(SplitKind))
    dataset = CATALOGUE[key]
    if isinstance(dataset, GeneratedDataset):
        task = dataset.generate(**sizes)
    elif sizes:
        raise InputError(
            f"{next(iter(sizes))} is for datasets that are generated, but {key} is not"
        )
    else:
        task = dataset.load_task(download=download)
    if split == "public" or dataset.shares is None:
        chosen = task.split
        if chosen is None:
            raise InputError(f"split='public' does not exist for {key}; use split='paper'")
    else:
        chosen = random_split(task.labelled, dataset.shares, seed=split_seed)
    return dataclasses.replace(task, split=chosen, name=key)


def missing_file(name: str) -> str | None:
    """The first file of a dataset that is not here, or None if all are."""
    return find_dataset(name).missing_file()


def dataset_names() -> tuple[str, ...]:
    """The datasets kept in files.

    >>> dataset_names()[:4]
    ('cora', 'citeseer', 'pubmed', 'computers')
    """
    return tuple(name for name, one in CATALOGUE.items() if isinstance(one, StoredDataset))


def graph_names() -> tuple[str, ...]:
    """The names `load_graph` takes."""
    return tuple(CATALOGUE)


def task_names() -> tuple[str, ...]:
    """The names `load_dataset` takes.

    >>> task_names()[-5:]
    ('digits', 'synthetic', 'long-tail', 'reddit-like', 'ppi-like')
    """
    return tuple(name for name, one in CATALOGUE.items() if one.has_task)


def find_dataset(name: str) -> Dataset:
    """The entry of a dataset, for a name in any case, with - or _."""
    return CATALOGUE[find_key(name, graph_names())]


def find_key(name: str, known: tuple[str, ...]) -> str:
    """The name among those known, written as the catalogue writes it."""
    key = str(name).lower().replace("_", "-")
    if key in known:
        return key
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    raise InputError(f"name={name!r} is not a dataset; {way_out}")
