"""Whether a figure of ours is the paper's: the tolerance is fixed here, before anything is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase

from experiments.expected import Figure

LEAST_TOLERANCE = 0.01


class Verdict(StrEnum):
    """What comparing gives. Better than the paper counts as met, and is said."""

    within = "within"
    above = "above"
    miss = "miss"
    not_judged = "not judged"


@dataclass(frozen=True)
class Finding:
    """One figure or claim of the paper beside ours; `of` names it, as lists of misses do."""

    of: str
    ours: str
    paper: str
    verdict: Verdict
    why: str = ""  # of a miss or a score above: the cause, if known; of one not judged: the reason
    is_listed: bool = False


def tolerance(paper: Figure) -> float:
    """The larger of 0.01 and twice the deviation that the paper prints.

    >>> tolerance(Figure(0.63, 0.02)), tolerance(Figure(0.94, 0.001))
    (0.04, 0.01)
    """
    return max(LEAST_TOLERANCE, 2 * (paper.deviation or 0.0))


def judge_score(ours: float, paper: Figure) -> Verdict:
    """A score such as F1, where more is better."""
    if paper.value is None:
        return Verdict.not_judged
    # Rounded, since 0.95 - 0.94 is a little more than 0.01 in binary.
    difference = round(ours - paper.value, 9)
    if abs(difference) <= tolerance(paper):
        return Verdict.within
    return Verdict.above if difference > 0 else Verdict.miss


def judge_share(ours: float, paper: Figure) -> Verdict:
    """A share, where neither more nor less is better."""
    if paper.value is None:
        return Verdict.not_judged
    return judge_claim(round(abs(ours - paper.value), 9) <= tolerance(paper))


def judge_count(ours: float, paper: Figure) -> Verdict:
    """A number of things, up to 1 % of it."""
    if paper.value is None:
        return Verdict.not_judged
    return judge_claim(abs(ours - paper.value) <= LEAST_TOLERANCE * abs(paper.value))


def judge_claim(holds: bool) -> Verdict:
    """A statement in words."""
    return Verdict.within if holds else Verdict.miss


def claim(of: str, ours: str, paper: str, holds: bool, *, quick: bool) -> Finding:
    """The finding of a statement in words; quick rows only show that it can be checked.

    Args:
        of: its name.
        ours: what was measured.
        paper: what the paper says, in a word or two.
        holds: whether that is so here.
        quick: whether some of the rows behind it are quick ones.
    """
    if quick:
        return Finding(of, ours, paper, Verdict.not_judged, "quick")
    return Finding(of, ours, paper, judge_claim(holds))


def explain(
    findings: Iterable[Finding], listed: dict[str, str], above: Mapping[str, str]
) -> list[Finding]:
    """The findings with the causes that are known: of listed misses, and of scores above.

    Scores above go by patterns, the first that fits: one cause is behind many of them.
    """

    def explained(finding: Finding) -> Finding:
        if finding.verdict == Verdict.miss and finding.of in listed:
            return replace(finding, why=listed[finding.of], is_listed=True)
        if finding.verdict == Verdict.above:
            causes = (why for of, why in above.items() if fnmatchcase(finding.of, of))
            return replace(finding, why=next(causes, finding.why))
        return finding

    return [explained(finding) for finding in findings]


@dataclass(frozen=True)
class Count:
    """How many findings there are of each kind."""

    within: int
    above: int
    listed: int  # misses whose cause is known
    unlisted: int  # misses whose cause is not
    not_judged: int

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Count:
        """Count them."""
        every = list(findings)

        def number(verdict: Verdict) -> int:
            return sum(finding.verdict == verdict for finding in every)

        listed = sum(finding.is_listed for finding in every)
        return cls(
            number(Verdict.within),
            number(Verdict.above),
            listed,
            number(Verdict.miss) - listed,
            number(Verdict.not_judged),
        )

    @property
    def missed(self) -> int:
        """Misses, whether their cause is known or not."""
        return self.listed + self.unlisted

    def opening(self) -> str:
        """The verdict on the whole paper.

        >>> Count(3, 1, 1, 2, 0).opening()
        'of 7 figures and claims of the paper, 3 are within tolerance, 1 above it, 3 missed
        (1 of them with a known cause) and 0 not judged'
        """
        total = self.within + self.above + self.missed + self.not_judged
        return (
            f"of {total} figures and claims of the paper, {self.within} are within tolerance, "
            f"{self.above} above it, {self.missed} missed ({self.listed} of them with a known "
            f"cause) and {self.not_judged} not judged"
        )

    def sentence(self) -> str:
        """All of them in words.

        >>> Count(3, 1, 1, 2, 0).sentence()
        '3 within tolerance, 1 above it, 3 missed (1 with a known cause), 0 not judged'
        """
        return (
            f"{self.within} within tolerance, {self.above} above it, {self.missed} missed "
            f"({self.listed} with a known cause), {self.not_judged} not judged"
        )
