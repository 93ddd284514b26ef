"""Records: one JSON file per experiment, a line per row, written whole after every row."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fastgat.check import InputError
from fastgat.files import hold_folder, make_folder, write_atomically
from fastgat.train.record import read_json

FORMAT = 2
WIDE_VECTORS = 512  # bits, of AVX-512
Result = dict[str, Any]  # plain values, as JSON holds them


@dataclasses.dataclass(frozen=True)
class StoredRow:
    """What came of a row, and how it was made."""

    settings: dict[str, Any]
    result: Result
    seconds: float | None  # None in older records
    when: str
    environment: dict[str, Any]

    @property
    def missing(self) -> str | None:
        """The file or package without which the row could not be run."""
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


@dataclasses.dataclass(frozen=True)
class Records:
    """A folder of records; the first run makes it."""

    folder: Path

    def path(self, name: str) -> Path:
        """The file of an experiment."""
        return self.folder / f"{name}.json"

    def read(self, name: str) -> dict[str, StoredRow]:
        """The rows of an experiment by key; none if it was never run."""
        file = self.path(name)
        if not file.exists():
            return {}
        facts = read_json(file)
        if facts.get("format") != FORMAT:
            raise InputError(
                f"{file} has format {facts.get('format')!r}, but this version of fastgat reads "
                f"{FORMAT}; move it away and run {name} again"
            )
        try:
            return {key: _stored(row) for key, row in facts["rows"].items()}
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{file} is damaged ({error!r}): move it away and run {name} again"
            ) from None

    def write(self, name: str, rows: dict[str, StoredRow]) -> None:
        """Store all rows of an experiment, or leave the file as it was."""
        make_folder(self.folder)
        # A row is a line: curves take little room, and a change shows which rows it concerns.
        lines = [
            f"{json.dumps(key)}: {json.dumps(plain(dataclasses.asdict(row)), allow_nan=False)}"
            for key, row in rows.items()
        ]
        head = f'{{"format": {FORMAT}, "experiment": {json.dumps(name)}, "rows": {{'
        text = head + "\n" + ",\n".join(lines) + "\n}}\n"
        with write_atomically(self.path(name)) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out: each writes all rows of its experiment, and would lose theirs."""
        refusal = (
            f"{self.folder} is in use by another run of experiments; wait for its end, "
            "or name another folder with --records"
        )
        make_folder(self.folder)
        with hold_folder(self.folder, refusal):
            yield

    def find(self, key: str, settings: dict[str, Any], names: Iterable[str]) -> StoredRow | None:
        """A finished row of equal key and settings in any experiment: it need not be run twice."""
        for name in names:
            row = self.read(name).get(key)
            if row is not None and row.is_done and row.settings == plain(settings):
                return row
        return None


def _stored(facts: dict[str, Any]) -> StoredRow:
    row = StoredRow(**facts)
    if not isinstance(row.settings, dict) or not isinstance(row.result, dict):
        raise TypeError("settings and result must be objects")
    return row


def plain(value: Any) -> Any:
    """A value as it comes back from JSON, which has neither tuples nor NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def describe_machine() -> dict[str, Any]:
    """What times depend on: versions, processor, width of vectors, and how busy the machine is."""
    from fastgat.train.record import describe_environment

    facts = describe_environment()
    for package in ("numpy", "scipy", "torch_geometric"):
        with contextlib.suppress(PackageNotFoundError):
            facts[package] = version(package)
    return {**facts, "load": round(os.getloadavg()[0], 2)}


def by_vectors(key: str) -> str:
    """The key of a row of times: those with narrower vectors are kept beside the others."""
    from fastgat import _core

    bits = 8 * _core.vector_bytes
    return key if bits >= WIDE_VECTORS else f"{key}@{bits}-bit"
