"""Datasets for rows: loaded once, fetched if that is possible, and missed in few words."""

from __future__ import annotations

from functools import cache, lru_cache

from experiments.experiment import MissingError
from fastgat.check import InputError
from fastgat.data import NodeTask, load_dataset, load_graph, missing_file
from fastgat.graph import Graph


@lru_cache(maxsize=2)  # rows of one dataset follow each other
def load_task(name: str, seed: int) -> NodeTask:
    """The dataset with the paper's split, dealt out by the seed.

    `ppi-like:1200` is a generated dataset of so many nodes, for quick runs.
    """
    generated, _, num_nodes = name.partition(":")
    if num_nodes:
        return load_dataset(generated, split_seed=seed, num_nodes=int(num_nodes))
    missing = obtain(name)
    if missing is not None:
        raise MissingError(missing)
    return load_dataset(name, split_seed=seed)


@lru_cache(maxsize=2)
def find_graph(name: str) -> Graph:
    """The graph of a dataset."""
    missing = missing_file(name)
    if missing is not None:
        raise MissingError(missing)
    return load_graph(name)


@cache  # a download that failed is not tried again for every row
def obtain(name: str) -> str | None:
    """Fetch a dataset if need be; the file that is missing if it cannot be had."""
    missing = missing_file(name)
    if missing is None:
        return None
    try:
        load_dataset(name)
    except InputError:
        return missing
    return None
