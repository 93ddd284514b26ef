"""What a command shows: a table or JSON on stdout, progress on a terminal's stderr."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping

from fastgat.cli.phases import Phases

Facts = Mapping[str, object]
PERCENT = {"expected_error"}
REPAIRS = {
    "self_loops": "self-loops dropped",
    "repeated": "repeated arcs dropped",
    "merged": "repeated arcs added up",
    "averaged": "unequal directions averaged",
}


@contextlib.contextmanager
def progress_bar(name: str) -> Iterator[Callable[[float], None] | None]:
    """Give a function to report the done fraction to, or None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bars:
        task = bars.add_task(name, total=1.0)
        yield lambda fraction: bars.update(task, completed=fraction)


@contextlib.contextmanager
def phase(phases: Phases, name: str) -> Iterator[Callable[[float], None] | None]:
    """Measure a phase, and show how far it is."""
    with phases.measure(name), progress_bar(name) as progress:
        yield progress


def show(facts: Facts, phases: Phases, *, as_json: bool) -> None:
    """Print a command's result; None is null in JSON, and left out of the table."""
    if as_json:
        finished = [dataclasses.asdict(phase) for phase in phases.finished]
        result = {**facts, "seconds": phases.seconds, "phases": finished}
        print(json.dumps(_plain(result), allow_nan=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for label, text in _rows(facts):
        table.add_row(label, text)
    times = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    times.add_column("phase")
    for column in ("seconds", "resident MB", "peak MB"):
        times.add_column(column, justify="right")
    for done in phases.finished:
        resident = "" if done.resident_bytes is None else f"{done.resident_bytes / 1e6:.0f}"
        times.add_row(done.name, f"{done.seconds:.3f}", resident, f"{done.peak_bytes / 1e6:.0f}")
    width = None if sys.stdout.isatty() else 500  # lines for programs are not broken
    console = Console(markup=False, highlight=False, width=width)
    console.print(table)
    console.print()
    console.print(times)


def printable(text: str) -> str:
    """The text on one line, with nothing in it that a terminal would obey.

    >>> printable("two\\nlines")
    'two\\\\nlines'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _rows(facts: Facts, indent: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        label = indent + key.removeprefix("num_").replace("_", " ")
        if key == "repairs" and isinstance(value, Mapping):
            made = [f"{count:,} {REPAIRS[kind]}" for kind, count in value.items() if count]
            yield "repaired on reading", ", ".join(made) or "nothing"
        elif isinstance(value, Mapping):
            yield label, ""
            yield from _rows(value, f"{indent}  ")
        elif value is not None:
            yield label, _text(key, value)


def _text(key: str, value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{100 * value:.3g} %" if key in PERCENT else f"{value:.4g}"
    return printable(str(value))


def _plain(value: object) -> object:
    """JSON has neither infinity nor NaN: null stands for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
