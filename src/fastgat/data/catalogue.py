"""The datasets by name: which files, who reads them, and how large they must turn out."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fastgat.check import InputError
from fastgat.data import github, npz_datasets, planetoid, ppi, ppi_go, reddit, stored_graphs
from fastgat.data.digits import digits_task
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import PAPER_SHARES, REDDIT_SHARES
from fastgat.data.synthetic import (
    PPI_LIKE,
    PPI_LIKE_GRAPHS,
    REDDIT_LIKE,
    SYNTHETIC,
    Sizes,
    block_task,
    ppi_like_task,
)
from fastgat.graph import Graph


@dataclass(frozen=True)
class Entry:
    """One dataset; its graph is undirected and simple, with each edge counted once."""

    title: str
    num_nodes: int
    num_edges: int
    graph_file: str  # below the data folder
    read_graph: Callable[[Path], Graph]
    num_features: int = 0
    num_classes: int = 0
    read_task: Callable[[Path], NodeTask] | None = None  # None: a graph and nothing more
    other_files: tuple[str, ...] = ()  # beside the graph's, for the task
    graph_needs: tuple[str, ...] = ()  # those of them that the graph needs too
    shares: tuple[float, float, float] | None = PAPER_SHARES  # None: the split that is stored

    @property
    def sizes(self) -> Sizes:
        """What reading it must give."""
        return Sizes(self.num_nodes, self.num_edges, self.num_features, self.num_classes)

    def files(self, *, graph_only: bool = False) -> list[str]:
        """Places of its files below the data folder, the graph's first."""
        folder = self.graph_file.rpartition("/")[0]
        others = self.graph_needs if graph_only else self.other_files
        return [self.graph_file, *(f"{folder}/{name}" for name in others)]


@dataclass(frozen=True)
class Made:
    """A dataset that needs no file."""

    title: str
    sizes: Sizes
    make: Callable[[Sizes, int], NodeTask]
    is_sizable: bool = True
    num_graphs: int = 1
    shares: tuple[float, float, float] | None = PAPER_SHARES


def _planetoid(title: str, sizes: Sizes) -> Entry:
    name = title.lower()
    return _entry(
        title,
        sizes,
        f"Planetoid/{title}/raw/ind.{name}.graph",
        planetoid.read_graph,
        planetoid.read_task,
        tuple(f"ind.{name}.{part}" for part in planetoid.PARTS[1:]),
    )


def _npz(title: str, sizes: Sizes, file: str) -> Entry:
    path = f"{title.replace(' ', '/')}/raw/{file}.npz"
    return _entry(title, sizes, path, npz_datasets.read_graph, npz_datasets.read_task)


def _entry(
    title: str,
    sizes: Sizes,
    graph_file: str,
    read_graph: Callable[[Path], Graph],
    read_task: Callable[[Path], NodeTask],
    other_files: tuple[str, ...] = (),
    graph_needs: tuple[str, ...] = (),
    shares: tuple[float, float, float] | None = PAPER_SHARES,
) -> Entry:
    return Entry(
        title,
        sizes.num_nodes,
        sizes.num_edges,
        graph_file,
        read_graph,
        sizes.num_features,
        sizes.num_classes,
        read_task,
        other_files,
        graph_needs,
        shares,
    )


_PPI_FILES = tuple(f"{group}_{kind}" for group in ppi.GROUPS for kind in ppi.KINDS)
_PPI_GRAPH_FILES = tuple(name for name in _PPI_FILES if "graph" in name)
_WEB = ("graphs/web_google.npz", stored_graphs.read_graph)
_ROADS = ("graphs/road_world_highways.npz", stored_graphs.read_graph)
_ROADS_BY_LENGTH = ("graphs/road_world_highways.npz", stored_graphs.read_roads_by_length)

CATALOGUE: dict[str, Entry] = {
    "cora": _planetoid("Cora", Sizes(2708, 5278, 1433, 7)),
    "citeseer": _planetoid("CiteSeer", Sizes(3327, 4552, 3703, 6)),
    "pubmed": _planetoid("PubMed", Sizes(19717, 44324, 500, 3)),
    "computers": _npz(
        "Amazon Computers", Sizes(13752, 245861, 767, 10), "amazon_electronics_computers"
    ),
    "photo": _npz("Amazon Photo", Sizes(7650, 119081, 745, 8), "amazon_electronics_photo"),
    "cs": _npz("Coauthor CS", Sizes(18333, 81894, 6805, 15), "ms_academic_cs"),
    "physics": _npz("Coauthor Physics", Sizes(34493, 247962, 8415, 5), "ms_academic_phy"),
    "github": _entry(
        "GitHub",
        Sizes(37700, 289003, github.NUM_FEATURES, 2),
        "GitHub/raw/git_web_ml.zip",
        github.read_graph,
        github.read_task,
    ),
    "ppi": _entry(
        "PPI",
        Sizes(56944, 793632, 50, 121),
        "PPI/raw/train_graph.json",
        ppi.read_graph,
        ppi.read_task,
        _PPI_FILES[1:],
        _PPI_GRAPH_FILES[1:],
        shares=None,
    ),
    "ppi-go": _entry(
        "PPI-GO",
        Sizes(56944, 793632, 525, 121),
        "PPI-GO/ppi_go.npz",
        ppi_go.read_graph,
        ppi_go.read_task,
        shares=None,
    ),
    "reddit": _entry(
        "Reddit",
        Sizes(232965, 57307946, 602, 41),
        "Reddit/raw/reddit_graph.npz",
        reddit.read_graph,
        reddit.read_task,
        ("reddit_data.npz",),
        shares=REDDIT_SHARES,
    ),
    "web-google": Entry("web-Google", 875713, 4322051, *_WEB),
    "world-highways": Entry("World highways", 560282, 822234, *_ROADS),
    "world-highways-weighted": Entry("World highways", 560282, 822234, *_ROADS_BY_LENGTH),
}

MADE: dict[str, Made] = {
    "digits": Made("Digits", Sizes(1797, 12340, 64, 10), lambda *_: digits_task(), False),
    "synthetic": Made("Block model", SYNTHETIC, block_task),
    "reddit-like": Made("Like Reddit", REDDIT_LIKE, block_task, shares=REDDIT_SHARES),
    "ppi-like": Made("Like PPI", PPI_LIKE, ppi_like_task, num_graphs=PPI_LIKE_GRAPHS, shares=None),
}


def dataset_names() -> tuple[str, ...]:
    """The datasets kept in files.

    >>> dataset_names()[:4]
    ('cora', 'citeseer', 'pubmed', 'computers')
    """
    return tuple(CATALOGUE)


def graph_names() -> tuple[str, ...]:
    """The names `load_graph` takes."""
    return (*CATALOGUE, *MADE)


def task_names() -> tuple[str, ...]:
    """The names `load_dataset` takes.

    >>> task_names()[-4:]
    ('digits', 'synthetic', 'reddit-like', 'ppi-like')
    """
    stored = (name for name, entry in CATALOGUE.items() if entry.read_task is not None)
    return (*stored, *MADE)


def find_entry(name: str) -> Entry:
    """The entry of a dataset kept in files, for a name in any case, with - or _."""
    return CATALOGUE[find_key(name, tuple(CATALOGUE))]


def find_key(name: str, known: tuple[str, ...]) -> str:
    """The name among those known, written as the catalogue writes it."""
    key = str(name).lower().replace("_", "-")
    if key in known:
        return key
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    raise InputError(f"name={name!r} is not a dataset; {way_out}")
