"""One thread pool for torch and the core: load torch's OpenMP runtime, if torch is here, first.

torch ships `libgomp.so.1` under its plain name; whoever loads that name first decides for the whole
process. Finding it by path keeps `import fastgat` from loading torch.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
from pathlib import Path


def share_torch_threads() -> None:
    """Preload torch's OpenMP runtime where there is one; otherwise the system's is used."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.origin is not None:
            runtime = Path(spec.origin).parent / "lib" / "libgomp.so.1"
            if runtime.exists():
                ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
