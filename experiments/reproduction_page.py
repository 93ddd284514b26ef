"""docs/reproduction.md: the verdict, the misses, then a section per table; made from records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments.catalogue import PAPER
from experiments.expected import causes_above, listed_misses
from experiments.experiment import Experiment, Results
from experiments.records import Records, StoredRow
from experiments.table import Table
from experiments.verdict import Count, Finding, Verdict, explain
from fastgat.check import InputError
from fastgat.files import write_atomically

FIGURES = "figures"  # below the folder of the records
LOG_NAME = "reproduction_log.md"  # beside the page, written by hand
TITLE = "# The paper, reproduced"
TOLERANCES = """\
A figure of ours is *within* tolerance if it differs from the paper's by at most 0.01 or twice the
deviation that the paper prints, whichever is larger; counts may differ by 1 %. A score that is
better by more than that is *above*: it counts as met, but is not the paper's figure either. All
others are a *miss* and stay one. Seconds are of another machine than the paper's: they are shown
beside its own and not judged. What it says of being faster or of growing is judged. Figures that
could not be measured here, for want of a file, are left out."""


def explained(experiment: Experiment, results: Results) -> list[Finding]:
    """What came of an experiment, with the causes of known misses."""
    return explain(experiment.findings(results), listed_misses(), causes_above())


def paper_findings(records: Records) -> dict[str, list[Finding]]:
    """The findings of every experiment of the paper that has a record."""
    stored = {experiment.name: records.read(experiment.name) for experiment in PAPER}
    return {
        experiment.name: explained(experiment, stored[experiment.name])
        for experiment in PAPER
        if stored[experiment.name]
    }


def all_findings(records: Records) -> dict[str, list[Finding]]:
    """The same, where there must be some."""
    found = paper_findings(records)
    if not found:
        raise InputError(
            f"{records.folder} has no records; run python -m experiments all, or name another "
            "folder with --records"
        )
    return found


def write_reproduction_page(records: Records, out: Path) -> Path:
    """Write the page; it links to the log beside it, if there is one."""
    _check_folder(out.parent)
    text = page_text(records, out.parent)
    with write_atomically(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return out


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"cannot write pages: the folder {folder} does not exist")


def page_text(records: Records, folder: Path) -> str:
    """The page as it stands in `folder`, to which the paths of figures are relative."""
    findings = all_findings(records)
    every = [finding for found in findings.values() for finding in found]
    parts = [
        TITLE,
        "Written by `python -m experiments page` from the records; `python -m experiments paper` "
        "makes them.",
        f"**Verdict: {Count.of(every).opening()}.**",
    ]
    missed = misses(every)
    if missed is not None:
        parts += ["## Misses", missed.body()]
    parts += ["## How figures are judged", TOLERANCES]
    for experiment in PAPER:
        if experiment.name in findings:
            results = records.read(experiment.name)
            parts += section(experiment, results, records.folder / FIGURES, folder)
            parts += _verdict(findings[experiment.name])
    absent = [experiment.name for experiment in PAPER if experiment.name not in findings]
    if absent:
        parts += ["## Not run", f"Without a record: {', '.join(absent)}."]
    if (folder / LOG_NAME).is_file():
        sentence = "What was tried and found on the way, failures included"
        parts += ["## Log", f"{sentence}: [{LOG_NAME}]({LOG_NAME})."]
    return "\n\n".join(parts) + "\n"


def section(
    experiment: Experiment, results: Results, figures: Path, folder: Path, heading: str = "##"
) -> list[str]:
    """An experiment's part of a page.

    Args:
        experiment: what to show.
        results: its stored rows.
        figures: the folder of drawn figures.
        folder: that of the page, to which paths are relative.
        heading: the mark of a heading of this level.
    """
    parts = [f"{heading} {experiment.title}", experiment.about, origin(experiment.name, results)]
    parts += [table.markdown() for table in experiment.tables(results) if table.lines]
    files = sorted(figures.glob(f"{experiment.name}*.png"))
    return parts + [
        f"![{experiment.title}]({Path(os.path.relpath(file, folder)).as_posix()})" for file in files
    ]


def _verdict(findings: Sequence[Finding]) -> list[str]:
    """The count, and one line for each cause of scores above the paper's."""
    if not findings:
        return []
    causes: dict[str, list[str]] = {}
    for finding in findings:
        if finding.verdict == Verdict.above:
            # The experiment's name is the section's, and that of the score is said once.
            name = finding.of.partition("/")[2].removesuffix("/F1")
            causes.setdefault(finding.why or "The cause is not known.", []).append(name)
    parts = [f"Verdict: {Count.of(findings).sentence()}."]
    if causes:
        lines = [f"- {', '.join(names)}: {cause}" for cause, names in causes.items()]
        parts += ["Above the paper's:", "\n".join(lines)]
    return parts


def misses(findings: Iterable[Finding]) -> Table | None:
    """What the paper's figures were not met by; those without a known cause first."""
    missed = [finding for finding in findings if finding.verdict == Verdict.miss]
    missed.sort(key=lambda finding: finding.is_listed)
    lines = [[f.of, f.ours, f.paper, f.why or "not known"] for f in missed]
    columns = ["figure", "ours", "the paper's", "cause"]
    return Table("Misses", columns, lines) if lines else None


def deviations(findings: Iterable[Finding]) -> Table | None:
    """What is not the paper's figure, with the cause where it is known."""
    lines = [
        [f.of, f.ours, f.paper, f.verdict.value, f.why or "not known"]
        for f in findings
        if f.verdict in (Verdict.above, Verdict.miss)
    ]
    columns = ["figure", "ours", "the paper's", "verdict", "cause"]
    return Table("Deviations", columns, lines) if lines else None


def origin(name: str, results: Results) -> str:
    """The command, the days and the machines."""
    days = sorted({row.when[:10] for row in results.values()})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = {_machine(row) for row in results.values()}
    options = " --quick" if any(row.is_quick for row in results.values()) else _shortened(results)
    return f"`python -m experiments {name}{options}`, {span}, {'; '.join(sorted(machines))}."


def _machine(row: StoredRow) -> str:
    facts = row.environment
    bits = facts.get("vector_bits")  # not in older records
    vectors = "" if bits is None else f"{bits}-bit vectors, "
    threads = facts.get("threads", facts.get("cores"))
    shown = f"{facts.get('processor')}, {vectors}{threads} thread{'s' * (threads != 1)}"
    return f"{shown}, torch {facts['torch']}" if "torch" in facts else shown


def _shortened(results: Results) -> str:
    """The option by which training was cut short."""
    given = (row.settings.get("training", {}) for row in results.values())
    epochs = sorted({options["epochs"] for options in given if "epochs" in options})
    return f" --epochs {' or '.join(map(str, epochs))}" if epochs else ""
