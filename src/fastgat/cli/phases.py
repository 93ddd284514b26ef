"""What every phase of a command took: seconds and memory."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Phase:
    """A finished phase, with the memory at its end."""

    name: str
    seconds: float
    resident_bytes: int | None  # now; None where the system does not say
    peak_bytes: int  # the most since the process began


@dataclass
class Phases:
    """Records phases one after another.

    >>> phases = Phases()
    >>> with phases.measure("read"):
    ...     pass
    >>> [phase.name for phase in phases.finished]
    ['read']
    """

    finished: list[Phase] = field(default_factory=list)

    @contextlib.contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Time what is done inside."""
        begin = time.perf_counter()
        yield
        seconds = time.perf_counter() - begin
        resident = resident_bytes()
        # The system counts the peak in coarser steps.
        self.finished.append(Phase(name, seconds, resident, max(peak_bytes(), resident or 0)))

    @property
    def seconds(self) -> float:
        """Of all phases together."""
        return sum(phase.seconds for phase in self.finished)


def peak_bytes() -> int:
    """The most memory that the process ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def resident_bytes() -> int | None:
    """The memory that the process holds now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
