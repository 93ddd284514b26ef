"""What a dataset is: where it comes from, how large it must turn out, and how it is loaded.

A new dataset is a file that makes one of these, and a line in the catalogue.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fastgat.check import InputError, check_choice, check_count
from fastgat.data.download import first_missing, obtain
from fastgat.data.node_task import NodeTask
from fastgat.data.splits import PAPER_SHARES, Shares, split_by_part
from fastgat.graph import Graph


@dataclass(frozen=True)
class Sizes:
    """How large a dataset is; a graph alone has neither features nor classes."""

    num_nodes: int
    num_edges: int
    num_features: int = 0
    num_classes: int = 0

    def with_nodes(self, num_nodes: int, num_graphs: int = 1) -> Sizes:
        """The same mean degree on another number of nodes, but at most half of all pairs."""
        edges = round(self.num_edges * num_nodes / self.num_nodes)
        in_each = num_nodes // num_graphs
        most = num_graphs * (in_each * (in_each - 1) // 4)
        return Sizes(num_nodes, min(edges, most), self.num_features, self.num_classes)


@dataclass(frozen=True, kw_only=True)
class Dataset(ABC):
    """One entry of the catalogue; its graph is undirected and simple, each edge counted once."""

    title: str
    sizes: Sizes
    shares: Shares | None = PAPER_SHARES  # of the random split; None: the split that comes with it

    @property
    @abstractmethod
    def has_task(self) -> bool:
        """Whether it is more than a graph."""

    def files(self, *, graph_only: bool = False) -> list[str]:
        """Places of its files below the data folder, the graph's first; none if it needs none."""
        return []

    def missing_file(self) -> str | None:
        """The first of its files that is not here, or None if all are."""
        return first_missing(self.files())[1] or None

    @abstractmethod
    def load_graph(self, *, download: bool = True) -> Graph:
        """The graph, read and checked; nothing but the files that it needs is touched."""

    @abstractmethod
    def load_task(self, *, download: bool = True) -> NodeTask:
        """Graph, features and labels, with the split that comes with it if there is one."""


@dataclass(frozen=True, kw_only=True)
class StoredDataset(Dataset):
    """A dataset kept in files, all in one folder; what is read must have its sizes."""

    graph_file: str  # below the data folder
    read_graph: Callable[[Path], Graph]
    read_task: Callable[[Path], NodeTask] | None = None  # None: a graph and nothing more
    other_files: tuple[str, ...] = ()  # beside the graph's, for the task
    graph_needs: tuple[str, ...] = ()  # those of them that the graph needs too
    url: str | None = None  # of the folder that holds the files, or of a zip that does

    @property
    def has_task(self) -> bool:
        """Whether there is a reader for it."""
        return self.read_task is not None

    def files(self, *, graph_only: bool = False) -> list[str]:
        """Places of its files below the data folder, the graph's first."""
        folder = self.graph_file.rpartition("/")[0]
        others = self.graph_needs if graph_only else self.other_files
        return [self.graph_file, *(f"{folder}/{name}" for name in others)]

    def load_graph(self, *, download: bool = True) -> Graph:
        """The graph, read and checked; nothing but the files that it needs is touched."""
        path = obtain(self.files(graph_only=True), self.url, download=download)[0]
        with _reading(path):
            graph = self.read_graph(path)
        expected = (self.sizes.num_nodes, self.sizes.num_edges)
        if (graph.num_nodes, graph.num_edges) != expected:
            raise InputError(
                f"{path} has {graph.num_nodes} nodes and {graph.num_edges} edges, but {self.title} "
                f"has {expected[0]} and {expected[1]}: fetch it again"
            )
        return graph

    def load_task(self, *, download: bool = True) -> NodeTask:
        """Graph, features and labels, read and checked, with the published split if it has one."""
        path = obtain(self.files(), self.url, download=download)[0]
        assert self.read_task is not None
        with _reading(path):
            task = self.read_task(path)
        found = {
            "nodes": task.num_nodes,
            "edges": task.graph.num_edges,
            "features": task.num_features,
            "classes": task.num_classes,
        }
        expected = dict(zip(found, vars(self.sizes).values(), strict=True))
        if found != expected:
            what = next(name for name in found if found[name] != expected[name])
            raise InputError(
                f"{path} has {found[what]} {what}, but {self.title} has {expected[what]}: "
                "fetch it and the files beside it again"
            )
        return task


@dataclass(frozen=True, kw_only=True)
class GeneratedDataset(Dataset):
    """A dataset that needs no file; `make` takes its sizes and a seed."""

    make: Callable[[Sizes, int], NodeTask]
    is_sizable: bool = True
    num_graphs: int = 1

    @property
    def has_task(self) -> bool:
        """True: what is generated has features and labels."""
        return True

    def load_graph(self, *, download: bool = True) -> Graph:
        """The graph of the task in its own size."""
        return self.load_task().graph

    def load_task(self, *, download: bool = True) -> NodeTask:
        """Make it in its own size."""
        return self.generate()

    def generate(self, *, seed: int = 0, **sizes: int) -> NodeTask:
        """Make it in other sizes if told; with `num_nodes` alone the mean degree stays."""
        for name in sizes:
            check_choice("size", name, tuple(vars(self.sizes)))
        if sizes and not self.is_sizable:
            raise InputError(f"{next(iter(sizes))} cannot be chosen: {self.title} has one size")
        chosen = self.sizes
        if "num_nodes" in sizes:
            num_nodes = check_count("num_nodes", sizes["num_nodes"], 1)
            chosen = chosen.with_nodes(num_nodes, self.num_graphs)
        task = self.make(dataclasses.replace(chosen, **sizes), seed)
        if self.shares is None and task.part is not None and task.split is None:
            task = dataclasses.replace(task, split=split_by_part(task.part))
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
