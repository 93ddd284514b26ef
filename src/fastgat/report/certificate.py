"""What sparse graphs keep: the certificate in words, and all of them side by side in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fastgat.check import InputError, one_line
from fastgat.report import text
from fastgat.report.runs import Runs, TaskRuns

PANEL_HEADINGS = (
    "Graph", "Edges", "Components", "Nodes without edges", "Degrees kept", "Clustering",
    "Homophily", "Spectral error",
)  # fmt: skip


@dataclass(frozen=True)
class PanelTable:
    """A row per sparse graph, the full one first."""

    headings: list[str]
    rows: list[list[tuple[str, str]]]  # the headings with their cells


def panel_table(task: TaskRuns) -> PanelTable | None:
    """What every sparse graph of a task keeps; None where no run has counted it."""
    found = [(runs, panel) for runs in task.methods if (panel := runs.picture("panel"))]
    if not found:
        return None
    try:
        rows = [_panel_row("full graph", found[0][1], "_before", None)]
        rows += [_panel_row(runs.label, panel, "", _error(runs)) for runs, panel in found]
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"the panel of {task.name!r} cannot be shown: {error}") from error
    return PanelTable(list(PANEL_HEADINGS), rows)


def _panel_row(
    label: str, panel: dict[str, Any], of: str, error: float | None
) -> list[tuple[str, str]]:
    counts = (panel[f"num_{name}{of}"] for name in ("edges", "components", "isolated"))
    shares: Iterable[float | None] = (
        panel["degree_correlation"] if not of else None,
        panel[f"clustering{of}"],
        panel[f"homophily{of}"],
        error,
    )
    cells = [
        one_line(label),
        *map(text.count, counts),
        *(text.NOTHING if share is None else text.digits(share) for share in shares),
    ]
    return list(zip(PANEL_HEADINGS, cells, strict=True))


def _error(runs: Runs) -> float | None:
    return _number(runs.picture("certificate") or {}, "epsilon")


def certificate_sentences(certificate: dict[str, Any]) -> list[str]:
    """What was measured; nothing is said of values that are null.

    The bounds hold for x'Lx of every x. For x that is 1 on some nodes and 0 on the others this is
    the weight of the edges between the two, which is what the first sentence speaks of.
    """
    lower, upper = _number(certificate, "lower"), _number(certificate, "upper")
    found = [*_bounds(lower, upper), *_losses(certificate, lower)]
    if (error := _number(certificate, "epsilon")) is not None:
        least = ", at least 1 where the lower number is 0" if lower == 0 else ""
        found.append(
            f"The spectral error, how far these numbers are from 1, is {text.digits(error)}{least}."
        )
        found.append(
            "The density that a run is asked for (epsilon) sets how many edges are kept; it is no "
            "bound on this error."
        )
    return found


def _bounds(lower: float | None, upper: float | None) -> list[str]:
    if lower is None and upper is None:
        return []
    if lower is None or upper is None:
        side = f"at most {text.digits(upper)}" if upper is not None else ""
        side = side or f"at least {text.digits(lower or 0)}"
    else:
        side = f"between {text.digits(lower)} and {text.digits(upper)}"
    return [
        "However the nodes are divided into two groups, the edges of the sparse graph between them "
        f"have {side} times the weight of those of the full graph; 1 is the same weight."
    ]


def _losses(certificate: dict[str, Any], lower: float | None) -> list[str]:
    found = []
    if lost := _number(certificate, "lost"):
        found.append(f"{_nodes(lost)} lost every edge, which makes the lower number 0.")
    nonzero = _number(certificate, "lower_nonzero")
    if lower == 0 and nonzero:
        left_out = "these nodes" if lost else "what was cut off"
        found.append(f"Leaving {left_out} out, it is {text.digits(nonzero)}.")
    before = _number(certificate, "num_components_before")
    after = _number(certificate, "num_components")
    if before is not None and after is not None:
        same = "as before" if before == after else f"{text.count(before)} before"
        pieces = "one piece" if after == 1 else f"{text.count(after)} pieces"
        found.append(f"The sparse graph is in {pieces} ({same}).")
    return found


def _nodes(number: float) -> str:
    return "One node" if number == 1 else f"{text.count(number)} nodes"


def _number(certificate: dict[str, Any], name: str) -> float | None:
    value = certificate.get(name)
    return float(value) if value is not None and math.isfinite(value) else None
