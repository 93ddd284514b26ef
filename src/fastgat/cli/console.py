"""The one console: results on stdout, as tables or JSON; progress and sentences on stderr."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastgat.check import one_line
from fastgat.machine import peak_bytes, resident_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

    from fastgat.train import Epoch, RunRecord
    from fastgat.train.baselines import Baseline

PERCENT = {"expected_error"}
REPAIRS = {
    "self_loops": "self-loops dropped",
    "repeated": "repeated arcs dropped",
    "merged": "repeated arcs added up",
    "averaged": "unequal directions averaged",
}
PIPE_WIDTH = 500  # lines for programs are not broken
LINE_SECONDS = 30.0  # from one plain line of progress to the next


@dataclass(frozen=True)
class Phase:
    """A finished phase of a command, with the memory at its end."""

    name: str
    seconds: float
    resident_bytes: int | None  # now; None where the system does not say
    peak_bytes: int  # the most since the process began


@dataclass
class Phases:
    """Times phases one after another, and shows how far each is.

    >>> phases = Phases()
    >>> with phases.phase("read") as progress:
    ...     pass
    >>> [phase.name for phase in phases.finished]
    ['read']
    """

    finished: list[Phase] = field(default_factory=list)

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[Callable[[float], None] | None]:
        """Give a function to report the done fraction to, or None where nobody would see it."""
        begin = time.perf_counter()
        with _progress_bar(name) as progress:
            yield progress
        seconds = time.perf_counter() - begin
        resident = resident_bytes()
        # The system counts the peak in coarser steps.
        self.finished.append(Phase(name, seconds, resident, max(peak_bytes(), resident or 0)))

    @property
    def seconds(self) -> float:
        """Of all phases together."""
        return sum(phase.seconds for phase in self.finished)


@contextlib.contextmanager
def training_bar(
    name: str, epochs: int, *, plain: bool = False
) -> Iterator[Callable[[Epoch], None]]:
    """Give a function to report epochs to; it says so if the first is not the first of the run.

    Args:
        name: What is trained.
        epochs: The most that it takes.
        plain: Whether there are plain lines where there is no terminal: the name at once, and how
            far it is every half a minute.
    """
    from fastgat.train.progress import show_epochs

    lines = _plain_lines(name, epochs) if plain else lambda _: None
    if plain and not sys.stderr.isatty():
        say(name)
    with show_epochs(epochs, name, elsewhere=lines, stays=False) as show:
        is_first = True

        def report(epoch: Epoch) -> None:
            nonlocal is_first
            if is_first and epoch.epoch > 1:
                say(f"{name}: goes on from epoch {epoch.epoch}")
            is_first = False
            show(epoch)

        yield report


def _plain_lines(name: str, epochs: int) -> Callable[[Epoch], None]:
    said = time.perf_counter()

    def report(epoch: Epoch) -> None:
        nonlocal said
        if time.perf_counter() - said > LINE_SECONDS:
            said = time.perf_counter()
            f1 = f"validation F1 {epoch.validation_f1:.3f}"
            say(f"{name}: epoch {epoch.epoch} of {epochs}, {f1}")

    return report


@contextlib.contextmanager
def _progress_bar(name: str) -> Iterator[Callable[[float], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TimeElapsedColumn

    with _bars(BarColumn(), TaskProgressColumn(), TimeElapsedColumn()) as bars:
        bar = bars.add_task(name, total=1.0)
        yield lambda fraction: bars.update(bar, completed=fraction)


def _bars(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    name = TextColumn("{task.description}")
    return Progress(name, *columns, console=Console(stderr=True), transient=True)


def show_facts(facts: Mapping[str, object], phases: Phases, *, as_json: bool) -> None:
    """Print what a command found and what it took.

    Args:
        facts: What it found, by name; None is null in JSON, and not in the table.
        phases: What it took.
        as_json: Whether to print one JSON object instead of tables.
    """
    if as_json:
        finished = [dataclasses.asdict(phase) for phase in phases.finished]
        show_json({**facts, "seconds": phases.seconds, "phases": finished})
        return
    from rich.table import Table

    found = Table.grid(padding=(0, 2))
    for label, text in _rows(facts):
        found.add_row(label, text)
    rows = []
    for done in phases.finished:
        resident = "" if done.resident_bytes is None else f"{done.resident_bytes / 1e6:.0f}"
        rows.append([done.name, f"{done.seconds:.3f}", resident, f"{done.peak_bytes / 1e6:.0f}"])
    console = _stdout()
    console.print(found)
    console.print()
    console.print(_table(["phase", "seconds", "resident MB", "peak MB"], rows))


def show_runs(
    records: Sequence[RunRecord],
    *,
    as_json: bool,
    folders: Sequence[Path],
    report: Path | None,
    baselines: Sequence[Baseline] = (),
) -> None:
    """Print one row per method: what it keeps of the accuracy, and what it costs.

    Args:
        records: Of the runs.
        as_json: Whether to print one JSON object instead.
        folders: Where the runs are.
        report: The page about them, if one was written.
        baselines: What needs no graph, to compare with.
    """
    from fastgat.report.comparison import comparison_rows, run_table

    rows = comparison_rows(records)
    if as_json:
        facts = {
            "rows": [dataclasses.asdict(row) for row in rows],
            **({"baselines": list(map(dataclasses.asdict, baselines))} if baselines else {}),
            "folders": [str(folder) for folder in folders],
            "report": None if report is None else str(report),
        }
        show_json(facts)
        return
    table = run_table(rows, baselines)
    where = f"runs in {folders[0] if len(folders) == 1 else os.path.commonpath(folders)}"
    where += "" if report is None else f", report in {report}"
    notes = [*([table.legend] if table.legend else []), one_line(where)]
    show_table(table.headings, table.rows, notes=notes)


def show_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> None:
    """Print a table and what is to be said about it.

    Args:
        headings: One per column.
        rows: Their cells.
        left: Headings of columns of text besides the first; the others are numbers.
        notes: Paragraphs below the table.
    """
    console = _stdout()
    console.print(_table(headings, rows, left))
    for note in notes:
        console.print(f"\n{note}")


def show_json(facts: Mapping[str, object]) -> None:
    """Print one JSON object; null stands for infinity and NaN, which JSON has not."""
    from fastgat.train.record import without_nan

    print(json.dumps(without_nan(dict(facts)), allow_nan=False))


def say(message: str) -> None:
    """One sentence on stderr."""
    print(f"fastgat: {one_line(message)}", file=sys.stderr)


def _stdout() -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(markup=False, highlight=False, width=width)


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str] = ()
) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        is_text = place == 0 or heading in left
        table.add_column(one_line(heading), justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*map(one_line, row))
    return table


def _rows(facts: Mapping[str, object], indent: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        label = indent + key.removeprefix("num_").replace("_", " ")
        if key == "repairs" and isinstance(value, Mapping):
            done = [f"{count:,} {REPAIRS[kind]}" for kind, count in value.items() if count]
            yield "repaired on reading", ", ".join(done) or "nothing"
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
    return one_line(value)
