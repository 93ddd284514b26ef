"""Numbers on axes never touch, however many there would be."""

import re
from itertools import pairwise
from typing import Any

import pytest

from fastgat.report.figures import canvas
from fastgat.report.figures.degrees import degrees_figure
from fastgat.report.figures.resistances import resistances_figure

LETTER = 0.64  # of the font's size: a digit of matplotlib's font, and wider than most


def numbers(svg: str) -> list[tuple[float, float]]:
    """Where the numbers below the horizontal axis begin and end."""
    texts = re.findall(r'<text style="font-size: ([\d.]+)px;[^>]*text-anchor: middle[^>]*" '
                       r'x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<', svg)  # fmt: skip
    lowest = max(
        float(y) for _, _, y, words in texts if re.fullmatch(r"[\d.,kM +-]+|1e-\d+", words)
    )
    spans = [(float(x), 0.5 * LETTER * float(size) * len(words))
             for size, x, y, words in texts if float(y) == lowest]  # fmt: skip
    return sorted((x - half, x + half) for x, half in spans)


@pytest.mark.parametrize("powers", [1, 4, 8, 14, 24])
def test_degrees_of_heavy_tails(powers: int) -> None:
    bins = [0, *(2**power for power in range(powers))]
    before = list(range(len(bins), 0, -1))
    picture = {"bins": bins, "before": before, "after": before[::-1]}
    figure = degrees_figure("name", "label", picture, canvas.PALETTE[0])
    assert figure is not None
    spans = numbers(figure.svg)
    assert len(spans) > 1
    assert all(left[1] < right[0] for left, right in pairwise(spans))


@pytest.mark.parametrize("decades", [0.3, 1, 2, 5, 9, 16, 40])
def test_resistances_of_heavy_tails(decades: float) -> None:
    bins = [10 ** (decades * place / 20 - decades) for place in range(21)]
    picture = {"bins": bins, "before": [9] * 20, "after": [5] * 20}
    figure = resistances_figure("name", "label", picture, canvas.PALETTE[0])
    assert figure is not None
    spans = numbers(figure.svg)
    assert len(spans) > 1
    assert all(left[1] < right[0] for left, right in pairwise(spans))


def test_long_names_are_parted_too() -> None:
    def draw(figure: Any, axes: Any) -> None:
        axes.plot([0, 1])
        axes.set_xticks([place / 20 for place in range(21)], ["1,000,000"] * 21)

    spans = numbers(canvas.render("name", 2.0, "title", draw))
    assert 1 < len(spans) < 10
    assert all(left[1] < right[0] for left, right in pairwise(spans))
