"""GitHub social network (MUSAE): developers who follow each other, as a zip of CSV and JSON."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from fastgat.check import InputError
from fastgat.data.archive import open_zip
from fastgat.graph import Graph

_FOLDER = "git_web_ml"


def read_graph(path: Path) -> Graph:
    """The graph of `musae_git_edges.csv`: a header line, then one edge per line."""
    member = f"{_FOLDER}/musae_git_edges.csv"
    with open_zip(path) as archive:
        if member not in archive.namelist():
            raise InputError(f"has no {member}: this is not the file it should be")
        with archive.open(member) as file:
            lines = io.TextIOWrapper(file, encoding="ascii")
            try:
                edges = np.loadtxt(lines, np.int64, delimiter=",", skiprows=1, ndmin=2)
            except ValueError as error:
                raise InputError(f"{member} is damaged: {error}") from None
    if edges.shape[1] != 2:
        raise InputError(f"{member} has {edges.shape[1]} columns, but an edge needs 2")
    return Graph.from_edges(edges[:, 0], edges[:, 1])
