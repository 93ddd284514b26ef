"""The datasets by name: which file, who reads it, and how large the graph must turn out."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fastgat.check import InputError
from fastgat.data import github, npz_datasets, planetoid, ppi_go, stored_graphs
from fastgat.data.locate import find_file
from fastgat.graph import Graph


@dataclass(frozen=True)
class Entry:
    """One dataset; its graph is undirected and simple, with each edge counted once."""

    title: str
    num_nodes: int
    num_edges: int
    graph_file: str  # below the data folder
    read_graph: Callable[[Path], Graph]


def _planetoid(title: str, num_nodes: int, num_edges: int) -> Entry:
    file = f"Planetoid/{title}/raw/ind.{title.lower()}.graph"
    return Entry(title, num_nodes, num_edges, file, planetoid.read_graph)


def _npz(title: str, num_nodes: int, num_edges: int, file: str) -> Entry:
    folder = title.replace(" ", "/")
    return Entry(title, num_nodes, num_edges, f"{folder}/raw/{file}.npz", npz_datasets.read_graph)


_WEB = ("graphs/web_google.npz", stored_graphs.read_graph)
_ROADS = ("graphs/road_world_highways.npz", stored_graphs.read_graph)
_ROADS_BY_LENGTH = ("graphs/road_world_highways.npz", stored_graphs.read_roads_by_length)

CATALOGUE: dict[str, Entry] = {
    "cora": _planetoid("Cora", 2708, 5278),
    "citeseer": _planetoid("CiteSeer", 3327, 4552),
    "pubmed": _planetoid("PubMed", 19717, 44324),
    "computers": _npz("Amazon Computers", 13752, 245861, "amazon_electronics_computers"),
    "photo": _npz("Amazon Photo", 7650, 119081, "amazon_electronics_photo"),
    "cs": _npz("Coauthor CS", 18333, 81894, "ms_academic_cs"),
    "physics": _npz("Coauthor Physics", 34493, 247962, "ms_academic_phy"),
    "github": Entry("GitHub", 37700, 289003, "GitHub/raw/git_web_ml.zip", github.read_graph),
    "ppi-go": Entry("PPI-GO", 56944, 793632, "PPI-GO/ppi_go.npz", ppi_go.read_graph),
    "web-google": Entry("web-Google", 875713, 4322051, *_WEB),
    "world-highways": Entry("World highways", 560282, 822234, *_ROADS),
    "world-highways-weighted": Entry("World highways", 560282, 822234, *_ROADS_BY_LENGTH),
}


def dataset_names() -> tuple[str, ...]:
    """The names `load_graph` takes.

    >>> dataset_names()[:4]
    ('cora', 'citeseer', 'pubmed', 'computers')
    """
    return tuple(CATALOGUE)


def find_entry(name: str) -> Entry:
    """The catalogue's entry for a name in any case, with - or _."""
    key = str(name).lower().replace("_", "-")
    if key in CATALOGUE:
        return CATALOGUE[key]
    near = difflib.get_close_matches(key, CATALOGUE, n=1, cutoff=0.5)
    way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(CATALOGUE)}"
    raise InputError(f"name={name!r} is not a dataset; {way_out}")


def load_graph(name: str) -> Graph:
    """The graph of a dataset, read from the folder `FASTGAT_DATA` names or the user's cache.

    `world-highways-weighted` has weights, 1 / length; every other graph has weights of 1.
    """
    entry = find_entry(name)
    path = find_file(entry.graph_file)
    try:
        graph = entry.read_graph(path)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # Arrays of the right names but of no sense fail in as many ways as there are.
        raise InputError(f"{path} is damaged ({error}): fetch it again") from error
    found, expected = (graph.num_nodes, graph.num_edges), (entry.num_nodes, entry.num_edges)
    if found != expected:
        raise InputError(
            f"{path} has {found[0]} nodes and {found[1]} edges, but {entry.title} has "
            f"{expected[0]} and {expected[1]}: fetch it again"
        )
    return graph
