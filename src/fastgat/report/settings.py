"""How the runs of a task were set up: network, training and split, as the records have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.runs import TaskRuns

Facts = dict[str, Any]
# What the page says elsewhere, or what says nothing without the others.
LEFT_OUT = {"seed", "in_channels", "out_channels", "sparsifier", "name", "settings"}
DENSITY = {"epsilon": "density (epsilon)", "keep": "edges to keep"}
PARTS = {"train": "training nodes", "validation": "validation nodes", "test": "test nodes"}


def settings(task: TaskRuns) -> list[tuple[str, str]]:
    """Names and values; where methods differ, each value with the methods that have it."""
    every = [(runs.label, _settings(runs.first)) for runs in task.methods]
    found = [
        (name, text.count(task.facts[part]))
        for part, name in PARTS.items()
        if isinstance(task.facts.get(part), int)
    ]
    seeds = sorted(
        {seed for runs in task.methods for run in runs.records
         if isinstance(seed := run.config.get("seed"), int)}
    )  # fmt: skip
    if seeds:
        found.append(("seeds", ", ".join(map(str, seeds))))
    names = dict.fromkeys(name for _, facts in every for name in facts)
    found += [(name.removeprefix("num_").replace("_", " "), _value(name, every)) for name in names]
    return [(one_line(name), one_line(value)) for name, value in found if value]


def _settings(record: Any) -> Facts:
    """Of the network, then of training, then of the sparsifier."""
    found = dict(record.model)
    inner = found.get("settings")
    if isinstance(inner, dict):
        found |= inner
    found |= record.config
    sparsifier = record.config.get("sparsifier")
    found = {name: value for name, value in found.items() if name not in LEFT_OUT}
    if isinstance(sparsifier, dict):
        found |= {
            DENSITY.get(name, f"{name} of edges" if name == "sampling" else name): value
            for name, value in sparsifier.items()
            if name != "kind" and value is not None
        }
    return found


def _value(name: str, every: Sequence[tuple[str, Facts]]) -> str:
    """The one value, or all of them with whose they are."""
    of: dict[str, list[str]] = {}
    for label, facts in every:
        value = facts.get(name)
        if value is not None:
            of.setdefault(_plain(value), []).append(label)
    if len(of) == 1:
        (value,) = of
        return value
    return "; ".join(f"{value} ({', '.join(labels)})" for value, labels in of.items())


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
