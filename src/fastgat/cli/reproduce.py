"""`fastgat reproduce`: the paper's tables and figures by command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastgat.cli.arguments import check_output

if TYPE_CHECKING:
    from fastgat.reproduce.experiment import Experiment
    from fastgat.reproduce.options import Options
    from fastgat.reproduce.records import Records

RECORDS, QUICK_RECORDS = Path("results/reproduce"), Path("results/reproduce-quick")
EXAMPLES = """\b
Examples:
  fastgat reproduce list
  fastgat reproduce table-2 --datasets photo,cs --seeds 3
  fastgat reproduce all --quick
  fastgat reproduce check
  fastgat reproduce page --out docs/reproduction.md
"""


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An experiment; all of them (all); their names (list); a count of verdicts "
            "(check); or a page made from the records (page).",
        ),
    ],
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", help="How many; 5, some baselines 3, or 1 with --quick."),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--datasets", help="Instead of the paper's: names with commas between."),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="The most epochs, instead of the recommended.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    records: Annotated[
        Path | None,
        typer.Option("--records", help=f"Folder of records and figures: {RECORDS}, or -quick."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="See that all runs: one seed, few epochs, small datasets."),
    ] = False,
    out: Annotated[Path, typer.Option("--out", help="The page to write.")] = Path(
        "docs/reproduction.md"
    ),
) -> None:
    """Run the paper's experiments and compare what comes out with what it prints.

    Every row is stored when it is done: a run that was stopped goes on where it was, and rows that
    are stored with other settings are run again. `check` ends with 1 if a figure misses the
    paper's and the cause is not listed.
    """
    from fastgat.reproduce.catalogue import EXPERIMENTS, find_experiment
    from fastgat.reproduce.options import Options
    from fastgat.reproduce.page import write_page
    from fastgat.reproduce.records import Records

    if name == "list":
        _list(EXPERIMENTS)
        return
    kept = Records(records or (QUICK_RECORDS if quick else RECORDS))
    if name == "check":
        _check(kept)
        return
    if name == "page":
        check_output(out)
        print(write_page(kept, out))
        return
    chosen = list(EXPERIMENTS.values()) if name == "all" else [find_experiment(name)]
    named = None
    if datasets is not None:
        named = tuple(part for text in datasets for part in text.split(",") if part)
    options = Options(seeds, named, epochs, device, quick)
    if name != "all":
        chosen[0].check_options(options)
    for experiment in chosen:
        _run(experiment, options, kept)


def _list(experiments: dict[str, Experiment]) -> None:
    width = max(map(len, experiments))
    for name, experiment in experiments.items():
        print(f"{name:{width}}  {experiment.title}")


def _run(experiment: Experiment, options: Options, records: Records) -> None:
    """Run what is missing, then show it and draw it."""
    from rich.console import Console

    from fastgat.reproduce.catalogue import EXPERIMENTS
    from fastgat.reproduce.page import FIGURES, deviations, explained
    from fastgat.reproduce.run import run_experiment
    from fastgat.reproduce.verdict import Count

    results = run_experiment(
        experiment, options, records, others=EXPERIMENTS,
        on_row=lambda sentence: print(sentence, file=sys.stderr),
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
    console.print(Count.of(findings).sentence())
    console.print(f"record  {records.path(experiment.name)}")
    if experiment.draw is not None:
        # Of all that is stored, as on the page, and not only of what was asked for now.
        for file in experiment.draw(records.read(experiment.name), records.folder / FIGURES):
            console.print(f"figure  {file}")


def _check(records: Records) -> None:
    """Counts of verdicts; misses without a listed cause by name, and exit code 1 for them."""
    from fastgat.reproduce.catalogue import EXPERIMENTS
    from fastgat.reproduce.expected import listed_misses
    from fastgat.reproduce.page import all_findings
    from fastgat.reproduce.verdict import Count, Verdict

    found = all_findings(records)
    for name, findings in found.items():
        print(f"{name}: {Count.of(findings).sentence()}")
    every = [finding for findings in found.values() for finding in findings]
    total = Count.of(every)
    print(f"all: {total.sentence()}")
    absent = [name for name in EXPERIMENTS if name not in found]
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
