"""One page for one run or many: a single file that needs no network, script or server."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastgat.check import InputError, one_line
from fastgat.files import write_atomically
from fastgat.report import text
from fastgat.report.collect import read_records
from fastgat.report.runs import group_records
from fastgat.report.section import task_section
from fastgat.train.record import RunRecord

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Environment:
    """Versions and machine, and which runs were made there."""

    facts: list[tuple[str, str]]
    num_runs: int


def write_report(paths: Sequence[str | Path], out: str | Path) -> Path:
    """Write one page about all records in the files and folders `paths`; give its path back."""
    _check_installed("jinja2", "matplotlib")
    target = Path(out)
    if target.is_dir():
        raise InputError(
            f"out={out} is a folder; name the page in it, as in {target / 'page.html'}"
        )
    page = page_text(read_records(paths))
    with write_atomically(target) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return target


def page_text(records: Sequence[RunRecord]) -> str:
    """The page itself; equal records give equal text, in whatever order they come."""
    import jinja2

    tasks = group_records(records)
    ordered = [run for task in tasks for runs in task.methods for run in runs.records]
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    templates.filters["unbroken"] = text.unbroken
    return templates.get_template("report.html.j2").render(
        sections=[task_section(task, f"task-{place}") for place, task in enumerate(tasks)],
        num_runs=len(ordered),
        environments=_environments(ordered),
        commands=_commands(ordered),
        nothing=text.NOTHING,
    )


def _check_installed(*modules: str) -> None:
    """Refuse before any work is done."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            raise InputError(
                f"a report needs {module}: install it with pip install 'fastgat-er[report]'"
            ) from None


def _environments(records: Sequence[RunRecord]) -> list[Environment]:
    """Every environment once, that of most runs first."""
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    for record in records:
        facts = tuple((one_line(k), _plain(v)) for k, v in record.environment.items())
        seen[facts] = seen.get(facts, 0) + 1
    ordered = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return [Environment(list(facts), number) for facts, number in ordered if facts]


def _commands(records: Sequence[RunRecord]) -> list[str]:
    """Every command once; a run from Python has none."""
    found = (one_line(record.command) for record in records if record.command)
    return list(dict.fromkeys(found))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{one_line(key)} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return "unknown" if value is None else one_line(value)
