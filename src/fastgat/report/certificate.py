"""The certificate in words that need no spectral graph theory."""

from __future__ import annotations

import math
from typing import Any

from fastgat.report import text


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
