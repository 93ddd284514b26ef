"""What times and memory depend on: what the process holds, and the processor."""

from __future__ import annotations

import contextlib
import os
import platform
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_PEAK_LINE = "VmHWM:"


def peak_bytes() -> int:
    """The most memory that the process held, since it began or since `forget_peak`."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # Not ru_maxrss, which a process inherits from the one that started it.
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(_PEAK_LINE):
                return 1024 * int(line.split()[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> bool:
    """Let `peak_bytes` begin anew; False where the system cannot."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def resident_bytes() -> int | None:
    """The memory that the process holds now; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def processor_name() -> str:
    """The processor as its maker calls it, where the system says so."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
