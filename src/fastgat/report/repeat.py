"""What is needed to repeat the runs: the machine and the commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgat.report import text
from fastgat.train.record import RunRecord


@dataclass(frozen=True)
class Environment:
    """Versions and machine, and which runs were made there."""

    facts: list[tuple[str, str]]
    num_runs: int


def environments(records: Sequence[RunRecord]) -> list[Environment]:
    """Every environment once, that of most runs first."""
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    for record in records:
        facts = tuple((text.one_line(k), _plain(v)) for k, v in record.environment.items())
        seen[facts] = seen.get(facts, 0) + 1
    ordered = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return [Environment(list(facts), number) for facts, number in ordered if facts]


def commands(records: Sequence[RunRecord]) -> list[str]:
    """Every command once; a run from Python has none."""
    found = (text.one_line(record.command) for record in records if record.command)
    return list(dict.fromkeys(found))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{text.one_line(key)} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return "unknown" if value is None else text.one_line(value)
