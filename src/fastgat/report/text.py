"""How numbers and names are written for people."""

from __future__ import annotations

import math
import re

from fastgat.check import one_line

NOTHING = "-"  # in place of a number that the records do not tell


def shorten(text: object, length: int = 46) -> str:
    """One line of at most `length` characters, for the space in a picture."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def count(value: float) -> str:
    """A number of things.

    >>> count(119081)
    '119,081'
    """
    return f"{value:,.0f}"


def seconds(value: float | None) -> str:
    """A time, in the unit that suits it.

    >>> seconds(0.0123), seconds(4.5), seconds(754)
    ('12.3 ms', '4.50 s', '754 s')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{digits(1000 * value)} ms" if value < 1 else f"{digits(value)} s"


def megabytes(value: float | None) -> str:
    """Memory, in the unit that suits it.

    >>> megabytes(312.4e6), megabytes(2.5e9)
    ('312 MB', '2.50 GB')
    """
    if value is None:
        return NOTHING
    return f"{value / 1e6:,.0f} MB" if value < 1e9 else f"{digits(value / 1e9)} GB"


def times(value: float | None) -> str:
    """A ratio.

    >>> times(1.238), times(29.4), times(204.1)
    ('1.24x', '29.4x', '204x')
    """
    return NOTHING if value is None else f"{digits(value)}x"


def percent(value: float | None) -> str:
    """A share of one: no share but all and none is written as 100 or 0 %.

    >>> percent(0.1023), percent(1.0), percent(0.9999)
    ('10.2 %', '100 %', '> 99.9 %')
    """
    if value is None:
        return NOTHING
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    if 0.9995 <= value < 1:
        return "> 99.9 %"
    return "< 0.1 %" if 0 < value < 0.0005 else f"{100 * value:.1f} %"


def score(mean: float | None, deviation: float | None = None) -> str:
    """A micro-F1, with the deviation between seeds where there are several.

    >>> score(0.93177, 0.0021), score(0.93177)
    ('0.932 ± 0.002', '0.932')
    """
    if mean is None:
        return NOTHING
    return f"{mean:.3f}" if deviation is None else f"{mean:.3f} ± {deviation:.3f}"


def class_name(number: int, names: object) -> str:
    """What the task calls a class.

    >>> class_name(1, ["cat", "dog"]), class_name(1, None)
    ('dog', 'class 1')
    """
    if isinstance(names, list) and 0 <= number < len(names):
        return one_line(names[number])
    return f"class {number}"


def unbroken(sentence: str) -> str:
    """The sentence with no line break between a number and its unit or deviation."""
    return re.sub(r"(?<=\d) (?=(%|ms|s|MB|GB)(?!\w))|(?<=±) ", "\N{NO-BREAK SPACE}", sentence)


def digits(value: float) -> str:
    """Three digits that matter, never in powers of ten.

    >>> digits(1.238), digits(29.44), digits(7786.2), digits(0.00451)
    ('1.24', '29.4', '7,786', '0.00451')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"
