"""What the sections of `benchmarks/training.py` share."""

from __future__ import annotations

SEED = 1
