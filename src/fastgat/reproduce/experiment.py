"""An experiment: rows that are run one by one, and what is shown of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastgat.check import InputError
from fastgat.reproduce.options import CHOICES, Options
from fastgat.reproduce.table import Table
from fastgat.reproduce.verdict import Finding

Result = dict[str, Any]  # plain values, as JSON holds them
Results = Mapping[str, "StoredRow"]


class MissingDataError(Exception):
    """The file of a dataset that is not on this machine."""


@dataclass(frozen=True)
class Row:
    """One thing to run; equal settings give the same result, but for times."""

    key: str
    settings: dict[str, Any]
    run: Callable[[], Result]


@dataclass(frozen=True)
class StoredRow:
    """What came of a row, and how it was made."""

    settings: dict[str, Any]
    result: Result
    seconds: float
    when: str
    environment: dict[str, Any]

    @property
    def missing(self) -> str | None:
        """The file without which the row could not be run."""
        return self.result.get("missing")

    @property
    def failed(self) -> str | None:
        """Why it came to nothing."""
        return self.result.get("failed")

    @property
    def is_done(self) -> bool:
        """Whether there is a result, not merely a reason for having none."""
        return self.missing is None and self.failed is None

    @property
    def is_quick(self) -> bool:
        """Whether this only shows that it runs."""
        return bool(self.settings.get("quick"))


@dataclass(frozen=True)
class Experiment:
    """One table, figure or claim of the paper, or a question it leaves open.

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
    takes: tuple[str, ...] = CHOICES  # of the options; what it does not take changes nothing

    def check_options(self, options: Options) -> None:
        """Refuse an option that would change nothing."""
        for choice, value in options.chosen().items():
            if choice not in self.takes:
                raise InputError(
                    f"{choice}={value!r} would change nothing: {self.name} takes "
                    f"{', '.join(self.takes) or 'no options'}, so leave it out"
                )
