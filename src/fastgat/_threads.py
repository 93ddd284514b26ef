"""One thread pool for torch and the core: load the OpenMP runtime before either of them does.

torch ships `libgomp.so.1` under its plain name; whoever loads that name first decides for the whole
process. Finding it by path keeps `import fastgat` from loading torch.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path


def load_thread_pool() -> None:
    """Load torch's OpenMP runtime where torch is here, the system's otherwise."""
    with _idle_threads_sleep(), contextlib.suppress(OSError):
        ctypes.CDLL(_torch_runtime() or "libgomp.so.1", mode=ctypes.RTLD_GLOBAL)


def _torch_runtime() -> str | None:
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.origin is not None:
            runtime = Path(spec.origin).parent / "lib" / "libgomp.so.1"
            if runtime.exists():
                return str(runtime)
    return None


@contextlib.contextmanager
def _idle_threads_sleep() -> Iterator[None]:
    """While the runtime reads its settings: threads that wait give their core back at once.

    By default they spin for milliseconds, which on a busy machine slows graph work down tenfold
    and more: its parallel regions are short, and the thread they wait for has no core to run on.
    Whoever has set a policy of their own keeps it.
    """
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "0"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]
