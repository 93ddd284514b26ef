"""Seconds by phase; a phase inside another is not counted twice."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastgat.graph import Graph
from fastgat.sparsify import PreparedSparsifier, SparsifiedGraph
from fastgat.sparsify.draws import draw_arcs, draw_graph

if TYPE_CHECKING:
    from fastgat.sparsify.contract import DrawnArcs

PHASES = (
    "preparation",  # features and arcs as the model takes them
    "resistances",
    "sampling",
    "forward",
    "backward",
    "optimiser",
    "evaluation",
)


@dataclass
class Stopwatch:
    """Adds up what every phase took.

    >>> watch = Stopwatch()
    >>> with watch.phase("forward"):
    ...     with watch.phase("sampling"):
    ...         pass
    >>> sorted(name for name, seconds in watch.seconds.items() if seconds > 0)
    ['forward', 'sampling']
    """

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    _inside: list[float] = field(default_factory=list)  # seconds of inner phases, by depth

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time what is done inside."""
        self._inside.append(0.0)
        begin = time.perf_counter()
        try:
            yield
        finally:
            whole = time.perf_counter() - begin
            self.seconds[name] += whole - self._inside.pop()
            if self._inside:
                self._inside[-1] += whole


@dataclass(frozen=True, eq=False)
class TimedDraws:
    """A prepared sparsifier whose draws count as sampling, wherever they are made."""

    draws: PreparedSparsifier
    watch: Stopwatch

    @property
    def graph(self) -> Graph:
        """The graph that is drawn from."""
        return self.draws.graph

    def draw(self, seed: int = 0) -> SparsifiedGraph:
        """A fresh sparse graph."""
        with self.watch.phase("sampling"):
            return draw_graph(self.draws, seed)

    def draw_arcs(self, seed: int = 0) -> DrawnArcs:
        """A fresh sparse graph as attention reads it, drawn so at once where that is possible."""
        with self.watch.phase("sampling"):
            return draw_arcs(self.draws, seed)
