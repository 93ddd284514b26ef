"""Datasets read or made, and checked against the catalogue."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from fastgat.check import InputError, check_choice, check_count
from fastgat.data.catalogue import CATALOGUE, MADE, Entry, Made, find_key, graph_names, task_names
from fastgat.data.download import obtain
from fastgat.data.locate import first_missing
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import Split, random_split, split_by_part
from fastgat.graph import Graph

Shares = tuple[float, float, float]


def load_graph(name: str, *, download: bool = True) -> Graph:
    """The graph of a dataset, read from the folder `FASTGAT_DATA` names or the user's cache.

    `world-highways-weighted` has weights, 1 / length; every other graph has weights of 1. Files
    that are in neither folder are fetched, if `download` allows it and PyG knows where they are.
    """
    key = find_key(name, graph_names())
    if key in MADE:
        return _make(MADE[key], {}).graph
    entry = CATALOGUE[key]
    path = obtain(entry.files(graph_only=True), download=download)[0]
    with _reading(path):
        graph = entry.read_graph(path)
    found, expected = (graph.num_nodes, graph.num_edges), (entry.num_nodes, entry.num_edges)
    if found != expected:
        raise InputError(
            f"{path} has {found[0]} nodes and {found[1]} edges, but {entry.title} has "
            f"{expected[0]} and {expected[1]}: fetch it again"
        )
    return graph


def missing_file(name: str) -> str | None:
    """The first file of a dataset that is not here, or None if all are."""
    key = find_key(name, graph_names())
    if key in MADE:
        return None
    return first_missing(CATALOGUE[key].files())[1] or None


def load_dataset(
    name: str,
    *,
    split: Literal["paper", "public"] = "paper",
    split_seed: int = 0,
    download: bool = True,
    **sizes: int,
) -> NodeTask:
    """A dataset as a task: its graph, features, labels and split.

    `split="paper"` deals the labelled nodes out at random by `split_seed`: 10 % for training, 20 %
    for validation, 70 % for test; Reddit 65, 10 and 25 %; the PPI datasets by whole graphs, 20, 2
    and 2. `split="public"` is the one published with Cora, Citeseer, PubMed, PPI or Reddit.
    Files are looked for, and fetched, as by `load_graph`. The made datasets `synthetic`,
    `reddit-like` and `ppi-like` take `num_nodes`, `num_edges`, `num_features`, `num_classes` and
    `seed`; with `num_nodes` alone the mean degree stays.

    >>> load_dataset("synthetic", num_nodes=200, seed=3)
    NodeTask('synthetic', num_nodes=200, num_edges=1000, num_features=32, num_classes=4,
             Split(train=20, validation=40, test=140))
    """
    key = find_key(name, task_names())
    check_choice("split", split, ("paper", "public"))
    if key in MADE:
        made = MADE[key]
        task = _make(made, sizes)
        stored, shares = None, made.shares
        if shares is None and task.part is not None:
            stored = split_by_part(task.part)
    else:
        if sizes:
            raise InputError(f"{next(iter(sizes))} is for datasets that are made, but {key} is not")
        entry = CATALOGUE[key]
        task = _read(entry, download=download)
        stored, shares = task.split, entry.shares
    chosen = _choose_split(key, task, split, split_seed, stored, shares)
    return dataclasses.replace(task, split=chosen, name=key)


def _choose_split(
    key: str, task: NodeTask, split: str, seed: int, stored: Split | None, shares: Shares | None
) -> Split:
    if split == "public" or shares is None:
        if stored is None:
            raise InputError(f"split='public' does not exist for {key}; use split='paper'")
        return stored
    return random_split(task.labelled, shares, seed=seed)


def _make(made: Made, given: dict[str, int]) -> NodeTask:
    given = dict(given)
    seed = given.pop("seed", 0)
    known = tuple(vars(made.sizes))
    for name in given:
        check_choice("size", name, known)
    if given and not made.is_sizable:
        raise InputError(f"{next(iter(given))} cannot be chosen: {made.title} has one size")
    sizes = made.sizes
    if "num_nodes" in given:
        sizes = sizes.with_nodes(check_count("num_nodes", given["num_nodes"], 1), made.num_graphs)
    return made.make(dataclasses.replace(sizes, **given), seed)


def _read(entry: Entry, *, download: bool) -> NodeTask:
    path = obtain(entry.files(), download=download)[0]
    assert entry.read_task is not None
    with _reading(path):
        task = entry.read_task(path)
    found = {
        "nodes": task.num_nodes,
        "edges": task.graph.num_edges,
        "features": task.num_features,
        "classes": task.num_classes,
    }
    expected = dict(zip(found, vars(entry.sizes).values(), strict=True))
    if found != expected:
        what = next(name for name in found if found[name] != expected[name])
        raise InputError(
            f"{path} has {found[what]} {what}, but {entry.title} has {expected[what]}: "
            "fetch it and the files beside it again"
        )
    return task


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file is said in one sentence that names it."""
    try:
        yield
    except InputError as error:
        told = str(error)
        raise InputError(told if told.startswith(str(path.parent)) else f"{path}: {told}") from None
    except OSError as error:
        shown = error.filename or path
        raise InputError(f"{shown} cannot be read: {error.strerror or error}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # Arrays of the right names but of no sense fail in as many ways as there are.
        raise InputError(f"{path} is damaged ({error}): fetch it again") from error
