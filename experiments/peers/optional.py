"""Peers that need not be installed."""

from __future__ import annotations

import importlib
from typing import Any


def find_package(name: str) -> Any:
    """The module, or None where it is not installed: then there are no figures of that peer."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
