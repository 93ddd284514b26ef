"""Libraries that only a report needs: one sentence where they are missing."""

from __future__ import annotations

import importlib

from fastgat.check import InputError


def check_installed(*modules: str) -> None:
    """Refuse before any work is done."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            raise InputError(
                f"a report needs {module}: install it with pip install 'fastgat-er[report]'"
            ) from None
