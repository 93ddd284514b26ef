"""One module per section of attention.py: what it measures, its rows and its printed table."""

from __future__ import annotations

from dataclasses import dataclass

# Before torch: idle threads of the pool all peers share then sleep. Spinning, torch's default,
# makes every peer several times slower as soon as another process runs beside it.
import fastgat  # noqa: F401


@dataclass(frozen=True)
class Options:
    datasets: tuple[str, ...] | None  # None: the section's own
    repeats: int
    dgl_python: str | None
