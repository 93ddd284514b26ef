"""A run's record at a glance: one line, or for a notebook a small table and the learning curve."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastgat.train.record import Epoch, RunRecord

WIDTH, HEIGHT, MARGIN = 360, 150, 30
MOST_POINTS = 200  # of a curve
# Colours that are told apart on white and on black, with any eyes (Okabe and Ito).
CURVES = {"train_f1": ("train", "#56b4e9"), "validation_f1": ("validation", "#e69f00")}


def summary_line(record: RunRecord) -> str:
    """Scores, epochs, seconds and edges."""
    said = ", ".join(f"{name}={value}" for name, value in _facts(record).items())
    return f"RunRecord({record.label!r}, task={record.task.get('name')!r}, {said})"


def as_html(record: RunRecord) -> str:
    """A table of the same facts beside the learning curve; it needs nothing but a browser."""
    cell = "text-align:left;padding:1px 12px 1px 0"
    rows = "".join(
        f'<tr><th style="{cell}">{html.escape(name.replace("_", " "))}</th>'
        f'<td style="{cell}">{html.escape(value)}</td></tr>'
        for name, value in _facts(record).items()
    )
    title = html.escape(f"{record.label} on {record.task.get('name')}")
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:center"><table>'
        f'<caption style="text-align:left">{title}</caption>{rows}</table>'
        f"{learning_curve(record.history, record.best_epoch)}</div>"
    )


def learning_curve(history: list[Epoch], best_epoch: int) -> str:
    """F1 of the training and the validation nodes over the epochs, as SVG."""
    if not history:
        return ""
    step = -(-len(history) // MOST_POINTS)
    shown = [*history[:-1:step], history[-1]]
    right, bottom, last = WIDTH - MARGIN, HEIGHT - MARGIN, history[-1].epoch

    def across(epoch: int) -> float:
        return MARGIN + (right - MARGIN) * (epoch - 1) / max(last - 1, 1)

    def down(score: float) -> float:
        return bottom - (bottom - 10) * score

    drawn = [
        f'<path d="M{MARGIN} 10V{bottom}H{right}" fill="none" stroke="currentColor"/>',
        _text(MARGIN - 4, 14, "1", "end"),
        _text(MARGIN - 4, bottom, "0", "end"),
        _text(right, HEIGHT - 14, f"epoch {last}", "end"),
        f'<path d="M{across(best_epoch):.1f} 10V{bottom}" stroke="currentColor" '
        'stroke-dasharray="3 3" opacity="0.5"/>',
    ]
    for place, (field, (name, colour)) in enumerate(CURVES.items()):
        points = " ".join(f"{across(e.epoch):.1f},{down(getattr(e, field)):.1f}" for e in shown)
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        drawn.append(_text(MARGIN + 80 * place, HEIGHT - 14, f"{name} F1", "start", colour))
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="F1 by epoch; the best is {best_epoch}">{"".join(drawn)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str, colour: str = "currentColor") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="11" text-anchor="{anchor}" fill="{colour}">{text}</text>'
    )


def _facts(record: RunRecord) -> dict[str, str]:
    names = {"test": "test_f1", "validation": "validation_f1", "train": "train_f1"}
    facts = {
        shown: f"{record.scores[name]:.3f}"
        for name, shown in names.items()
        if record.scores.get(name) is not None
    }
    edges = record.edges
    return {
        **facts,
        "epochs": f"{len(record.history)}",
        "best_epoch": f"{record.best_epoch}",
        "seconds": f"{record.total_seconds:.3g}",
        "edges": f"{edges.get('trained_on')} of {edges.get('before')}",
    }
