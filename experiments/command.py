"""The command line: `python -m experiments list | NAME | all --quick | check | page`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from experiments.experiment import Experiment
    from experiments.options import Options
    from experiments.records import Records

RECORDS, QUICK_RECORDS = Path("results"), Path("build/experiments-quick")
EXAMPLES = """\b
Examples:
  python -m experiments list
  python -m experiments table-2 --datasets photo,cs --seeds 3
  python -m experiments attention-steps --datasets photo --again
  python -m experiments before-after --before-python other/bin/python
  python -m experiments all --quick
  python -m experiments check
  python -m experiments page
"""


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code: 0, 1 on an unlisted miss, 2 on bad input."""
    from fastgat.cli.exit import exit_code

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=EXAMPLES)(experiments)
    return exit_code(lambda: app(args, prog_name="python -m experiments", standalone_mode=False))


def experiments(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An experiment; a group of them (all, paper, open, benchmarks); their names and "
            "durations (list); a count of verdicts (check); or the pages made from the records "
            "(page).",
        ),
    ],
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", help="How many; 5, some baselines 3, or 1 with --quick."),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--datasets", help="Instead of the experiment's own: names with commas between."
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="The most epochs, instead of the recommended.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", help="How often the cases of a benchmark take their turn."),
    ] = None,
    dgl_python: Annotated[
        str | None, typer.Option("--dgl-python", help="An interpreter that has DGL 1.1.3.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", help="Folder of another fastgat package to compare with."),
    ] = None,
    before_python: Annotated[
        str | None,
        typer.Option("--before-python", help="Interpreter for it, instead of this one."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", help=f"Folder of records: {RECORDS}, quick {QUICK_RECORDS}."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="See that all runs: one seed, few epochs, small datasets."),
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Run rows that are stored, too.")] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder for the pages.")] = Path("docs"),
) -> None:
    """Run the paper's experiments, open questions and benchmarks from a clone.

    Every row is stored when it is done: a run that was stopped goes on where it was, and rows that
    are stored with other settings are run again. `check` ends with 1 if a figure misses the
    paper's and the cause is not listed.
    """
    from experiments.catalogue import GROUPS, find_experiment
    from experiments.options import Options
    from experiments.records import Records

    kept = Records(records or (QUICK_RECORDS if quick else RECORDS))
    if name == "list":
        _list(kept)
    elif name == "check":
        _check(kept)
    elif name == "page":
        _page(kept, out)
    else:
        chosen = (
            GROUPS[name] if name in GROUPS else [find_experiment(name, ("list", "check", "page"))]
        )
        named = None
        if datasets is not None:
            named = tuple(part for text in datasets for part in text.split(",") if part)
        options = Options(
            seeds, named, epochs, device, quick, repeats, dgl_python, before, before_python
        )
        if name not in GROUPS:
            chosen[0].check_options(options)
        for experiment in chosen:
            if experiment.can_run(options):
                _run(experiment, options, kept, again)


def _list(records: Records) -> None:
    """Every experiment, with the time that its record took where that is known."""
    from experiments.catalogue import EXPERIMENTS

    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        seconds = [row.seconds for row in records.read(name).values()]
        known = [value for value in seconds if value is not None]
        took = f" ({_duration(sum(known))})" if known and len(known) == len(seconds) else ""
        print(f"{name:{width}}  {experiment.title}{took}")


def _duration(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> _duration(42.4), _duration(300), _duration(7500)
    ('42 s', '5 min', '2.1 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _run(experiment: Experiment, options: Options, records: Records, again: bool) -> None:
    """Run what is missing, then show it and draw it."""
    from rich.console import Console

    from experiments.catalogue import TRAINED
    from experiments.experiment import run_experiment
    from experiments.reproduction_page import FIGURES, deviations, explained
    from experiments.verdict import Count

    results = run_experiment(
        experiment, options, records, others=TRAINED if experiment.name in TRAINED else (),
        again=again, on_row=lambda sentence: print(sentence, file=sys.stderr),
    )  # fmt: skip
    width = None if sys.stdout.isatty() else 200
    console = Console(markup=False, highlight=False, width=width)
    console.print(f"\n{experiment.title}\n{experiment.about}\n")
    findings = explained(experiment, results)
    for table in [*experiment.tables(results), deviations(findings)]:
        if table is not None:
            console.print(table.rich())
            for remark in table.remarks:
                console.print(remark)
    if findings:
        console.print(Count.of(findings).sentence())
    console.print(f"record  {records.path(experiment.name)}")
    if experiment.draw is not None:
        # Of all that is stored, as on the page, and not only of what was asked for now.
        for file in experiment.draw(records.read(experiment.name), records.folder / FIGURES):
            console.print(f"figure  {file}")


def _check(records: Records) -> None:
    """Counts of verdicts; misses without a listed cause by name, and exit code 1 for them."""
    from experiments.catalogue import PAPER
    from experiments.expected import listed_misses
    from experiments.reproduction_page import all_findings
    from experiments.verdict import Count, Verdict

    found = all_findings(records)
    for name, findings in found.items():
        print(f"{name}: {Count.of(findings).sentence()}")
    every = [finding for findings in found.values() for finding in findings]
    total = Count.of(every)
    print(f"all: {total.sentence()}")
    absent = [experiment.name for experiment in PAPER if experiment.name not in found]
    if absent:
        print(f"without a record: {', '.join(absent)}")
    met = {f.of for f in every if f.verdict in (Verdict.within, Verdict.above)}
    for name in sorted(met & set(listed_misses())):
        print(f"listed as a miss, but met: {name}")
    for finding in every:
        if finding.verdict == Verdict.miss and not finding.is_listed:
            print(f"unlisted miss: {finding.of}: {finding.ours}, the paper {finding.paper}")
    if total.unlisted:
        raise typer.Exit(1)


def _page(records: Records, folder: Path) -> None:
    """Write both pages, and the README's table if it has a place for one."""
    from experiments.reproduction_page import write_reproduction_page
    from experiments.results_page import fill_readme, write_results_page

    print(write_reproduction_page(records, folder / "reproduction.md"))
    print(write_results_page(records, folder / "results.md"))
    filled = fill_readme(records, folder.parent / "README.md")
    if filled is not None:
        print(filled)
