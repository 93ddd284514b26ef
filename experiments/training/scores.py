"""Stored rows read as a table: scores over seeds, beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from experiments.expected import expected
from experiments.experiment import Results
from experiments.records import StoredRow
from experiments.table import BLANK, Table
from experiments.verdict import Finding, Verdict, judge_score
from fastgat.report import text
from fastgat.report.runs import Spread

METRIC = "f1"


def datasets_of(results: Results) -> list[str]:
    """The datasets that were run, in their order."""
    return list(dict.fromkeys(str(row.settings["dataset"]) for row in results.values()))


def rows_of(results: Results, dataset: str, label: str) -> list[StoredRow]:
    """The rows of one method by seed; those of the CPU, where there are any."""
    every = [
        row
        for row in results.values()
        if row.settings.get("dataset") == dataset
        and isinstance(row.settings.get("method"), dict)
        and row.settings["method"]["label"] == label
    ]
    on_cpu = [row for row in every if row.settings["device"] == "cpu"]
    return on_cpu or every


def score_of(results: Results, dataset: str, label: str) -> Spread | None:
    """Test F1 over the seeds."""
    return Spread.of(row.result.get("test_f1") for row in rows_of(results, dataset, label))


def is_as_good(results: Results, dataset: str, label: str, ours: str) -> bool:
    """Whether a method scores as well as ours, or less by no more than the larger deviation."""
    own, other = score_of(results, dataset, ours), score_of(results, dataset, label)
    if own is None or other is None:
        return False
    return other.mean >= own.mean - max(own.deviation or 0.0, other.deviation or 0.0)


def mean_of(results: Results, dataset: str, label: str, fact: str) -> float | None:
    """The mean of a fact over the seeds."""
    spread = Spread.of(row.result.get(fact) for row in rows_of(results, dataset, label))
    return None if spread is None else spread.mean


def show_score(spread: Spread) -> str:
    """Mean and deviation, as the report writes them."""
    return text.score(spread.mean, spread.deviation)


def absence(rows: Iterable[StoredRow]) -> str:
    """Why there is no figure."""
    every = list(rows)
    if any(row.missing for row in every):
        return "no file"
    return "failed" if any(row.failed for row in every) else BLANK


def not_to_be_judged(rows: Sequence[StoredRow]) -> str:
    """Why the mean of some rows is not the experiment's; nothing where it is."""
    if any(row.is_quick for row in rows):
        return "quick"
    shortened = {row.settings["training"].get("epochs") for row in rows if row.settings["training"]}
    if shortened:
        return f"trained for {' or '.join(map(str, sorted(shortened)))} epochs only"
    kinds = {json.dumps(row.settings | {"seed": None}, sort_keys=True) for row in rows}
    return "rows of several settings" if len(kinds) > 1 else ""


def score_table(
    experiment: str, results: Results, labels: Sequence[str], *, paper: bool = True
) -> Table:
    """Our scores and the paper's in brackets, if it has any; methods down, datasets across.

    Datasets of which nothing could be run are left out; a remark says which file is missing.

    Args:
        experiment: whose figures of the paper stand beside.
        results: its stored rows.
        labels: methods, in the order of the lines.
        paper: whether the paper has such scores at all.
    """
    datasets = [
        dataset
        for dataset in datasets_of(results)
        if any(not row.missing for label in labels for row in rows_of(results, dataset, label))
    ]
    lines = []
    for label in labels:
        cells = [_cell(experiment, results, dataset, label) for dataset in datasets]
        if any(cells):
            lines.append([label, *cells])
    return Table(
        "Test micro-F1, ours (the paper's)" if paper else "Test micro-F1",
        ["method", *datasets],
        lines,
        _remarks(results, labels),
    )


def _cell(experiment: str, results: Results, dataset: str, label: str) -> str:
    rows = rows_of(results, dataset, label)
    if not rows:
        return BLANK
    spread, paper = score_of(results, dataset, label), expected(experiment, METRIC, label, dataset)
    ours = absence(rows) if spread is None else show_score(spread)
    if spread is None or paper is None:
        return ours if paper is None else f"{ours} ({paper.printed})"
    mark = {Verdict.above: " above", Verdict.miss: " miss"}.get(judge_score(spread.mean, paper), "")
    return f"{ours} ({paper.printed}){'' if not_to_be_judged(rows) else mark}"


def _remarks(results: Results, labels: Sequence[str]) -> list[str]:
    chosen = [
        row
        for row in results.values()
        if isinstance(row.settings.get("method"), dict)
        and row.settings["method"]["label"] in labels
    ]
    remarks = []
    if any(row.is_quick for row in chosen):
        remarks.append("Quick: it shows that everything runs, and is not judged.")
    done = [row for row in chosen if row.is_done]
    if done:
        epochs = sorted({row.result["config"]["epochs"] for row in done})
        most = " or ".join(map(str, epochs))
        remarks.append(f"{_seeds(done)}, each with its own split; at most {most} epochs.")
    remarks += missing_files(results)
    return remarks


def _seeds(rows: Sequence[StoredRow]) -> str:
    """How many there are, and where there are fewer."""
    seeds: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        place = row.settings["method"]["label"], row.settings["dataset"]
        seeds.setdefault(place, set()).add(row.settings["seed"])
    most = max(map(len, seeds.values()))
    fewer = []
    for label in dict.fromkeys(label for label, _ in seeds):
        own = {dataset: len(found) for (name, dataset), found in seeds.items() if name == label}
        if len(set(own.values())) == 1 and most not in own.values():
            fewer.append(f"{label}: {min(own.values())}")
        else:
            fewer += [f"{label} on {name}: {n}" for name, n in own.items() if n < most]
    number = "1 seed" if most == 1 else f"{most} seeds"
    return f"{number} ({', '.join(fewer)})" if fewer else number


def missing_files(results: Results) -> list[str]:
    """One sentence for each file that is not here, and for each failure."""
    sentences = [
        f"{row.settings['dataset']}: not run, {row.missing} is missing."
        for row in results.values()
        if row.missing
    ]
    sentences += [f"{key} failed: {row.failed}." for key, row in results.items() if row.failed]
    return list(dict.fromkeys(sentences))


def score_findings(experiment: str, results: Results, labels: Sequence[str]) -> list[Finding]:
    """Every score that was measured beside the one the paper prints."""
    found = []
    for label in labels:
        for dataset in datasets_of(results):
            rows = rows_of(results, dataset, label)
            paper = expected(experiment, METRIC, label, dataset)
            if not rows or paper is None:
                continue
            spread = score_of(results, dataset, label)
            name = f"{experiment}/{label}/{dataset}/F1"
            failures = [row.failed for row in rows if row.failed]
            if failures and paper.value is not None:
                why = f"{len(failures)} of {len(rows)} runs failed: {failures[0]}"
                found.append(Finding(name, "failed", paper.printed, Verdict.miss, why))
                continue
            if spread is None:
                why = absence(rows)
                found.append(Finding(name, BLANK, paper.printed, Verdict.not_judged, why))
                continue
            verdict, why = judge_score(spread.mean, paper), not_to_be_judged(rows)
            if why:
                verdict = Verdict.not_judged
            elif paper.value is None:
                why = "the paper ran out of memory"
            found.append(Finding(name, show_score(spread), paper.printed, verdict, why))
    return found
