"""Datasets for rows: loaded once, fetched if that is possible, and missed in few words."""

from __future__ import annotations

from functools import cache, lru_cache

from fastgat.check import InputError
from fastgat.data import NodeTask, load_dataset, missing_file
from fastgat.reproduce.experiment import MissingDataError


@lru_cache(maxsize=2)  # rows of one dataset follow each other
def load_task(name: str, seed: int) -> NodeTask:
    """The dataset with the paper's split, dealt out by the seed.

    `ppi-like:1200` is a made dataset of so many nodes, for quick runs.
    """
    made, _, num_nodes = name.partition(":")
    if num_nodes:
        return load_dataset(made, split_seed=seed, num_nodes=int(num_nodes))
    missing = obtain(name)
    if missing is not None:
        raise MissingDataError(missing)
    return load_dataset(name, split_seed=seed)


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
