"""Run an experiment row by row; what is stored already is not run again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from fastgat.check import InputError
from fastgat.reproduce.experiment import Experiment, MissingDataError, Result, Row, StoredRow
from fastgat.reproduce.options import Options
from fastgat.reproduce.records import Records, plain

OnRow = Callable[[str], object]


def run_experiment(
    experiment: Experiment,
    options: Options,
    records: Records,
    *,
    others: Iterable[str] = (),
    on_row: OnRow | None = None,
) -> dict[str, StoredRow]:
    """Run what is missing, storing every row at once; gives the rows that the options ask for.

    A row that another experiment of the same folder has stored is taken from there.
    """
    rows = experiment.rows(options)
    tell = on_row or (lambda sentence: None)
    with records.held():
        stored = records.read(experiment.name)
        for place, row in enumerate(rows, 1):
            name = f"{experiment.name} {place}/{len(rows)}: {row.key}"
            known = stored.get(row.key)
            if known is not None and _serves(known, row):
                tell(f"{name} (stored)")
                continue
            elsewhere = (other for other in others if other != experiment.name)
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
    from fastgat.train.describe import describe_environment

    begin = time.perf_counter()
    try:
        result: Result = row.run()
    except MissingDataError as error:
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
        describe_environment(),
    )


def _tell_trouble(row: StoredRow, tell: OnRow) -> None:
    if row.missing is not None:
        tell(f"  not run: {row.missing} is missing")
    if row.failed is not None:
        tell(f"  failed: {row.failed}")
