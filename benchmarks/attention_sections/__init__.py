"""One module per section of attention.py: what it measures, its rows and its printed table."""

from __future__ import annotations

from dataclasses import dataclass

# Before torch: idle threads of the pool all peers share then sleep. With torch's default, spinning,
# PyG's step on Photo took three times as long on a busy machine; on an idle one it was not tried.
# OMP_WAIT_POLICY or GOMP_SPINCOUNT, if set, decide for all peers instead.
import fastgat  # noqa: F401


@dataclass(frozen=True)
class Options:
    datasets: tuple[str, ...] | None  # None: the section's own
    repeats: int
    dgl_python: str | None
