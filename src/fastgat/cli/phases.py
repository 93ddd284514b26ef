"""What every phase of a command took: seconds and memory."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from fastgat.memory import peak_bytes, resident_bytes


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
