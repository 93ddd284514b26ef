"""What a check of a statement gives: what the statement allows beside what is seen."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDING = 1e-9  # relative: an inequality that is an equality in exact arithmetic may miss by this


@dataclass(frozen=True)
class Check:
    """One statement on one graph."""

    statement: str
    epsilon: float  # measured, in the quadratic form; not a number where none enters
    bound: float
    observed: float
    assumptions_hold: bool
    note: str = ""

    @property
    def ratio(self) -> float:
        """Observed over bound: above 1 the statement fails."""
        if self.bound == 0:
            return float("inf") if self.observed > 0 else 0.0
        return self.observed / self.bound

    @property
    def holds(self) -> bool:
        """Whether what is seen is within what is allowed."""
        return self.ratio <= 1 + ROUNDING

    @property
    def verdict(self) -> str:
        """`holds` or `fails`, and whether the statement said anything here at all.

        >>> Check("Theorem 1", 0.2, bound=1.0, observed=0.3, assumptions_hold=True).verdict
        'holds'
        >>> Check("Theorem 1", 1.2, bound=1.0, observed=3.0, assumptions_hold=False).verdict
        'fails outside its assumptions'
        """
        word = "holds" if self.holds else "fails"
        return word if self.assumptions_hold else f"{word} outside its assumptions"
