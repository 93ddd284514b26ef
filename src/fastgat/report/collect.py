"""Find the records of runs in folders and files, and refuse those that cannot be shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fastgat.check import InputError
from fastgat.train.record import RECORD_FILE, RunRecord


def read_records(paths: Sequence[str | Path]) -> list[RunRecord]:
    """Every record in the given files and folders, searched to the bottom; each run once."""
    if isinstance(paths, str | Path):
        raise InputError(f"paths={paths!r} must be a list of files and folders: put it in brackets")
    files: dict[Path, Path] = {}  # by what links lead to: a folder may lie within another one
    for path in paths:
        for file in _record_files(Path(path)):
            files.setdefault(file.resolve(), file)
    if not files:
        raise InputError("paths=[] must name at least one record or folder of runs")
    records: list[RunRecord] = []
    for file in files.values():
        record = RunRecord.read(file)
        check_record(record, str(file))
        if record not in records:  # a copied folder is no second run
            records.append(record)
    return records


def check_record(record: RunRecord, name: str) -> None:
    """Refuse a record whose facts are not of the kind that fastgat writes."""
    for what, holds in _requirements(record):
        if not holds:
            raise InputError(f"{name} is damaged: {what}; train again")


def _record_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]  # RunRecord.read says what is wrong with it
    found = sorted(path.rglob(RECORD_FILE))
    if not found:
        raise InputError(
            f"folder {path} has no {RECORD_FILE} in it, nor have its folders; "
            "give the folder that a run was written to"
        )
    return found


def _requirements(record: RunRecord) -> Iterator[tuple[str, bool]]:
    """What is used without asking again."""
    for name in ("task", "model", "config", "edges", "scores", "seconds", "environment"):
        yield f"{name} must be an object", isinstance(getattr(record, name), dict)
    yield "pictures must be an object", isinstance(record.pictures, dict)
    for name in ("warnings", "decisions"):
        yield f"{name} must be a list", isinstance(getattr(record, name), list)
    yield "label must be text", isinstance(record.label, str)
    yield "command must be text", record.command is None or isinstance(record.command, str)
    yield "task must have a name", isinstance(record.task.get("name"), str)
    for name in ("trained_on", "before"):
        yield f"edges.{name} must be a number", _is_number(record.edges.get(name))
    for name, seconds in record.seconds.items():
        yield f"seconds.{name} must be a number", _is_number(seconds)
    for name, score in record.scores.items():
        yield f"scores.{name} must be a number", score is None or _is_number(score)
    for name in ("peak_bytes", "resident_bytes_before"):
        value = getattr(record, name)
        yield f"{name} must be a number", value is None or _is_number(value)
    for line in record.history:
        numbers = (line.epoch, line.seconds, line.num_edges)
        yield "history must be numbers", all(_is_number(value) for value in numbers)
        score = line.validation_f1  # null if it was not a number
        yield "history must be numbers", score is None or _is_number(score)


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and abs(value) < 1e300  # neither NaN nor infinite, nor more than a float holds
