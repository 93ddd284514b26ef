"""GitHub social network (MUSAE): developers who follow each other, as a zip of CSV and JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from fastgat.check import InputError
from fastgat.data.archive import binary_features, open_zip
from fastgat.data.dataset import Sizes, StoredDataset
from fastgat.data.node_task import NodeTask
from fastgat.graph import Graph

_FOLDER = "git_web_ml"
NUM_FEATURES = 4005


def read_graph(path: Path) -> Graph:
    """The graph of `musae_git_edges.csv`: a header line, then one edge per line."""
    member = f"{_FOLDER}/musae_git_edges.csv"
    with _open_member(path, member) as lines:
        edges = np.loadtxt(lines, np.int64, delimiter=",", skiprows=1, ndmin=2)
    if edges.shape[1] != 2:
        raise InputError(f"{member} has {edges.shape[1]} columns, but an edge needs 2")
    return Graph.from_edges(edges[:, 0], edges[:, 1])


def read_task(path: Path) -> NodeTask:
    """Tell web from machine-learning developers by place, employer and starred repositories."""
    graph = read_graph(path)
    member = f"{_FOLDER}/musae_git_target.csv"
    with _open_member(path, member) as lines:
        # No comments: a name may have a # in it.
        table = np.loadtxt(
            lines, np.int64, comments=None, delimiter=",", skiprows=1, usecols=(0, 2), ndmin=2
        )
    if not np.array_equal(np.sort(table[:, 0]), np.arange(graph.num_nodes)):
        raise InputError(f"{member} does not list every node once")
    labels = np.empty(graph.num_nodes, np.int64)
    labels[table[:, 0]] = table[:, 1]
    member = f"{_FOLDER}/musae_git_features.json"
    with _open_member(path, member) as text:
        words = json.load(text)
    try:
        rows = [words[str(node)] for node in range(graph.num_nodes)]
    except (KeyError, TypeError):
        raise InputError(f"{member} does not list every node") from None
    features = binary_features(rows, NUM_FEATURES)
    return NodeTask(graph, features, labels, 2, class_names=("web", "machine learning"))


@contextmanager
def _open_member(path: Path, member: str) -> Iterator[IO[str]]:
    with open_zip(path) as archive:
        if member not in archive.namelist():
            raise InputError(f"has no {member}: this is not the file it should be")
        with archive.open(member) as file:
            try:
                yield io.TextIOWrapper(file, encoding="utf-8")
            except InputError:
                raise
            except ValueError as error:
                raise InputError(f"{member} is damaged: {error}") from None


GITHUB = StoredDataset(
    title="GitHub",
    sizes=Sizes(37700, 289003, NUM_FEATURES, 2),
    graph_file="GitHub/raw/git_web_ml.zip",
    read_graph=read_graph,
    read_task=read_task,
    url="https://snap.stanford.edu/data/",
)
