"""The page of all tables and figures, made from records; only its log is written by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from fastgat.check import InputError
from fastgat.files import write_atomically
from fastgat.reproduce.catalogue import EXPERIMENTS
from fastgat.reproduce.expected import causes_above, listed_misses
from fastgat.reproduce.experiment import Experiment, Results, StoredRow
from fastgat.reproduce.records import Records
from fastgat.reproduce.table import Table
from fastgat.reproduce.verdict import Count, Finding, Verdict, explain

FIGURES = "figures"  # below the folder of the records
LOG_NAME = "reproduction_log.md"  # beside the page
INTRODUCTION = """\
# The paper, reproduced

Made from records by `fastgat reproduce page`; run `fastgat reproduce all` to make the records.

A figure of ours is *within* tolerance if it differs from the paper's by at most 0.01 or twice the
deviation that the paper prints, whichever is larger; counts may differ by 1 %. A score that is
better by more than that is *above*: it counts as met, but is not the paper's figure either. All
others are a *miss* and stay one; where the cause was measured it is given. Seconds are of another
machine than the paper's, so they are shown beside its own and not judged; what it says of being
faster or of growing is."""


def explained(experiment: Experiment, results: Results) -> list[Finding]:
    """What came of an experiment, with the causes of known misses."""
    return explain(experiment.findings(results), listed_misses(), causes_above())


def all_findings(records: Records) -> dict[str, list[Finding]]:
    """The findings of every experiment that has a record."""
    found = {}
    for name, experiment in EXPERIMENTS.items():
        results = records.read(name)
        if results:
            found[name] = explained(experiment, results)
    if not found:
        raise InputError(
            f"{records.folder} has no records; run fastgat reproduce all, or name another folder"
        )
    return found


def write_page(records: Records, out: Path) -> Path:
    """Write the page; a log beside it is put at its end."""
    text = page_text(records, out.parent)
    with write_atomically(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return out


def page_text(records: Records, folder: Path) -> str:
    """The page as it stands in `folder`, to which the paths of figures are relative."""
    findings = all_findings(records)
    every = [finding for found in findings.values() for finding in found]
    parts = [INTRODUCTION, f"In all: {Count.of(every).sentence()}."]
    for name in findings:
        experiment, results = EXPERIMENTS[name], records.read(name)
        parts += _section(experiment, results, findings[name])
        parts += _figures(experiment, records.folder / FIGURES, folder)
    absent = [name for name in EXPERIMENTS if name not in findings]
    if absent:
        parts += ["## Not run", f"Without a record: {', '.join(absent)}."]
    log = folder / LOG_NAME
    if log.is_file():
        parts += ["## Log", log.read_text(encoding="utf-8").strip()]
    return "\n\n".join(parts) + "\n"


def _section(experiment: Experiment, results: Results, findings: Sequence[Finding]) -> list[str]:
    parts = [f"## {experiment.title}", experiment.about, _origin(experiment.name, results)]
    parts += [table.markdown() for table in experiment.tables(results) if table.lines]
    if findings:
        parts.append(f"Verdict: {Count.of(findings).sentence()}.")
    notable = deviations(findings)
    return parts if notable is None else [*parts, notable.markdown()]


def deviations(findings: Iterable[Finding]) -> Table | None:
    """What is not the paper's figure, with the cause where it is known."""
    lines = [
        [f.of, f.ours, f.paper, f.verdict.value, f.why or "not known"]
        for f in findings
        if f.verdict in (Verdict.above, Verdict.miss)
    ]
    columns = ["figure", "ours", "the paper's", "verdict", "cause"]
    return Table("Deviations", columns, lines) if lines else None


def _origin(name: str, results: Results) -> str:
    """The command, the days and the machines."""
    days = sorted({row.when[:10] for row in results.values()})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = {_machine(row) for row in results.values()}
    options = " --quick" if any(row.is_quick for row in results.values()) else _shortened(results)
    return f"`fastgat reproduce {name}{options}`, {span}, {'; '.join(sorted(machines))}."


def _machine(row: StoredRow) -> str:
    facts = row.environment
    bits = facts.get("vector_bits")  # not in records of before there was a choice
    vectors = "" if bits is None else f"{bits}-bit vectors, "
    return (
        f"{facts.get('processor')}, {vectors}{facts.get('threads')} threads, "
        f"torch {facts.get('torch')}"
    )


def _shortened(results: Results) -> str:
    """The option by which training was cut short."""
    given = (row.settings.get("training", {}) for row in results.values())
    epochs = sorted({options["epochs"] for options in given if "epochs" in options})
    return f" --epochs {' or '.join(map(str, epochs))}" if epochs else ""


def _figures(experiment: Experiment, figures: Path, folder: Path) -> list[str]:
    files = sorted(figures.glob(f"{experiment.name}*.png"))
    return [
        f"![{experiment.title}]({Path(os.path.relpath(file, folder)).as_posix()})" for file in files
    ]
