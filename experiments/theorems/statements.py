"""The paper's theorems, proposition, lemma and equation 6, checked on graphs."""

from __future__ import annotations

import itertools
import math
from functools import partial
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.theorems.figures import draw_bounds, draw_counterexample
from experiments.theorems.run import CheckedRow, check_theorems
from experiments.verdict import Finding, judge_claim

NAME = "theorems"
SEED = 7
# Not as the paper prints them, which is checked beside them: see docs/method.md.
MENDED = ("Theorem 2 (D norm)", "Proposition 1", "Lemma 1 in Theorem 2's proof")


def rows(options: Options) -> list[Row]:
    """All checks are one row: they take seconds."""
    settings = {"quick": options.quick, "seed": SEED}
    return [Row("all statements", settings, partial(_check, options.quick))]


def _check(quick: bool) -> Result:
    return {"rows": [row.as_dict() for row in check_theorems(SEED, quick)]}


def _rows(results: Results) -> list[CheckedRow]:
    done = (stored.result["rows"] for stored in results.values() if stored.is_done)
    return [_row(facts) for facts in itertools.chain.from_iterable(done)]


def _row(facts: dict[str, Any]) -> CheckedRow:
    """A row as it was: JSON has null for what is no number."""
    known: dict[str, Any] = {k: math.nan if v is None else v for k, v in facts.items()}
    return CheckedRow(**known)


def tables(results: Results) -> list[Table]:
    """Per statement how often it holds, and how close it comes to its bound."""
    found = _rows(results)
    lines = []
    for statement in dict.fromkeys(row.statement for row in found):
        inside = [r for r in found if r.statement == statement and r.assumptions_hold]
        outside = [r for r in found if r.statement == statement and not r.assumptions_hold]
        worst = _largest(inside) if inside else BLANK
        lines.append([statement, _holds(inside), worst, _holds(outside)])
    columns = [
        "statement",
        "holds within its assumptions",
        "largest observed / bound there",
        "holds outside",
    ]
    return [Table("The paper's statements, checked", columns, lines)]


def _largest(rows: list[CheckedRow]) -> str:
    ratios = [row.ratio for row in rows]
    if any(map(math.isnan, ratios)):  # an infinite one, as it comes back from JSON
        return "unbounded"
    # Where an equality is claimed the bound is rounding, and the ratio says nothing.
    return "fails" if max(ratios) > 1e6 else f"{max(ratios):.3g}"


def _holds(rows: list[CheckedRow]) -> str:
    if not rows:
        return BLANK
    return f"{sum(row.verdict.startswith('holds') for row in rows)} of {len(rows)}"


def findings(results: Results) -> list[Finding]:
    """A statement is met if it holds wherever its assumptions do."""
    found = []
    every = _rows(results)
    for statement in dict.fromkeys(row.statement for row in every):
        inside = [r for r in every if r.statement == statement and r.assumptions_hold]
        if inside:
            verdict = judge_claim(all(row.verdict == "holds" for row in inside))
            paper = "holds, once mended" if statement in MENDED else "holds"
            found.append(Finding(f"{NAME}/{statement}", _holds(inside), paper, verdict))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """Bounds beside what was observed, and the counter-example to Theorem 2 as printed."""
    found = _rows(results)
    if not found:
        return []
    bounds = draw_bounds(found, folder / f"{NAME}-bounds")
    return [*bounds, *draw_counterexample(folder / f"{NAME}-counterexample")]


EXPERIMENT = Experiment(
    NAME,
    "Theorems, proposition, lemma and equation 6",
    "Every statement on graphs whose epsilon is measured. Where the paper's proof is mended, the "
    "mended form is checked beside the printed one.",
    rows,
    tables,
    findings,
    draw,
    takes=(),
)
