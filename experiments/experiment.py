"""An experiment: rows that are run one by one, and what is shown of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from experiments.options import TRAINING_CHOICES, Options
from experiments.records import Records, Result, StoredRow, describe_machine, plain
from experiments.table import Table
from experiments.verdict import Finding
from fastgat.check import InputError

Results = Mapping[str, StoredRow]
OnRow = Callable[[str], object]


class MissingError(Exception):
    """A dataset's file, or a package, that is not on this machine."""


@dataclass(frozen=True)
class Row:
    """One thing to run; equal settings give the same result, but for times."""

    key: str
    settings: dict[str, Any]
    run: Callable[[], Result]


@dataclass(frozen=True)
class Experiment:
    """One table, figure or claim of the paper, a question it leaves open, or a benchmark.

    `tables` and `findings` read stored rows alone, so that a page can be made anywhere.
    """

    name: str
    title: str
    about: str  # how it was done, and where that is our own decision
    rows: Callable[[Options], Sequence[Row]]
    tables: Callable[[Results], Sequence[Table]]
    # What the paper says of it; of a question that it leaves open there is nothing to judge.
    findings: Callable[[Results], Sequence[Finding]] = lambda results: ()
    draw: Callable[[Results, Path], Sequence[Path]] | None = None  # into a folder
    takes: tuple[str, ...] = TRAINING_CHOICES  # options; what it does not take changes nothing
    needs: tuple[str, ...] = ()  # options of which one must be given
    runs_again: bool = False  # whether a stored row never stands for a new one

    def check_options(self, options: Options) -> None:
        """Refuse an option that would change nothing, and the lack of one that is needed."""
        chosen = options.chosen()
        for choice, value in chosen.items():
            if choice not in self.takes:
                raise InputError(
                    f"{choice}={value!r} would change nothing: {self.name} takes "
                    f"{', '.join(self.takes) or 'no options'}, so leave it out"
                )
        if not self.can_run(options):
            flags = " or ".join(f"--{name.replace('_', '-')}" for name in self.needs)
            raise InputError(f"{self.name} needs {flags}")

    def can_run(self, options: Options) -> bool:
        """Whether the options give what it needs."""
        return not self.needs or any(need in options.chosen() for need in self.needs)


def run_experiment(
    experiment: Experiment,
    options: Options,
    records: Records,
    *,
    others: Iterable[str] = (),
    again: bool = False,
    on_row: OnRow | None = None,
) -> dict[str, StoredRow]:
    """Run what is missing, storing every row at once; gives the rows that the options ask for.

    Args:
        experiment: what to run.
        options: which of its rows, and how.
        records: where rows are stored, and where older ones are found.
        others: experiments of the same folder whose rows may serve, if key and settings agree.
        again: whether to run what is stored, too.
        on_row: called with a sentence for every row.
    """
    rows = experiment.rows(options)
    tell = on_row or (lambda sentence: None)
    again = again or experiment.runs_again
    with records.held():
        stored = records.read(experiment.name)
        for place, row in enumerate(rows, 1):
            name = f"{experiment.name} {place}/{len(rows)}: {row.key}"
            known = stored.get(row.key)
            if known is not None and not again and _serves(known, row):
                tell(f"{name} (stored)")
                continue
            elsewhere = [] if again else [other for other in others if other != experiment.name]
            shared = records.find(row.key, row.settings, elsewhere)
            tell(name if shared is None else f"{name} (stored by another experiment)")
            stored[row.key] = shared or run_row(row)
            records.write(experiment.name, stored)
            _tell_trouble(stored[row.key], tell)
    return {row.key: stored[row.key] for row in rows}


def _serves(known: StoredRow, row: Row) -> bool:
    """Whether a stored row is what is asked for, or more: quick ones do not replace full ones."""
    same = known.settings == plain(row.settings)
    return known.is_done and (same or (bool(row.settings.get("quick")) and not known.is_quick))


def run_row(row: Row) -> StoredRow:
    """Run one row; one that cannot be run stores why, and is tried again the next time."""
    machine = describe_machine()
    begin = time.perf_counter()
    try:
        result: Result = row.run()
    except MissingError as error:
        result = {"missing": str(error)}
    except InputError as error:
        result = {"failed": str(error)}
    except (MemoryError, RuntimeError) as error:
        # torch says with a RuntimeError that it got no memory.
        if not isinstance(error, MemoryError) and "memory" not in str(error):
            raise
        result = {"failed": "the memory does not suffice"}
    return StoredRow(
        plain(row.settings),
        plain(result),
        round(time.perf_counter() - begin, 3),
        datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        machine,
    )


def _tell_trouble(row: StoredRow, tell: OnRow) -> None:
    if row.missing is not None:
        tell(f"  not run: {row.missing} is missing")
    if row.failed is not None:
        tell(f"  failed: {row.failed}")
