"""The paper's own figures, from `expected.toml`: as printed, with the misses that are known."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fastgat.check import InputError

PATH = Path(__file__).with_name("expected.toml")
_PRINTED = re.compile(r"([\d.,]+)(%?)(?: ± ([\d.]+))?")


@dataclass(frozen=True)
class Figure:
    """A number of the paper with its deviation; `value` is None where it prints none."""

    value: float | None
    deviation: float | None = None
    printed: str = ""

    @classmethod
    def read(cls, printed: str) -> Figure:
        """The figure as the paper prints it; percentages become shares.

        >>> Figure.read("0.94 ± 0.001").deviation, Figure.read("OOM").value
        (0.001, None)
        >>> Figure.read("97.03%").value
        0.9703
        """
        found = _PRINTED.fullmatch(printed)
        if found is None:
            if printed == "OOM":
                return cls(None, None, printed)
            raise InputError(f"expected.toml has {printed!r}, which is no figure")
        number, percent, deviation = found.groups()
        value = float(number.replace(",", ""))
        spread = None if deviation is None else float(deviation)
        return cls(round(value / 100, 9) if percent else value, spread, printed)


@cache
def expected_tables() -> dict[str, Any]:
    """All tables, by experiment and metric."""
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def expected(experiment: str, metric: str, row: str, dataset: str) -> Figure | None:
    """One figure of the paper; None where it has none.

    Args:
        experiment: a table of expected.toml, such as "table-2".
        metric: what the figure is of: "f1", "cpu-seconds", "count", ...
        row: the method's label, or what is counted.
        dataset: the column.
    """
    table = expected_tables().get(experiment, {}).get(metric, {})
    printed = table.get(row, {}).get(dataset)
    return None if printed is None else Figure.read(printed)


def listed_misses() -> dict[str, str]:
    """The cause of every miss that is known, by the finding's name."""
    return {entry["of"]: entry["cause"] for entry in expected_tables().get("miss", [])}


def causes_above() -> dict[str, str]:
    """What is known of scores above the paper's, by patterns of findings' names."""
    return {entry["of"]: entry["cause"] for entry in expected_tables().get("above", [])}
