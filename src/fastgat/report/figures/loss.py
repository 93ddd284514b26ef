"""Loss over the epochs: of the training nodes, and of the validation nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgat.check import one_line
from fastgat.report.figures.accuracy import HEIGHT, draw_curve
from fastgat.report.figures.canvas import Figure, render
from fastgat.report.runs import Runs
from fastgat.report.styles import Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

FROM_ZERO = 0.4  # of the highest loss: where the lowest is above it, zero is far away
HIGHEST = 0.98  # quantile of the losses up to which the axis reaches: first epochs may be far off


def loss_figure(name: str, methods: Sequence[Runs], styles: Styles) -> Figure | None:
    """Training loss as wide lines, validation loss as thin dotted ones.

    Args:
        name: of the figure on the page.
        methods: two curves each.
        styles: of the methods.
    """
    curves = {runs.label: (_losses(runs, "loss"), _losses(runs, "validation_loss"))
              for runs in methods}  # fmt: skip
    known = np.concatenate([np.ravel(both) for both in curves.values()]) if curves else np.empty(0)
    known = known[np.isfinite(known)]
    if known.size == 0 or max(train.shape[1] for train, _ in curves.values()) < 2:
        return None

    def draw(canvas: Canvas, axes: Axes) -> None:
        for label, (train, validation) in curves.items():
            epochs = np.arange(1.0, train.shape[1] + 1)
            style = styles[label]
            draw_curve(axes, epochs, train, style)
            thin = replace(style, dash=":", width=1.3)
            draw_curve(axes, epochs, validation.mean(axis=0, keepdims=True), thin)
        top = float(np.quantile(known, HIGHEST))
        low = float(known.min())
        bottom = 0.0 if low < FROM_ZERO * top else low - 0.1 * (top - low)
        axes.set_ylim(bottom, top + 0.05 * (top - bottom) if top > bottom else None)
        axes.set_xlabel("epoch")
        axes.set_ylabel("loss")

    labels = ", ".join(one_line(label) for label in curves)
    svg = render(name, HEIGHT, f"Loss against epochs: {labels}", draw)
    return Figure(
        svg,
        "Loss of the training nodes, with dropout where there is any, and of the validation nodes "
        "(dotted).",
    )


def _losses(runs: Runs, name: str) -> NDArray[np.float64]:
    """A row per run, for as long as all of them ran."""
    length = min(len(run.history) for run in runs.records)
    rows = [[getattr(epoch, name) for epoch in run.history[:length]] for run in runs.records]
    return np.array(
        [[math.nan if value is None else float(value) for value in row] for row in rows]
    ).reshape(len(rows), length)
