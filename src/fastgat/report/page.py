"""One page for one run or many: a single file that needs no network, script or server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fastgat.check import InputError
from fastgat.files import write_atomically
from fastgat.report import text
from fastgat.report.collect import read_records
from fastgat.report.needs import check_installed
from fastgat.report.repeat import commands, environments
from fastgat.report.runs import group_records
from fastgat.report.section import task_section
from fastgat.train.record import RunRecord

TEMPLATES = Path(__file__).parent / "templates"


def write_report(paths: Sequence[str | Path], out: str | Path) -> Path:
    """Write one page about all records in the files and folders `paths`; give its path back."""
    check_installed("jinja2", "matplotlib")
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
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    tasks = group_records(records)
    ordered = [run for task in tasks for runs in task.methods for run in runs.records]
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["unbroken"] = text.unbroken
    return environment.get_template("report.html.j2").render(
        sections=[task_section(task, f"task-{place}") for place, task in enumerate(tasks)],
        num_runs=len(ordered),
        environments=environments(ordered),
        commands=commands(ordered),
        nothing=text.NOTHING,
    )
