"""Scores of every class on the test nodes: of the method that the page speaks of, and of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgat.check import one_line
from fastgat.report import text
from fastgat.report.details import drawn
from fastgat.report.runs import Runs, Spread

HEADINGS = ("Class", "Test nodes", "Precision", "Recall", "F1")


@dataclass(frozen=True)
class ClassTable:
    """One row per class, the largest first."""

    title: str
    headings: list[str]
    rows: list[list[tuple[str, str]]]  # the headings with their cells


def class_table(chosen: Runs, others: Sequence[Runs]) -> ClassTable | None:
    """Precision, recall and F1 of the chosen method, and F1 of others; None of older records."""
    table: ClassTable | None = drawn(chosen, "class_scores", lambda: _table(chosen, others))
    return table


def _table(chosen: Runs, others: Sequence[Runs]) -> ClassTable | None:
    scores = _scores(chosen)
    if not scores:
        return None
    beside = [runs for runs in others if len(_scores(runs)) == len(scores)]
    label = one_line(chosen.label)
    headings = [*HEADINGS, *(f"F1 of {one_line(runs.label)}" for runs in beside)]
    names = chosen.first.task.get("class_names")
    order = sorted(range(len(scores)), key=lambda number: -_mean(scores[number], "num_nodes", 0.0))
    rows = []
    for number in order:
        cells = [text.class_name(number, names), text.count(_mean(scores[number], "num_nodes", 0))]
        cells += [_score(scores[number], key) for key in ("precision", "recall", "f1")]
        cells += [_score(_scores(runs)[number], "f1") for runs in beside]
        rows.append(list(zip(headings, cells, strict=True)))
    return ClassTable(f"Scores of the {len(rows)} classes, {label}", headings, rows)


def _scores(runs: Runs) -> list[list[dict[str, Any]]]:
    """Of every class the scores in all runs that tell them."""
    known = [run.class_scores for run in runs.records if run.class_scores]
    return [list(of_class) for of_class in zip(*known, strict=True)]


def _mean(of_class: list[dict[str, Any]], key: str, otherwise: float) -> float:
    spread = Spread.of(one[key] for one in of_class)
    return spread.mean if spread else otherwise


def _score(of_class: list[dict[str, Any]], key: str) -> str:
    spread = Spread.of(one[key] for one in of_class)
    return text.score(spread.mean if spread else None)
